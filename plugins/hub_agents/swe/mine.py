"""Mines a repair task from two releases: what the newer one mends is the bug of the older.

Both archives are fetched and unpacked, never built; their code runs in sandboxes alone.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from hub.dialogue import SandboxOptions
from hub.errors import TaskError
from hub.sandbox import Sandbox, create
from hub_agents.swe import decoys as decoy
from hub_agents.swe import filter as allowlist
from hub_agents.swe import index, report, room, runner, sdists, trees
from hub_agents.swe.decoys import Decoy
from hub_agents.swe.grading import Changes, Grader
from hub_agents.swe.instance import Instance
from hub_agents.swe.report import Report
from hub_agents.swe.runner import Broken
from hub_agents.swe.sdists import Archive
from hub_agents.swe.trees import File, Tree

DECOYS = 2  # of one fail-to-pass test function
GUARDED = 6  # pass-to-pass functions that get a decoy
TRIED = 4  # candidates that are tried for each of them
SECONDS = 120.0  # of one run of the tests
Say = Callable[[str], None]


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
        names = ((path, path.rpartition("/")[2]) for path in self.after)
        return sorted(
            path
            for path, name in names
            if name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))
        )

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


def pair(
    package: str, old: str, new: str, sha256: tuple[str | None, str | None] = (None, None)
) -> Pair:
    """Fetch two releases.

    Raises:
        TaskError: One cannot be had or is another one than its checksum says.
        Unminable: They have no tests that differ as text.
    """
    archives = [sdists.source(package, v, s) for v, s in zip((old, new), sha256, strict=True)]
    before, after = (
        allowlist.sources(trees.unpack_source(a.read(), a.name)) for a in archives
    )
    tests: dict[str, str] = {}
    for path, file in after.items():
        if allowlist.is_test(path) and before.get(path) != file:
            if file.text is None:
                raise Unminable(f"{path} differs and is no text")
            tests[path] = file.text
    if not any(allowlist.is_test(path) for path in after):
        raise Unminable(f"{archives[1].name} holds no tests")
    return Pair(package, old, new, archives[0], archives[1], before, after, tests)


def python_of(options: SandboxOptions) -> str:
    """Return the version of the sandbox's Python, as `"3.11"`."""
    with create(provider=options.provider) as sandbox:
        done = sandbox.exec(["python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"])
    if done.exit_code:
        raise TaskError(f"the image host has no python3: {done.stderr.strip()}")
    return done.stdout.strip()


def pinned(pair: Pair, needs: Sequence[str], python: str) -> list[str]:
    """Return pins, with checksums, of what the tests need: pytest, `needs`, the package's own."""
    metadata = pair.after.get("PKG-INFO")
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


@dataclass(frozen=True)
class Bench:
    """A sandbox with the fixed repository, in which forms of its tests are tried.

    Attributes:
        texts: The real test files.
    """

    sandbox: Sandbox
    instance: Instance
    texts: Mapping[str, str]

    def fails(self, one: Decoy, tests: Sequence[str]) -> list[str]:
        """Return those of `tests` that fail by an assertion with the decoy in place."""
        self._put(one.path, decoy.edited(self.texts[one.path], [one]))
        try:
            results = runner.run(self.sandbox, self.instance, list(tests)).report.results
        except Broken:
            results = {}
        self._put(one.path, self.texts[one.path])
        return [test for test in tests if test in results and results[test].asserted]

    def _put(self, path: str, text: str) -> None:
        room.place(self.sandbox, {self.instance.workdir: {path: File(text.encode())}})


