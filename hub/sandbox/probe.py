"""What each provider can do here, found out by running a container; and the choice of one."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hub.errors import HubError, SandboxUnavailable
from hub.sandbox import cgroups, state
from hub.sandbox.client import Sandbox
from hub.sandbox.images import HOST
from hub.sandbox.limits import plan
from hub.sandbox.process import Order
from hub.sandbox.providers import helper, provider, providers
from hub.sandbox.types import Limits, Provider

_UNSAFE = "local"
_PROBE_LIMITS = Limits(lifetime=60.0, timeout=20.0)
# Must print: seccomp mode, no_new_privs, effective capabilities, and network devices but lo.
_SCRIPT = r"""
while read -r name value; do
  case $name in Seccomp:|NoNewPrivs:|CapEff:) echo "$name$value";; esac
done < /proc/self/status
while read -r name rest; do
  case $name in lo:*|Inter*|face*) ;; *) echo "device:$name";; esac
done < /proc/net/dev
if : > /hub-probe; then echo root:writable; else echo root:read-only; fi 2>/dev/null
"""
_EXPECTED = {"Seccomp": "2", "NoNewPrivs": "1", "CapEff": "0000000000000000"}


def run(candidate: Provider, groups: bool = True) -> dict[str, Any]:
    """Start a container of `candidate` and look around in it.

    Args:
        candidate: The provider.
        groups: Use control groups where they can be had (False: as a plain user would run).

    Returns:
        `available`, `reason` (why not, with the fix), `start_seconds` and `writable_root`.
    """
    reason = candidate.missing()
    if reason is not None:
        return {"available": False, "reason": reason}
    order = Order(HOST, candidate, _PROBE_LIMITS, False, (), {}, groups)
    begin = time.monotonic()
    try:
        with Sandbox(order) as sandbox:
            seconds = time.monotonic() - begin
            result = sandbox.shell(_SCRIPT)
    except HubError as error:
        return {"available": False, "reason": str(error)}
    lines = result.stdout.splitlines()
    values = dict(line.split(":", 1) for line in lines if not line.startswith("device:"))
    wrong = [f"{k} is {values.get(k)!r}" for k, v in _EXPECTED.items() if values.get(k) != v]
    if candidate.features.isolated:
        wrong += [f"the host's network {line}" for line in lines if line.startswith("device:")]
    if wrong:
        return {"available": False, "reason": f"its container is not tight: {', '.join(wrong)}"}
    return {
        "available": True,
        "reason": "",
        "start_seconds": round(seconds, 3),
        "writable_root": values.get("root") == "writable",
    }


def choose() -> Provider:
    """Return the first provider that ran a container here; `local` is never chosen.

    The answer is kept for the rest of the boot, for this user and these programs.

    Raises:
        SandboxUnavailable: None can; the message says why for each.
    """
    reasons = []
    for name, candidate in providers().items():
        if name == _UNSAFE:
            continue
        found = _remembered(candidate)
        if found["available"]:
            return candidate
        reasons.append(f"{name}: {found['reason']}")
    raise SandboxUnavailable("no sandbox provider works here. " + " | ".join(reasons))


def _remembered(candidate: Provider) -> Mapping[str, Any]:
    programs = [shutil.which(name) for name in ("apptainer", "singularity", "bwrap")]
    stamps = [(path, Path(path).stat().st_mtime) for path in programs if path]
    key = repr((candidate.name, state.boot_id(), stamps, str(helper())))
    digest = hashlib.sha256(key.encode()).hexdigest()[:16]
    path = state.root() / f"probe-{candidate.name}-{digest}.json"
    if path.is_file():
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found
    found = run(candidate)
    if found["available"]:  # a failure may be a passing one: it is looked at again
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(found), encoding="utf-8")
        temporary.rename(path)
    return found


def capabilities() -> dict[str, Any]:
    """Return what each provider can do and limit on this machine, as JSON values.

    Every provider is really run, in each way that this process can run it: `root` (a server that
    is root: containers run as an unprivileged user, in control groups) and `user` (without).

    Returns:
        `cgroups` (`"v1"`, `"v2"` or None), `sandbox_user` (uid) and `providers`, a list with
        `name`, `images`, `isolated`, `notes` and `modes`: mode -> `available`, `reason`,
        `start_seconds`, `writable_root` and `limits` (limit -> `value`, `means`, `note`).
    """
    hierarchy = cgroups.find()
    rows = []
    for name, candidate in providers().items():
        features = candidate.features
        rows.append(
            {
                "name": name,
                "images": list(features.images),
                "isolated": features.isolated,
                "notes": list(features.notes),
                "modes": _modes(candidate, hierarchy),
            }
        )
    return {
        "cgroups": f"v{hierarchy.version}" if hierarchy else None,
        "sandbox_user": state.sandbox_ids()[0],
        "providers": rows,
    }


def _modes(candidate: Provider, hierarchy: cgroups.Hierarchy | None) -> dict[str, Any]:
    modes: dict[str, Any] = {}
    for mode, groups in (("root", hierarchy), ("user", None)):
        if mode == "root" and os.geteuid() != 0:
            reason = "not looked at: this process is not root"
            modes[mode] = {"available": False, "reason": reason, "limits": {}}
            continue
        limits = plan(Limits(), candidate.features, groups).applied
        found = run(candidate, groups=groups is not None)
        modes[mode] = {**found, "limits": {k: asdict(v) for k, v in limits.items()}}
    return modes


def named(name: str | None) -> Provider:
    """Return the provider `name`, or the first that works.

    Raises:
        SandboxUnavailable: It cannot run here, or none can.
    """
    return choose() if name is None else provider(name)
