"""Runs the conformance suite as a plain user: `python unprivileged.py PROVIDER UID`, as root.

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
from dataclasses import asdict
from pathlib import Path

import hub_sandbox_init

from hub.sandbox import conformance
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


def main() -> None:
    provider, uid = sys.argv[1], int(sys.argv[2])
    pwd.getpwall()
    providers()
    become(uid)
    outcomes = conformance.run_suite(conformance.CHECKS, provider)
    json.dump([asdict(outcome) for outcome in outcomes], sys.stdout)


main()
