"""Two releases of a package: fetched, unpacked, told apart into fix and tests; nothing is run."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hub.errors import TaskError
from hub_agents.swe import filter as allowlist
from hub_agents.swe import index, report, sdists, trees
from hub_agents.swe.decoys import Decoy
from hub_agents.swe.instance import Instance
from hub_agents.swe.sdists import Archive
from hub_agents.swe.trees import File, Tree

SECONDS = 120.0  # of one run of the tests


class Unminable(TaskError):
    """No task can be made of the two releases; the message says why."""


@dataclass(frozen=True)
class Pair:
    """Two releases: archives, trees without junk, the tests of the newer that differ."""

    package: str
    old_version: str
    new_version: str
    old: Archive
    new: Archive
    before: Tree
    after: Tree
    tests: Mapping[str, str]

    @property
    def test_files(self) -> list[str]:
        """Test modules of the newer release."""
        return test_files(self.after)

    @property
    def texts(self) -> dict[str, str]:
        """Texts of the newer release's tests."""
        return test_texts(self.after)

    @property
    def old_texts(self) -> dict[str, str]:
        """Texts of the older release's tests, which the agent has."""
        return test_texts(self.before)

    @property
    def gold_changes(self) -> dict[str, File | None]:
        """What the newer release changes of what an agent may change, as text."""
        changes, _ = allowlist.allowed(self.before, self.after)
        return {
            path: file
            for path, file in changes.items()
            if not any(f and f.text is None for f in (file, self.before.get(path)))
        }

    @property
    def gold_patch(self) -> str:
        """The same as a unified diff."""
        changes = self.gold_changes
        old, new = (
            {path: tree[path] for path in changes if path in tree}
            for tree in (self.before, self.after)
        )
        return trees.diff(old, new)


def test_files(tree: Tree) -> list[str]:
    """Return the paths of the modules that hold tests."""
    names = ((path, path.rpartition("/")[2]) for path in tree)
    return sorted(
        path
        for path, name in names
        if name.endswith("_test.py") or (name.startswith("test_") and name.endswith(".py"))
    )


def test_texts(tree: Tree) -> dict[str, str]:
    """Return the texts of the modules that hold tests, by path."""
    return {path: tree[path].text or "" for path in test_files(tree)}


def pair(
    package: str, old: str, new: str, sha256: tuple[str | None, str | None] = (None, None)
) -> Pair:
    """Fetch two releases.

    Raises:
        TaskError: One cannot be had or is another one than its checksum says.
        Unminable: They have no tests that differ as text.
    """
    archives = [sdists.source(package, v, s) for v, s in zip((old, new), sha256, strict=True)]
    before, after = (allowlist.sources(trees.unpack_source(a.read(), a.name)) for a in archives)
    tests: dict[str, str] = {}
    for path, file in after.items():
        if allowlist.is_test(path) and before.get(path) != file:
            if file.text is None:
                raise Unminable(f"{path} differs and is no text")
            tests[path] = file.text
    if not any(allowlist.is_test(path) for path in after):
        raise Unminable(f"{archives[1].name} holds no tests")
    return Pair(package, old, new, archives[0], archives[1], before, after, tests)


def pinned(release: Tree, needs: Sequence[str], python: str) -> list[str]:
    """Return pins, with checksums, of what the tests need: pytest, `needs`, the package's own."""
    metadata = release.get("PKG-INFO")
    own = re.findall(r"^Requires-Dist: (.+)$", metadata.data.decode(), re.M) if metadata else []
    asked = ["pytest", *needs, *(line.strip() for line in own if "extra ==" not in line)]
    with tempfile.TemporaryDirectory() as folder:
        paths = index.resolved(asked, python, Path(folder))
        kept = [sdists.keep(path.name, path.read_bytes()) for path in paths]
    return sorted(_pin(archive) for archive in kept)


def _pin(archive: Archive) -> str:
    name, version = archive.name.split("-")[:2]
    # A compiled wheel is another file on another machine: the index vouches for it there.
    pure = archive.name.endswith("-none-any.whl")
    mark = f" --hash=sha256:{archive.sha256}" if pure else ""
    return f"{index.canonical(name)}=={version}{mark}"


def drafted(pair: Pair, requires: Sequence[str]) -> Instance:
    """Return the instance of a pair, but for what only runs of its tests can tell.

    Raises:
        Unminable: The releases differ in nothing that an agent could change.
    """
    patch = pair.gold_patch
    if not patch:
        raise Unminable("the two releases differ in nothing but tests and metadata")
    return Instance(
        id=f"{index.canonical(pair.package)}-{pair.old_version}-{pair.new_version}",
        source="mined",
        repo=pair.package,
        base={
            "kind": "sdist",
            "package": pair.package,
            "version": pair.old_version,
            "sha256": pair.old.sha256,
        },
        problem="",
        fail_to_pass=("not known yet",),
        pass_to_pass=(),
        gold_patch=patch,
        tests=dict(pair.tests),
        requires=tuple(requires),
        test_command="python3 -m pytest {tests}",
        log_parser=report.PLUGIN,
        seconds=SECONDS,
        meta={"fixed_by": {"version": pair.new_version, "sha256": pair.new.sha256}},
    )


def guarded(instance: Instance, decoys: Iterable[Decoy], texts: Mapping[str, str]) -> Instance:
    """Return the instance with decoys.

    Args:
        instance: Without them.
        decoys: Proved ones.
        texts: Their files as the real tests have them: files that hold a decoy are the grader's to
            write, changed by the fix or not.
    """
    put = list(decoys)
    tests = {**instance.tests, **{one.path: texts[one.path] for one in put}}
    return replace(instance, tests=tests, decoys=tuple(one.to_json() for one in put))
