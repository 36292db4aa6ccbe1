"""Makes repair tasks of one release: a small bug is put in, and kept where tests tell of it.

The release is the fixed code. Its archive is fetched and unpacked, never built; its code runs in
sandboxes alone.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hub.dialogue import SandboxOptions
from hub_agents.swe import filter as allowlist
from hub_agents.swe import index, report, runner, sdists, transfer, trees
from hub_agents.swe.instance import Instance
from hub_agents.swe.mine import Material, Miner, Say
from hub_agents.swe.mutations import Mutation, applied, mutations
from hub_agents.swe.releases import SECONDS, Unminable, test_files, test_texts
from hub_agents.swe.report import Report
from hub_agents.swe.rows import files_of
from hub_agents.swe.runner import Broken
from hub_agents.swe.sdists import Archive
from hub_agents.swe.trees import File, Tree

TRIES = 40  # mutations that are tried for each instance asked for
MOST = 10  # tests that may notice a bug: each is graded in processes of its own
SHOWN = 5  # failures that the agent is told of
PATIENCE = 5.0  # a mutant's tests may take this often the time of the release's
# What is no part of the package: how it is built, documented, tried out.
_APART = {"setup.py", "docs", "doc", "examples", "example", "benchmarks", "scripts", "tools"}


@dataclass(frozen=True)
class Release:
    """One release: its archive, and its tree without junk."""

    package: str
    version: str
    archive: Archive
    tree: Tree

    @property
    def modules(self) -> list[str]:
        """Paths of the package's own modules."""
        return sorted(
            path
            for path, file in self.tree.items()
            if path.endswith(".py")
            and file.text is not None
            and not allowlist.is_test(path)
            and not _APART & set(path.split("/"))
        )


@dataclass(frozen=True)
class Mutant:
    """A module with one mutation in it."""

    path: str
    text: str
    mutation: Mutation


def release(package: str, version: str) -> Release:
    """Fetch a release.

    Raises:
        TaskError: It cannot be had.
        Unminable: It holds no tests.
    """
    archive = sdists.source(package, version)
    tree = allowlist.sources(trees.unpack_source(archive.read(), archive.name))
    if not test_files(tree):
        raise Unminable(f"{archive.name} holds no tests")
    return Release(package, version, archive, tree)


def mutants(release: Release, seed: int) -> Iterator[Mutant]:
    """Yield mutants of a release in an order that `seed` chooses, more of larger modules."""
    texts = {path: release.tree[path].text or "" for path in release.modules}
    streams = {path: mutations(text, f"{seed}:{path}") for path, text in texts.items()}
    chance = random.Random(seed)
    while streams:
        weights = [len(texts[path]) for path in streams]
        path = chance.choices(list(streams), weights)[0]
        one = next(streams[path], None)
        if one is None:
            del streams[path]
        else:
            yield Mutant(path, applied(texts[path], one), one)


def material(release: Release, mutant: Mutant, requires: Sequence[str]) -> Material:
    """Return what a mutant's task is made of."""
    fixed, broken = release.tree[mutant.path], File(mutant.text.encode())
    broken = replace(broken, executable=fixed.executable)
    one, other = {mutant.path: fixed}, {mutant.path: broken}
    mark = hashlib.sha256(broken.data).hexdigest()[:8]
    draft = Instance(
        id=f"{index.canonical(release.package)}-{release.version}-mutant-{mark}",
        source="mutated",
        repo=release.package,
        base={
            "kind": "sdist", "package": release.package, "version": release.version,
            "sha256": release.archive.sha256,
        },
        problem="",
        fail_to_pass=("not known yet",),
        pass_to_pass=(),
        gold_patch=trees.diff(other, one),
        bug_patch=trees.diff(one, other),
        requires=tuple(requires),
        test_command="python3 -m pytest {tests}",
        log_parser=report.PLUGIN,
        seconds=SECONDS,
        meta={"mutation": {"operator": mutant.mutation.operator, "path": mutant.path,
                           "line": mutant.mutation.line}},
    )  # fmt: skip
    return Material(draft, one, test_files(release.tree), test_texts(release.tree), {})


