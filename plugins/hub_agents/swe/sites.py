"""The wheels that tests need, unpacked and compiled once, as a tree to lay into sandboxes.

Python starts four times as fast with compiled files there. They are compiled inside a sandbox, by
the interpreter that will run them; compiling runs nothing of a package.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from hub.errors import TaskError
from hub.sandbox import Sandbox
from hub_agents.swe import sdists, transfer, trees
from hub_agents.swe.trees import File, Tree

_FORM = 1  # of what is kept
_PLACE = "/tmp/.hub-site"
# Compiled files that do not look at the times of their sources, which differ from place to place.
_COMPILE = f"python3 -m compileall -q --invalidation-mode unchecked-hash {_PLACE}"


def site(requires: Sequence[str], python: str, sandbox: Sandbox) -> Tree:
    """Return what the wheels of `requires` put into site-packages, with compiled files.

    Args:
        requires: Pins, as `hub_agents.swe.sdists.wheels` takes them.
        python: Version of the sandbox's Python, like `"3.11"`.
        sandbox: Fresh; it compiles what is not in the cache.

    Raises:
        TaskError: A wheel cannot be had.
    """
    archives = sdists.wheels(requires, python)
    named = json.dumps([_FORM, python, sorted(archive.sha256 for archive in archives)])
    path = sdists.cache() / "sites" / f"{hashlib.sha256(named.encode()).hexdigest()}.tar"
    if not path.is_file():
        tree: Tree = {}
        for archive in archives:
            tree |= trees.unpack_wheel(archive.read(), archive.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        sdists.publish(path, trees.packed({"site": _compiled(tree, sandbox)}))
    return _kept(str(path), path.stat().st_mtime_ns)


def _compiled(tree: Tree, sandbox: Sandbox) -> Tree:
    if not tree:
        return tree
    transfer.place(sandbox, {_PLACE: tree})
    done = sandbox.exec(_COMPILE, timeout=300.0)
    if done.timed_out:
        raise TaskError(f"compiling the wheels took more than {done.seconds:.0f} s")
    # Status 1: some file is for another Python, as wheels may hold; it stays as it is.
    found = transfer.snapshot(sandbox, _PLACE)
    sandbox.exec(["rm", "-rf", _PLACE])
    return found


@lru_cache(maxsize=8)
def _kept(path: str, changed: int) -> Tree:
    """Read a tree of ours; `changed` is there so that a new file is read anew."""
    data = Path(path).read_bytes()
    tree: Tree = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for member in tar:
            stream = tar.extractfile(member)
            assert stream is not None, "it holds files alone"
            name = member.name.partition("/")[2]
            tree[name] = File(stream.read(), bool(member.mode & 0o100))
    return tree
