"""Proves repair tasks: which tests the fix mends and keeps, decoys for them, and that they grade.

Code of a package runs in sandboxes alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hub.dialogue import SandboxOptions
from hub.errors import TaskError
from hub.sandbox import Sandbox, create
from hub.sandbox.images import HOST
from hub_agents.host import hidden
from hub_agents.swe import decoys as decoy
from hub_agents.swe import forms, runner, transfer
from hub_agents.swe.decoys import Decoy
from hub_agents.swe.grading import Grader
from hub_agents.swe.instance import Instance
from hub_agents.swe.releases import Pair, Unminable, drafted, guarded
from hub_agents.swe.report import Report, Result
from hub_agents.swe.runner import Broken, Changes
from hub_agents.swe.trees import File

GUARDED = 8  # pass-to-pass functions that shall get decoys
TRIED = 6  # groups of forms that are tried for each of them
Say = Callable[[str], None]


@dataclass(frozen=True)
class Material:
    """What a task can be made of, before anything was run.

    Attributes:
        draft: The instance but for what runs of its tests tell.
        fix: The files that mend it, as an agent would hand them in.
        test_files: The modules that hold tests.
        texts: The texts of those, as grading writes them.
        old: The texts that the agent has in their place.
    """

    draft: Instance
    fix: Changes
    test_files: Sequence[str]
    texts: Mapping[str, str]
    old: Mapping[str, str]

    @classmethod
    def of(cls, pair: Pair, requires: Sequence[str]) -> Material:
        """Return what two releases give; raises `Unminable`."""
        draft = drafted(pair, requires)
        return cls(draft, pair.gold_changes, pair.test_files, pair.texts, pair.old_texts)


def python_of(options: SandboxOptions) -> str:
    """Return the version of the sandbox's Python, as `"3.11"`."""
    with create(provider=options.provider, mounts=hidden(HOST)) as sandbox:
        done = sandbox.exec(["python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"])
    if done.exit_code:
        raise TaskError(f"the image host has no python3: {done.stderr.strip()}")
    return done.stdout.strip()