class Mutator:
    """Makes instances of releases.

    Args:
        options: How sandboxes are made.
        times: How often everything is tried for an instance that is kept.
        say: Told what is done, for people.
    """

    def __init__(self, options: SandboxOptions, times: int, say: Say) -> None:
        self._options = options
        self._miner = Miner(options, times, say)
        self._say = say

    def instances(
        self, release: Release, requires: Sequence[str], seed: int, tries: int
    ) -> Iterator[Instance]:
        """Yield verified instances, of at most `tries` mutants.

        Raises:
            Unminable: The release's own tests cannot be run, or none passes.
            SandboxError: A sandbox failed.
        """
        chosen = (one for one, _ in zip(mutants(release, seed), range(tries), strict=False))
        for mutant, symptoms in self._noticed(release, requires, chosen):
            try:
                found = self._miner.verified(material(release, mutant, requires), symptoms)
            except Unminable as error:
                self._say(f"dropped: {error}")
                continue
            # The tests that tell are in the release, but not for the agent.
            files = files_of((*found.fail_to_pass, *found.meta["without_decoy"]))
            texts = test_texts(release.tree)
            tests = {**{path: texts[path] for path in files}, **found.tests}
            yield replace(found, hidden=files, tests=tests)

    def _noticed(
        self, release: Release, requires: Sequence[str], chosen: Iterator[Mutant]
    ) -> Iterator[tuple[Mutant, str]]:
        """Yield the mutants that few tests fail and others pass, with what users see of them.

        All are tried in one sandbox, as nothing in it is hostile; what is kept is proved apart.
        """
        first = next(chosen, None)
        if first is None:
            raise Unminable(f"{release.package} {release.version} has no code to change")
        whole = material(release, first, requires)
        draft = replace(whole.draft, bug_patch="")
        with runner.workshop(draft, self._options, {}, {}, runs=TRIES) as sandbox:
            started = time.monotonic()
            try:
                before = runner.run(sandbox, draft, whole.test_files)
            except Broken as error:
                raise Unminable(f"the release's own tests cannot be run: {error}") from error
            good = _passed(before.report)
            if not good:
                raise Unminable("none of the release's own tests passes")
            took = time.monotonic() - started
            quick = replace(draft, seconds=min(SECONDS, 5.0 + PATIENCE * took))
            for mutant in _chain(first, chosen):
                transfer.change(sandbox, draft.workdir, {mutant.path: File(mutant.text.encode())})
                try:
                    after = runner.run(sandbox, quick, whole.test_files).report
                except Broken as error:
                    self._say(f"{_shown(mutant)}: {error}")
                    continue
                finally:
                    whole_again = {mutant.path: release.tree[mutant.path]}
                    transfer.change(sandbox, draft.workdir, whole_again)
                lost = good - _passed(after)
                self._say(f"{_shown(mutant)}: {len(lost)} of {len(good)} tests notice")
                if lost and lost != good and len(lost) <= MOST:
                    yield mutant, problem(release, after, sorted(lost))


def _chain(first: Mutant, rest: Iterator[Mutant]) -> Iterator[Mutant]:
    yield first
    yield from rest


def _shown(mutant: Mutant) -> str:
    return f"{mutant.path} line {mutant.mutation.line}, {mutant.mutation.operator}"


def _passed(run: Report) -> set[str]:
    return {name for name, result in run.results.items() if result.outcome == "passed"}


def problem(release: Release, after: Report, lost: Sequence[str]) -> str:
    """Describe a bug by how the tests `lost` fail, without naming them or the place.

    Lines that name a failing test are left out.
    """
    names = {part for test in lost for part in test.partition("[")[0].split("::")[1:]}
    names |= {test.partition("::")[0].rpartition("/")[2] for test in lost}
    seen: dict[str, None] = {}
    for test in lost:
        result = after.results.get(test)
        lines = (result.error if result else "").splitlines()
        told = [line.strip() for line in lines if not any(name in line for name in names)]
        text = "\n".join(line for line in told if line)
        if text:
            seen.setdefault(text)
    shown = list(seen)[:SHOWN] or ["(it fails without a message)"]
    more = f"\n\nThere are {len(seen) - SHOWN} more failures of this kind." * (len(seen) > SHOWN)
    return (
        f"Something that works in {release.package} {release.version} is broken in this copy of "
        "its sources. What goes wrong when it is used:\n\n"
        + "\n\n".join(f"```\n{text}\n```" for text in shown)
        + f"{more}\n\nFind the cause in the sources and mend it."
    )