def drafted(pair: Pair, requires: Sequence[str], decoys: Sequence[Decoy] = ()) -> Instance:
    """Return the instance of a pair, but for what only runs of its tests can tell.

    Raises:
        Unminable: The releases differ in nothing that an agent could change.
    """
    patch = pair.gold_patch
    if not patch:
        raise Unminable("the two releases differ in nothing but tests and metadata")
    # Hidden files that hold a decoy must be the grader's to write, changed or not.
    texts = {one.path: pair.after[one.path].text or "" for one in decoys}
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
        tests={**pair.tests, **texts},
        decoys=tuple(one.to_json() for one in decoys),
        requires=tuple(requires),
        test_command="python3 -m pytest {tests}",
        log_parser=report.PLUGIN,
        seconds=SECONDS,
        meta={"fixed_by": {"version": pair.new_version, "sha256": pair.new.sha256}},
    )


class Miner:
    """Mines one pair.

    Args:
        options: How sandboxes are made.
        times: How often everything is tried; what is not the same each time is left out.
        say: Told what is done, for people.
    """

    def __init__(self, options: SandboxOptions, times: int, say: Say) -> None:
        self._options = options
        self._times = times
        self._say = say

    def mine(self, pair: Pair, requires: Sequence[str], problem: str = "") -> Instance:
        """Return the verified instance.

        Raises:
            Unminable: There is none in it; the message says why.
            SandboxError: A sandbox failed.
        """
        draft = drafted(pair, requires)
        before = self._runs(draft, pair, "", "before the fix")
        after = self._runs(draft, pair, draft.gold_patch, "after the fix")
        fixed, kept = sorted_out(before, after)
        if not fixed:
            raise Unminable(_nothing(before, after, "fails before the fix and passes after it"))
        if not kept:
            raise Unminable(_nothing(before, after, "passes before and after the fix"))
        self._say(f"{len(fixed)} tests go from failing to passing, {len(kept)} pass in both")
        draft = replace(draft, fail_to_pass=tuple(fixed), pass_to_pass=tuple(kept))
        draft = self._guarded(draft, pair)
        draft = replace(draft, problem=problem or _problem(draft, pair, before[0]))
        self._verify(draft, pair.gold_changes)
        return draft

    def _runs(self, draft: Instance, pair: Pair, patch: str, when: str) -> list[Report]:
        """Run all tests as often as is asked for, each time with another order of sets."""
        found = []
        for time in range(self._times):
            self._say(f"tests {when}, {time + 1} of {self._times}")
            with runner.workshop(
                draft, self._options, {}, pair.tests, patch=patch
            ) as sandbox:
                try:
                    run = runner.run(sandbox, draft, pair.test_files, seed=time)
                except Broken as error:
                    raise Unminable(f"the tests {when} cannot be run: {error}") from error
            found.append(run.report)
        return found

    def _guarded(self, draft: Instance, pair: Pair) -> Instance:
        """Return the instance with decoys, each proved to fail under the real fix."""
        fixed = list(dict.fromkeys(map(decoy.function_of, draft.fail_to_pass)))
        changed = [t for t in draft.pass_to_pass if decoy.function_of(t) not in fixed]
        # In the files of the fail-to-pass tests first; what is looked at is spread evenly.
        near = {name.partition("::")[0] for name in fixed}
        functions = sorted(
            dict.fromkeys(map(decoy.function_of, changed)),
            key=lambda f: (f.partition("::")[0] not in near, _spread(f)),
        )
        found: list[Decoy] = []
        texts = {path: file.text or "" for path, file in pair.after.items()}
        with self._bench(draft, texts) as bench:
            for function in fixed:
                found += self._proved(bench, function, draft.fail_to_pass, DECOYS)
            guards = 0
            for function in functions[: 2 * GUARDED]:
                if guards < GUARDED:
                    proved = self._proved(bench, function, draft.pass_to_pass, 1)
                    found += proved
                    guards += len(proved)
        bare = sorted(set(fixed) - {one.function for one in found})
        self._say(f"{len(found)} decoys; {len(bare)} fail-to-pass functions have none")
        whole = drafted(pair, draft.requires, found)
        meta = {**draft.meta, "without_decoy": bare}
        return replace(draft, decoys=whole.decoys, tests=whole.tests, meta=meta)

    def _proved(self, bench: Bench, function: str, among: Sequence[str], wanted: int) -> list[Decoy]:
        tests = [test for test in among if decoy.function_of(test) == function]
        path = function.partition("::")[0]
        proved: list[Decoy] = []
        for one in _varied(decoy.candidates(function, bench.texts[path]))[:TRIED]:
            fails = bench.fails(one, tests)
            if fails:
                proved.append(replace(one, fails=tuple(fails)))
            if len(proved) == wanted:
                break
        return proved

    @contextmanager
    def _bench(self, draft: Instance, texts: Mapping[str, str]) -> Iterator[Bench]:
        """Give one sandbox for many forms of the tests: the real fix is trusted."""
        with runner.workshop(
            draft, self._options, {}, draft.tests, runs=20, patch=draft.gold_patch
        ) as sandbox:
            yield Bench(sandbox, draft, texts)

    def _verify(self, instance: Instance, fix: Changes) -> None:
        """Grade the fix and no change, each as often as is asked for."""
        grader = Grader(self._options)
        trials: tuple[tuple[str, Changes, float], ...]
        trials = (("the fix", fix, 1.0), ("no change", {}, 0.0))
        for what, changes, wanted in trials:
            for time in range(self._times):
                self._say(f"grading {what}, {time + 1} of {self._times}")
                grade = grader.grade(instance, changes)
                if grade.reward != wanted:
                    raise Unminable(
                        f"{what} scores {grade.reward}, expected {wanted}: {grade.reason}"
                    )


