"""Trees of files into and out of sandboxes."""

from __future__ import annotations

import posixpath
import shlex
import signal
from collections.abc import Mapping

from hub.errors import SandboxError, SandboxFileError, TaskError
from hub.sandbox import ExecResult, Sandbox
from hub_agents.swe import trees
from hub_agents.swe.trees import File, Tree

SECONDS = 600.0  # of one command of ours
_TAR, _LISTING = "/tmp/.hub-files.tar", "/tmp/.hub-listing"
_LONGEST_LISTING = 32 << 20
_LISTING_SECONDS = 120.0
_END = ":end of the list"  # without it the list is cut, as on a full disk
_LARGEST = 64 << 20  # bytes of one file of a repository that is looked at
_MOST = 512 << 20  # bytes of all of them


def place(sandbox: Sandbox, placed: Mapping[str, Tree]) -> None:
    """Write trees into the sandbox, each below its absolute folder, over what is there."""
    sandbox.write(_TAR, trees.packed(placed))
    folders = " ".join(map(shlex.quote, placed))
    command = f"mkdir -p {folders} && tar -xf {_TAR} -P --no-same-owner && rm {_TAR}"
    required(sandbox.exec(command, timeout=SECONDS), "files could not be put there")


def change(sandbox: Sandbox, workdir: str, changes: Mapping[str, File | None]) -> None:
    """Write changed files and remove the deleted ones (None)."""
    gone = [posixpath.join(workdir, path) for path, file in changes.items() if file is None]
    for start in range(0, len(gone), 500):
        required(sandbox.exec(["rm", "-f", "--", *gone[start : start + 500]]), "cannot remove")
    written = {path: file for path, file in changes.items() if file is not None}
    if written:
        place(sandbox, {workdir: written})


def killed(exit_code: int) -> bool:
    """Tell whether a command was ended by a signal, as `ExecResult.exit_code` has it."""
    return 128 < exit_code <= 128 + signal.SIGRTMAX


def required(done: ExecResult, what: str) -> ExecResult:
    """Return `done`, a command of ours in a sandbox that nobody else has used.

    Raises:
        SandboxError: It was killed, as on a host without memory.
        TaskError: It failed.
    """
    if done.timed_out or killed(done.exit_code):
        raise SandboxError(f"{what}: it was killed", "infra")
    if done.exit_code:
        raise TaskError(f"{what} (exit status {done.exit_code}): {done.stderr.strip()[-800:]}")
    return done


def snapshot(sandbox: Sandbox, workdir: str) -> Tree:
    """Return the regular files below `workdir` as they are now, without `.git`.

    Nothing is believed that the agent may have tampered with but the list of names, which can
    only make it miss its own files: each file is read by the sandbox's own first process, and
    links, devices and pipes are left out. Files that are too large are, too.

    Raises:
        SandboxError: The files cannot be listed; in a used sandbox it is its user's doing.
    """
    tree: Tree = {}
    total = 0
    for line in _listed(sandbox, workdir).split(b"\0"):
        size, _, rest = line.partition(b" ")
        mode, _, raw = rest.partition(b" ")
        if not raw or not size.isdigit() or int(size) > _LARGEST or total + int(size) > _MOST:
            continue
        path = raw.decode("utf-8", "surrogateescape")
        data = _read(sandbox, posixpath.join(workdir, path))
        if data is not None and trees.is_safe(path):
            total += len(data)
            tree[path] = File(data, _executable(mode))
    return tree


def _listed(sandbox: Sandbox, workdir: str) -> bytes:
    """Return size, mode and path of each file below `workdir`, each ended by a NUL."""
    find = (
        f"find {shlex.quote(workdir)} -xdev -name .git -prune -o -type f -printf '%s %m %P\\0'; "
        f"printf '{_END}'"
    )
    done = sandbox.exec(find, timeout=_LISTING_SECONDS)
    data = done.stdout_bytes
    if done.truncated:
        sandbox.exec(f"{{ {find}; }} > {_LISTING}", timeout=_LISTING_SECONDS)
        data = sandbox.read(_LISTING, limit=_LONGEST_LISTING)
        sandbox.exec(["rm", "-f", _LISTING])
    if not data.endswith(_END.encode()):
        why = done.stderr.strip()[-300:]
        raise SandboxError(f"the files of {workdir} cannot be listed: {why}", "agent")
    return data.removesuffix(_END.encode())


def _executable(mode: bytes) -> bool:
    return mode.isdigit() and bool(int(mode, 8) & 0o100 if set(mode) <= set(b"01234567") else 0)


def _read(sandbox: Sandbox, path: str) -> bytes | None:
    """Return a file, or None where it is gone, closed or no regular file by now."""
    try:
        return sandbox.read(path, limit=_LARGEST)
    except SandboxFileError:
        return None
