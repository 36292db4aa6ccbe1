"""Trees of files into and out of sandboxes."""

from __future__ import annotations

import posixpath
import shlex
import signal
from collections.abc import Mapping
from dataclasses import dataclass, field

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


@dataclass(frozen=True)
class Seen:
    """A folder of a sandbox at one time.

    Attributes:
        tree: Its regular files.
        modes: The permissions of each, in octal.
        others: What is there besides, and is no part of a tree: `"link to PLACE"`, `"pipe"`.
    """

    tree: Tree = field(default_factory=dict)
    modes: dict[str, str] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)


def snapshot(sandbox: Sandbox, workdir: str) -> Tree:
    """Return the regular files below `workdir` as they are now; see `look`."""
    return look(sandbox, workdir).tree


def look(sandbox: Sandbox, workdir: str) -> Seen:
    """Return what is below `workdir` now, without `.git`.

    Nothing is believed that the agent may have tampered with but the list of names, which can
    only make it miss its own files: each file is read by the sandbox's own first process. Links,
    devices, pipes and files that are too large or closed are named and not read.

    Raises:
        SandboxError: The files cannot be listed; in a used sandbox it is its user's doing.
    """
    seen = Seen()
    total = 0
    words = _listed(sandbox, workdir).split(b"\0")
    for line, place in zip(words[::2], words[1::2], strict=False):
        kind, size, mode, raw = (*line.split(b" ", 3), b"", b"", b"")[:4]
        path = raw.decode("utf-8", "surrogateescape")
        if not size.isdigit() or not trees.is_safe(path):
            continue
        if kind != b"f":
            seen.others[path] = _named(kind, place)
        elif int(size) > _LARGEST or total + int(size) > _MOST:
            seen.others[path] = "too large"
        elif (data := _read(sandbox, posixpath.join(workdir, path))) is None:
            seen.others[path] = "closed"
        else:
            total += len(data)
            seen.tree[path] = File(data, _executable(mode))
            seen.modes[path] = mode.decode("ascii", "replace")
    return seen


def _named(kind: bytes, place: bytes) -> str:
    names = {b"l": "link", b"p": "pipe", b"s": "socket"}
    name = names.get(kind, "device")
    return f"{name} to {place.decode('utf-8', 'replace')}" if kind == b"l" else name


def _listed(sandbox: Sandbox, workdir: str) -> bytes:
    """Return two words for each thing below `workdir` but folders, each ended by a NUL.

    The first is its kind, size, mode and path, the second where it leads if it is a link.
    """
    find = (
        f"find {shlex.quote(workdir)} -xdev -name .git -prune -o ! -type d "
        "-printf '%y %s %m %P\\0%l\\0'; "
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