@dataclass
class Wanted:
    """A test function that shall get decoys.

    Attributes:
        tests: Its tests, all of which pass under the real fix.
        all: All tests of the function, in the order in which they run.
        left: Groups of forms that were not tried.
        proved: Forms that come out as they should.
    """

    tests: Sequence[str]
    all: Sequence[str]
    left: list[list[Decoy]]
    proved: list[Decoy] = field(default_factory=list)

    @property
    def open(self) -> bool:
        """Whether there are tests without a form, and groups that may give them one."""
        covered = {test for one in self.proved for test, _ in one.tests}
        return bool(self.left) and not covered.issuperset(self.tests)

    def named(self, report: Report, function: str) -> dict[str, str]:
        """Return what its tests are called in a run of a form: names hold the parameters."""
        shown = [name for name in report.results if decoy.function_of(name) == function]
        return dict(zip(self.all, shown, strict=True)) if len(shown) == len(self.all) else {}

    def take(self, group: Sequence[Decoy], reports: Sequence[Report | None]) -> None:
        """Keep a group of forms for the tests that each of them makes come out as it should."""
        covered = {test for one in self.proved for test, _ in one.tests}
        good, names = set(self.tests) - covered, []
        for one, report in zip(group, reports, strict=True):
            named = self.named(report, one.function) if report else {}
            names.append(named)
            good &= {
                t for t, name in named.items() if report and _proves(one, report.results[name])
            }
        if good:
            kept = [test for test in self.tests if test in good]
            for one, named in zip(group, names, strict=True):
                self.proved.append(replace(one, tests=tuple((t, named[t]) for t in kept)))


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
        draft = replace(draft, fail_to_pass=tuple(fixed), pass_to_pass=tuple(kept))
        draft = self._guarded(draft, material, list(after[0].results))
        asked = problem or draft.problem or _problem(draft, draft.fail_to_pass, before[0])
        draft = replace(draft, problem=asked)
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

    def _guarded(self, draft: Instance, material: Material, order: Sequence[str]) -> Instance:
        """Return the instance with forms of its tests, each proved under the real fix."""
        texts, old = material.texts, material.old
        fixed = list(dict.fromkeys(map(decoy.function_of, draft.fail_to_pass)))
        near = {name.partition("::")[0] for name in fixed}
        # Beside the fail-to-pass tests first, so that few files are run; else spread evenly.
        kept = sorted(
            set(map(decoy.function_of, draft.pass_to_pass)) - set(fixed),
            key=lambda f: (f.partition("::")[0] not in near, _spread(f)),
        )
        wanted = [
            _wanted(function, tests, order, texts, old, draft.gold_patch)
            for functions, tests in (
                (fixed, draft.fail_to_pass),
                (kept[:GUARDED], draft.pass_to_pass),
            )
            for function in functions
        ]
        self._prove(draft, wanted, texts)
        found = [one for each in wanted for one in each.proved]
        told = told_apart(draft, found)
        bare = told.meta["without_decoy"]
        self._say(f"{len(found)} decoys; {len(bare)} functions without one are not asked for")
        return guarded(told, found, texts)

    def _prove(self, draft: Instance, wanted: Sequence[Wanted], texts: Mapping[str, str]) -> None:
        """Try the next group of every function at once, until there are enough or none."""
        with runner.workshop(
            draft, self._options, {}, draft.tests, runs=4 * TRIED, patch=draft.gold_patch
        ) as sandbox:
            while trial := [each for each in wanted if each.open]:
                groups = [each.left.pop(0) for each in trial]
                reports = [
                    self._tried(sandbox, draft, [g[at] for g in groups if at < len(g)], texts)
                    for at in range(max(map(len, groups)))
                ]
                for each, group in zip(trial, groups, strict=True):
                    each.take(group, reports[: len(group)])

    def _tried(
        self, sandbox: Sandbox, draft: Instance, put: Sequence[Decoy], texts: Mapping[str, str]
    ) -> Report | None:
        """Run the files of forms; None where that gives no report."""
        files = decoy.overlaid({one.path: texts[one.path] for one in put}, put)
        placed = {path: File(text.encode()) for path, text in files.items()}
        transfer.place(sandbox, {draft.workdir: placed})
        try:
            return runner.run(sandbox, draft, sorted(files)).report
        except Broken:
            return None

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


def told_apart(draft: Instance, found: Sequence[Decoy]) -> Instance:
    """Return the instance with those fail-to-pass tests alone that decoys hold to account.

    Code under test makes any other pass by saying so. `meta["without_decoy"]` names the functions
    of the tests that are left out.

    Raises:
        Unminable: None is left.
    """
    covered = decoy.accountable(found)
    left = tuple(test for test in draft.fail_to_pass if test in covered)
    bare = sorted({decoy.function_of(test) for test in draft.fail_to_pass if test not in covered})
    if not left:
        raise Unminable(
            f"no decoy can be made of {', '.join(bare)}, so that code which makes every test pass "
            "would score: expected a fail-to-pass test with an expectation that can be changed"
        )
    return replace(draft, fail_to_pass=left, meta={**draft.meta, "without_decoy": bare})


def _proves(one: Decoy, result: Result) -> bool:
    """Tell whether a test came out as its form says, and failed by what the form has changed."""
    if one.holds:
        return result.outcome == "passed"
    # Where another exception is expected, the right one ends the test.
    return result.asserted or (one.kind == "raises" and result.outcome == "failed")


def _wanted(
    function: str,
    tests: Sequence[str],
    order: Sequence[str],
    texts: Mapping[str, str],
    old: Mapping[str, str],
    key: str,
) -> Wanted:
    own = [test for test in tests if decoy.function_of(test) == function]
    everything = [test for test in order if decoy.function_of(test) == function]
    path = function.partition("::")[0]
    found = forms.candidates(function, texts.get(path, ""), old.get(path, ""), key)
    return Wanted(own, everything, found[:TRIED])


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
