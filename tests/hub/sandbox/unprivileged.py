"""Works as a plain user, started by root: `python unprivileged.py PROVIDER UID [WHAT]`.

WHAT is `suite` (the conformance suite, the default), `serve MARKER` (eight sandboxes that sleep,
until killed) or `sweep` (of what a killed server left). Each prints a line of JSON.

Everything is imported first: the interpreter and the checkout may lie where that user cannot read.
"""

import ctypes
import encodings.ascii
import encodings.idna  # noqa: F401 - likewise
import json
import os
import pwd
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import hub_sandbox_init

from hub.sandbox import conformance, create, state
from hub.sandbox.providers import providers

PR_SET_DUMPABLE = 4


def become(uid: int) -> None:
    """Leave root for good, and be an ordinary process of that user."""
    helper = hub_sandbox_init.path().read_bytes()
    os.chdir("/")
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    os.environ["HOME"] = "/nonexistent"
    copy = Path(tempfile.mkdtemp()) / "hub-sandbox-init"
    copy.write_bytes(helper)
    hub_sandbox_init.path = lambda: copy


def suite(provider: str) -> None:
    """Run every check."""
    outcomes = conformance.run_suite(conformance.CHECKS, provider)
    json.dump([asdict(outcome) for outcome in outcomes], sys.stdout)


def serve(provider: str, marker: str) -> None:
    """Print each sandbox's id and directory, and wait."""
    boxes = [create(provider=provider) for _ in range(8)]
    for box in boxes:
        box.shell(f"(setsid sleep {marker} &)")
    ids = {box.id for box in boxes}
    print(json.dumps({r.id: str(r.directory) for r in state.records() if r.id in ids}), flush=True)
    time.sleep(600)


def sweep(provider: str) -> None:
    """Print the ids of what was swept."""
    print(json.dumps(state.sweep()))


def main() -> None:
    provider, uid = sys.argv[1], int(sys.argv[2])
    what = sys.argv[3] if len(sys.argv) > 3 else "suite"
    pwd.getpwall()
    providers()
    become(uid)
    {"suite": suite, "serve": serve, "sweep": sweep}[what](provider, *sys.argv[4:])


main()
