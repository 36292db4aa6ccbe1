"""Grades changes of a repository by hidden tests, in fresh sandboxes, with the verdict outside.

A process that runs tests has loaded the changed code, so nothing that it says is believed as such.
Each fail-to-pass test runs in several sandboxes, in a process of its own, in another form in each
(`hub_agents.swe.forms`): in two forms it must pass, in two it must fail. What turn a form has
differs from test to test, and no sandbox ever holds two forms of one test, so code under test can
compare nothing. The pass-to-pass tests run together, with forms among them. The sandbox's first
process, which no command can reach, hands out exit statuses; reports are read on the host.

What remains: code under test shares a process with the tests, and can forge each report. To score
it has to tell forms that hold from those that do not by the test's text, which means to know the
right answer to what the test asks:

- A forger who guesses is right in one of 16 for each test function that has four forms. The forms
  of an instance are always the same, so one who may try again and again learns from the reward.
- An adversary that can derive the right answers from the hidden test, without mending the code,
  scores.
- Where the wrong value looks unlike the right one to a reader (an exception of the package among
  builtin ones), a reader has better odds than one of 16.

`hub_agents.swe.recognise` measures eight recognisers on the catalogue: each tells half of the forms
of an instance, as a coin does, but for 5 and 6 of 8 of h11, where one of two functions is told by
its exceptions. None tells all forms of an instance.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hub.dialogue import Grade, SandboxOptions
from hub.errors import SandboxError
from hub.trajectory import Outcome
from hub_agents.swe import decoys as decoy
from hub_agents.swe import logged, report, runner
from hub_agents.swe.decoys import Decoy
from hub_agents.swe.instance import Instance
from hub_agents.swe.runner import Broken, Changes, Run


@dataclass(frozen=True)
class Round:
    """What runs in one sandbox.

    Attributes:
        overlay: Hidden files.
        real: Tests that have to pass there.
        false: Tests that are decoys there and have to fail.
        apart: Each test in a process of its own; else all files in one.
        names: What tests are called there, where their forms have another name.
        asked: Tests of `real` that ask there for what their authors do.
    """

    overlay: Mapping[str, str]
    real: tuple[str, ...]
    false: tuple[str, ...]
    apart: bool
    names: Mapping[str, str] = field(default_factory=dict)
    asked: frozenset[str] = frozenset()

    def name(self, test: str) -> str:
        """Return what a test is called there."""
        return self.names.get(test, test)


@dataclass
class Tally:
    """What was found so far.

    Attributes:
        passed: Tests that passed in the form that asks for what their authors do.
        failed: Tests that failed in a form that holds, with the reason.
        forged: Tests that passed in a form that cannot hold.
    """

    passed: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    forged: set[str] = field(default_factory=set)

    def add(self, run: Run, names: Sequence[str], one: Round) -> None:
        """Take in what a process of round `one` claims of its tests."""
        for name in names:
            # Together, some tests fail on purpose, so the exit status says nothing of one.
            shown = one.name(name)
            passed = run.passed(shown) if one.apart else run.claims(shown)
            if name in one.false:
                if passed:
                    self.forged.add(name)
            elif not passed:
                self.failed[name] = run.error(shown)
            elif name in one.asked:
                self.passed.add(name)


def rounds(instance: Instance) -> list[Round]:
    """Return the sandboxes of one grading; equal instances give equal ones."""
    by_function: dict[str, list[Decoy]] = {}
    for one in map(Decoy.from_json, instance.decoys):
        by_function.setdefault(one.function, []).append(one)
    wanted = {decoy.function_of(test) for test in instance.fail_to_pass}
    count = max(1, *(len(by_function.get(name, ())) for name in wanted))
    apart = [_apart(instance, by_function, number, count) for number in range(count)]
    apart.sort(key=lambda one: len(one.real), reverse=True)  # the first one tells most
    halves = (0, 1) if instance.pass_to_pass else ()
    together = [_together(instance, by_function, half) for half in halves]
    # Without decoys the halves are the same.
    found = [*apart, *(together if any(one.names for one in together) else together[:1])]
    return [one for one in found if one.real or one.false]


def _apart(
    instance: Instance, by_function: Mapping[str, Sequence[Decoy]], number: int, count: int
) -> Round:
    """Return round `number` of the fail-to-pass tests, each in the form whose turn it is.

    What turn a form has hangs on a hash of the fix, which the agent does not have.
    """
    put: list[Decoy] = []
    bare = [t for t in instance.fail_to_pass if not _forms(by_function, t)]
    for function in dict.fromkeys(map(decoy.function_of, instance.fail_to_pass)):
        own = by_function.get(function, ())
        turn = (number + _number(instance.gold_patch + function)) % count
        put.extend(own[turn : turn + 1])
    return _round(instance, put, instance.fail_to_pass, bare if number == 0 else [], apart=True)


def _forms(by_function: Mapping[str, Sequence[Decoy]], test: str) -> list[Decoy]:
    own = by_function.get(decoy.function_of(test), ())
    return [one for one in own if test in dict(one.tests)]


def _together(instance: Instance, by_function: Mapping[str, Sequence[Decoy]], half: int) -> Round:
    """Return the round of the pass-to-pass tests in which this half of their forms holds."""
    kept = set(instance.pass_to_pass)
    put = []
    for at, own in enumerate(by_function.values()):
        mine = [one for one in own if kept & set(dict(one.tests))]
        put.extend([one for one in mine if one.holds == (at % 2 == half)][:1])
    changed = {one.function for one in put}
    rest = [t for t in instance.pass_to_pass if decoy.function_of(t) not in changed]
    # In the other rows of a changed function stand other names: those tests run beside its forms.
    left = [
        t for one in put for t in instance.pass_to_pass
        if decoy.function_of(t) == one.function and t not in dict(one.tests)
    ]  # fmt: skip
    return _round(instance, put, instance.pass_to_pass, [*rest, *left], apart=False)


def _round(
    instance: Instance,
    put: Sequence[Decoy],
    tests: Sequence[str],
    bare: Sequence[str],
    apart: bool,
) -> Round:
    """Return a round of forms, and of tests that stand there as they are."""
    names = {t: name for one in put for t, name in one.tests if t in tests}
    holds = {t: one.holds for one in put for t, _ in one.tests if t in tests}
    asked = {t for one in put for t, _ in one.tests if one.says == decoy.RIGHT}
    real = [t for t in tests if holds.get(t)]
    return Round(
        decoy.overlaid(instance.tests, put),
        (*real, *bare),
        tuple(t for t in tests if holds.get(t) is False),
        apart,
        names,
        frozenset({*bare, *(t for t in real if t in asked)}),
    )


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


class Grader:
    """Grades changes: by decoys where the instance is one of ours, else by its log.

    Args:
        options: How sandboxes are made; their network is always off.
    """

    def __init__(self, options: SandboxOptions) -> None:
        self._options = replace(options, network=False)

    def grade(self, instance: Instance, changes: Changes) -> Grade:
        """Grade; 1.0 when every test passes and no decoy does.

        A run that breaks off may have been ended by anything, so the changes are graded once more
        from scratch. Those that end that run too are the agent's failure when the real fix and no
        change grade cleanly right after it, and ours otherwise.
        """
        for _ in range(2):
            try:
                return self._judged(instance, changes)
            except (Broken, SandboxError) as error:
                if isinstance(error, SandboxError) and runner.is_ours(error):
                    raise
                what = str(error)
        return self._blamed(instance, what)

    def _blamed(self, instance: Instance, what: str) -> Grade:
        try:
            empty = self._judged(instance, {}).reward == 0.0
            gold = self._fixed(instance)
        except (Broken, SandboxError) as error:
            empty, what = False, f"{what}; the control failed too: {error}"
        clean = empty and gold
        outcome = Outcome.AGENT_ERROR if clean else Outcome.INFRA_ERROR
        return Grade(None, outcome=outcome, reason=f"the changes broke their run: {what}")

    def _fixed(self, instance: Instance) -> bool:
        """Grade the real fix; an instance without one has no such control."""
        if not instance.gold_patch:
            return True
        return self._judged(instance, {}, instance.gold_patch).reward == 1.0

    def _judged(self, instance: Instance, changes: Changes, patch: str = "") -> Grade:
        if instance.log_parser != report.PLUGIN:
            return logged.judged(instance, self._options, changes, patch)
        tally = Tally()
        for one in rounds(instance):
            self._play(instance, changes, patch, one, tally)
            if tally.failed or tally.passed & tally.forged:
                break
        return _grade(instance, tally)

    def _play(
        self, instance: Instance, changes: Changes, patch: str, one: Round, tally: Tally
    ) -> None:
        processes = _processes(one)
        # A repository as it was fails every fail-to-pass test: the first that does is enough.
        hasty = not changes and not patch
        with runner.workshop(
            instance, self._options, changes, one.overlay, len(processes), patch
        ) as sandbox:
            for number, (words, names) in enumerate(processes):
                if number:
                    runner.renew(sandbox, instance, one.overlay)
                run = runner.run(sandbox, instance, words)
                tally.add(run, names, one)
                if hasty and tally.failed:
                    return


def _processes(one: Round) -> list[tuple[list[str], list[str]]]:
    """Return what each process is given, and the tests that it answers for."""
    names = [*one.real, *one.false]
    if one.apart:
        return [([one.name(name)], [name]) for name in names]
    return [(sorted({name.partition("::")[0] for name in names}), names)]


def _grade(instance: Instance, tally: Tally) -> Grade:
    wanted = {*instance.fail_to_pass, *instance.pass_to_pass}
    fixed = len(tally.passed & set(instance.fail_to_pass)) / len(instance.fail_to_pass)
    # Code that is merely wrong makes "not right" pass, but fails the test itself.
    forged = sorted(tally.passed & tally.forged)
    parts = {"fixed": fixed, "forged": float(bool(forged) and not tally.failed)}
    if forged and not tally.failed:
        return Grade(0.0, parts, reason=f"forged: {forged[0]} passes whatever it asks for")
    if tally.failed:
        name, why = sorted(tally.failed.items())[0]
        more = f" and {len(tally.failed) - 1} more" if len(tally.failed) > 1 else ""
        return Grade(0.0, parts, reason=f"{name} failed{more}: {why}"[:500])
    if wanted - tally.passed:
        return Grade(0.0, parts, reason=f"{len(wanted - tally.passed)} tests did not run")
    return Grade(1.0, parts, reason=f"{len(wanted)} tests passed")
