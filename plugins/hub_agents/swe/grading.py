"""Grades changes of a repository by hidden tests, in fresh sandboxes, with the verdict outside.

A process that runs tests has loaded the changed code, so nothing that it says is believed as such.
Each fail-to-pass test runs in a process of its own, in several sandboxes: in one as it is, in the
others as decoys (`hub_agents.swe.decoys`) that must fail. Which of the sandboxes holds a test as
it is differs from test to test, and no sandbox ever holds two forms of one test, so code under test
can compare nothing. The pass-to-pass tests run together, with decoys among them. The sandbox's
first process, which no command can reach, hands out exit statuses; reports are read on the host.
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
    """

    overlay: Mapping[str, str]
    real: tuple[str, ...]
    false: tuple[str, ...]
    apart: bool


@dataclass
class Tally:
    """What was found so far."""

    passed: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    forged: set[str] = field(default_factory=set)

    def add(self, run: Run, names: Sequence[str], one: Round) -> None:
        """Take in what a process of round `one` claims of its tests."""
        for name in names:
            # Together, some tests fail on purpose, so the exit status says nothing of one.
            passed = run.passed(name) if one.apart else run.claims(name)
            if name in one.false:
                if passed:
                    self.forged.add(name)
            elif passed:
                self.passed.add(name)
            else:
                self.failed[name] = run.error(name)


def rounds(instance: Instance) -> list[Round]:
    """Return the sandboxes of one grading; equal instances give equal ones."""
    by_function: dict[str, list[Decoy]] = {}
    for one in map(Decoy.from_json, instance.decoys):
        by_function.setdefault(one.function, []).append(one)
    wanted = {decoy.function_of(test) for test in instance.fail_to_pass}
    count = 1 + max(len(by_function.get(name, ())) for name in wanted)
    apart = [_apart(instance, by_function, number, count) for number in range(count)]
    apart.sort(key=lambda one: len(one.real), reverse=True)  # the first one tells most
    halves = (0, 1) if instance.pass_to_pass else ()
    together = [_together(instance, by_function, half) for half in halves]
    # Without decoys the halves are the same.
    found = [*apart, *(together if together and together[0].false else together[:1])]
    return [one for one in found if one.real or one.false]


def _apart(
    instance: Instance, by_function: Mapping[str, Sequence[Decoy]], number: int, count: int
) -> Round:
    """Return round `number` of the fail-to-pass tests, each in the form whose turn it is."""
    put: dict[str, Decoy] = {}
    real, false = [], []
    for test in instance.fail_to_pass:
        function = decoy.function_of(test)
        own = by_function.get(function, ())
        form = (number + _number(function)) % count
        if form == 0:
            real.append(test)
        elif form <= len(own) and test in own[form - 1].fails:
            put[function] = own[form - 1]
            false.append(test)
    return Round(decoy.overlaid(instance.tests, put.values()), tuple(real), tuple(false), True)


def _together(instance: Instance, by_function: Mapping[str, Sequence[Decoy]], half: int) -> Round:
    """Return the round of the pass-to-pass tests that has this half of their decoys."""
    kept = set(instance.pass_to_pass)
    firsts = [own[0] for own in by_function.values() if kept & set(own[0].fails)]
    put = firsts[half::2]
    changed = {one.function for one in put}
    false = tuple(test for one in put for test in one.fails if test in kept)
    real = tuple(t for t in instance.pass_to_pass if decoy.function_of(t) not in changed)
    return Round(decoy.overlaid(instance.tests, put), real, false, False)


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
        return [([name], [name]) for name in names]
    return [(sorted({name.partition("::")[0] for name in names}), names)]


def _grade(instance: Instance, tally: Tally) -> Grade:
    wanted = {*instance.fail_to_pass, *instance.pass_to_pass}
    fixed = len(tally.passed & set(instance.fail_to_pass)) / len(instance.fail_to_pass)
    # Code that is merely wrong can make a decoy pass, but not the test itself too.
    forged = sorted(tally.passed & tally.forged)
    parts = {"fixed": fixed, "forged": float(bool(forged))}
    if forged:
        return Grade(0.0, parts, reason=f"forged: {forged[0]} passes whatever it asks for")
    if tally.failed:
        name, why = sorted(tally.failed.items())[0]
        more = f" and {len(tally.failed) - 1} more" if len(tally.failed) > 1 else ""
        return Grade(0.0, parts, reason=f"{name} failed{more}: {why}"[:500])
    if wanted - tally.passed:
        return Grade(0.0, parts, reason=f"{len(wanted - tally.passed)} tests did not run")
    return Grade(1.0, parts, reason=f"{len(wanted)} tests passed")