def _varied(candidates: list[Decoy]) -> list[Decoy]:
    """Return candidates with the kinds in turn, so that a test gets one of each."""
    kinds = [[d for d in candidates if d.kind == kind] for kind in ("value", "turned")]
    longest = max(map(len, kinds), default=0)
    return [kind[at] for at in range(longest) for kind in kinds if at < len(kind)]


def sorted_out(before: Sequence[Report], after: Sequence[Report]) -> tuple[list[str], list[str]]:
    """Return fail-to-pass and pass-to-pass tests, sorted; what varies from run to run is neither."""
    passed = [[{n for n, r in run.results.items() if r.outcome == "passed"} for run in runs]
              for runs in (before, after)]  # fmt: skip
    always_after = set.intersection(*passed[1])
    return (
        sorted(always_after - set.union(*passed[0])),
        sorted(always_after & set.intersection(*passed[0])),
    )


def _nothing(before: Sequence[Report], after: Sequence[Report], what: str) -> str:
    """Say that no test does `what`, and what stood in the way."""
    counts = [sum(r.outcome == "passed" for r in runs[0].results.values())
              for runs in (before, after)]  # fmt: skip
    why = f"no test {what} each time ({counts[0]} pass before, {counts[1]} after)"
    for path, error in sorted({**before[0].uncollected, **after[0].uncollected}.items()):
        last = (error.strip().splitlines() or [""])[-1]
        missing = re.search(r"No module named '([\w]+)", error)
        fix = f"; if it is a test requirement give it with --need ({missing[1]})" if missing else ""
        return f"{why}; {path} cannot be collected: {last}{fix}"
    return why


def _problem(draft: Instance, pair: Pair, run: Report) -> str:
    """Describe the failing behaviour by what the failing tests see."""
    lines = []
    for test in draft.fail_to_pass[:8]:
        result = run.results.get(test)
        error = result.error.partition("\n")[0] if result else "it cannot be collected"
        lines.append(f"- {test.rpartition('::')[2]}: {error[:200]}")
    more = len(draft.fail_to_pass) - len(lines)
    return (
        f"{pair.package} {draft.base['version']} misbehaves. Tests of its next release that are "
        "not in the repository fail like this:\n\n"
        + "\n".join(lines)
        + (f"\n- and {more} more" if more > 0 else "")
    )


def _spread(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()
