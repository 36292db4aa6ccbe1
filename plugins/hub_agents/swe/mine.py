"""Proves repair tasks: which tests the fix mends and keeps, decoys for them, and that they grade.

Code of a package runs in sandboxes alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from hub.dialogue import SandboxOptions
from hub.errors import TaskError
from hub.sandbox import Sandbox, create
from hub_agents.swe import decoys as decoy
from hub_agents.swe import room, runner
from hub_agents.swe.decoys import Decoy
from hub_agents.swe.grading import Grader
from hub_agents.swe.instance import Instance
from hub_agents.swe.releases import Pair, Unminable, drafted, guarded
from hub_agents.swe.report import Report
from hub_agents.swe.runner import Broken, Changes
from hub_agents.swe.trees import File

DECOYS = 2  # of one fail-to-pass test function
GUARDED = 6  # pass-to-pass functions that get a decoy
TRIED = 4  # candidates that are tried for each of them
Say = Callable[[str], None]


@dataclass(frozen=True)
class Material:
    """What a task can be made of, before anything was run.

    Attributes:
        draft: The instance but for what runs of its tests tell.
        fix: The files that mend it, as an agent would hand them in.
        test_files: The modules that hold tests.
        texts: The texts of those, as grading writes them.
    """

    draft: Instance
    fix: Changes
    test_files: Sequence[str]
    texts: Mapping[str, str]

    @classmethod
    def of(cls, pair: Pair, requires: Sequence[str]) -> Material:
        """Return what two releases give; raises `Unminable`."""
        draft = drafted(pair, requires)
        return cls(draft, pair.gold_changes, pair.test_files, pair.texts)


def python_of(options: SandboxOptions) -> str:
    """Return the version of the sandbox's Python, as `"3.11"`."""
    with create(provider=options.provider) as sandbox:
        done = sandbox.exec(["python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"])
    if done.exit_code:
        raise TaskError(f"the image host has no python3: {done.stderr.strip()}")
    return done.stdout.strip()


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


class Miner:
    """Proves tasks.

    Args:
        options: How sandboxes are made.
        times: How often everything is tried; what is not the same each time is left out.
        say: Told what is done, for people.
    """

    def __init__(self, options: SandboxOptions, times: int, say: Say) -> None:
        self._options = options
        self._times = times
        self._say = say

    def verified(self, material: Material, problem: str = "") -> Instance:
        """Return the instance that `material` makes, proved.

        Args:
            material: What it is made of.
            problem: What the agent is asked; by default it is told how the tests fail.

        Raises:
            Unminable: There is none in it; the message says why.
            SandboxError: A sandbox failed.
        """
        draft = material.draft
        before = self._runs(material, "", "before the fix")
        after = self._runs(material, draft.gold_patch, "after the fix")
        fixed, kept = sorted_out(before, after)
        if not fixed:
            raise Unminable(_nothing(before, after, "fails before the fix and passes after it"))
        if not kept:
            raise Unminable(_nothing(before, after, "passes before and after the fix"))
        self._say(f"{len(fixed)} tests go from failing to passing, {len(kept)} pass in both")
        draft = replace(
            draft,
            fail_to_pass=tuple(fixed),
            pass_to_pass=tuple(kept),
            problem=problem or draft.problem or _problem(draft, fixed, before[0]),
        )
        draft = self._guarded(draft, material.texts)
        self._verify(draft, material.fix)
        return draft

    def _runs(self, material: Material, patch: str, when: str) -> list[Report]:
        """Run all tests as often as is asked for, each time with another order of sets."""
        draft, found = material.draft, []
        for time in range(self._times):
            self._say(f"tests {when}, {time + 1} of {self._times}")
            with runner.workshop(draft, self._options, {}, draft.tests, patch=patch) as sandbox:
                try:
                    run = runner.run(sandbox, draft, material.test_files, seed=time)
                except Broken as error:
                    raise Unminable(f"the tests {when} cannot be run: {error}") from error
            found.append(run.report)
        return found

    def _guarded(self, draft: Instance, texts: Mapping[str, str]) -> Instance:
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
        draft = replace(draft, meta={**draft.meta, "without_decoy": bare})
        return guarded(draft, found, texts)

    def _proved(
        self, bench: Bench, function: str, among: Sequence[str], wanted: int
    ) -> list[Decoy]:
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
    """Return fail-to-pass and pass-to-pass tests; what varies from run to run is neither."""
    old, new = ([_passed(run) for run in runs] for runs in (before, after))
    always = new[0].intersection(*new[1:])
    return sorted(always.difference(*old)), sorted(always.intersection(*old))


def _passed(run: Report) -> set[str]:
    return {name for name, result in run.results.items() if result.outcome == "passed"}


def _nothing(before: Sequence[Report], after: Sequence[Report], what: str) -> str:
    """Say that no test does `what`, and what stood in the way."""
    counts = [len(_passed(runs[0])) for runs in (before, after)]
    why = f"no test {what} each time ({counts[0]} pass before, {counts[1]} after)"
    for path, error in sorted({**before[0].uncollected, **after[0].uncollected}.items()):
        last = (error.strip().splitlines() or [""])[-1]
        missing = re.search(r"No module named '([\w]+)", error)
        fix = f"; if it is a test requirement give it with --need ({missing[1]})" if missing else ""
        return f"{why}; {path} cannot be collected: {last}{fix}"
    return why


def _problem(draft: Instance, fixed: Sequence[str], run: Report) -> str:
    """Describe the failing behaviour by what the failing tests see."""
    lines = []
    for test in fixed[:8]:
        result = run.results.get(test)
        error = result.error.partition("\n")[0] if result else "it cannot be collected"
        lines.append(f"- {test.rpartition('::')[2]}: {error[:200]}")
    more = len(fixed) - len(lines)
    return (
        f"{draft.repo} misbehaves. Tests that are not in the repository fail like this:\n\n"
        + "\n".join(lines)
        + (f"\n- and {more} more" if more > 0 else "")
    )


def _spread(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()
