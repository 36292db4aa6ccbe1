"""Suite `sandbox`: starting a sandbox and running a command in one, beside what does it bare.

Starts are compared with the provider's own program and the same flags; a shell builtin with bash
on plain pipes and with polling a tmux pane. "one core" means that client and sandbox share one:
across cores the wake-up of the other one is most of the time, and says more of the machine.
"asyncio" is one coroutine that makes call after call, the turns that it leaves to others included.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

from hub.bench.isolate import isolated
from hub.bench.measure import pin
from hub.bench.peers_shell import AsyncShell, BareStart, PipedBash, TmuxPoll
from hub.bench.plan import Plan
from hub.bench.row import Row, better, quartiles
from hub.sandbox import Pool, create
from hub.sandbox.providers import providers

SUITE = "sandbox"
PROVIDERS = ("apptainer", "bubblewrap")
STARTS_GOAL = 1 / 1.15  # at most 1.15 times the bare start
POOL_GOAL_MS = 15.0
BUILTIN_GOAL_MS = 0.1
PIPES_GOAL = 0.5  # at most twice bash on pipes
TMUX_GOAL = 50.0

Once = Callable[[], float]
Many = Callable[[int], list[float]]


def run(plan: Plan) -> Iterator[Row]:
    """Measure every container provider that works here; the others become skipped rows."""
    for done, name in enumerate(PROVIDERS):
        plan.progress(name, done, len(PROVIDERS))
        reason = providers()[name].missing()
        if reason:
            yield Row(SUITE, name, "start", "ms", skipped=reason)
            continue
        yield from isolated(plan, "hub.bench.sandbox:measure", name, suite=SUITE, env_id=name)
    plan.progress("done", len(PROVIDERS), len(PROVIDERS))


def measure(plan: Plan, provider: str) -> Iterator[Row]:
    """Measure one provider in this process; what `run` calls in a fresh one."""
    everywhere = os.sched_getaffinity(0)
    yield from _starts(plan, provider)
    pin(1)
    yield from _commands(plan, provider, "one core", goals=True)
    os.sched_setaffinity(0, everywhere)
    yield from _commands(plan, provider, "unpinned", goals=False)


def _row(
    provider: str,
    case: str,
    values: Sequence[float],
    reference: str = "",
    other: float | None = None,
    goal: float | None = None,
) -> Row:
    median, low, high = quartiles(values)
    ratio = better("ms", median, other)
    return Row(
        SUITE, provider, case, "ms", median, low, high,
        reference=reference, reference_median=other, ratio=ratio, goal=goal,
    )  # fmt: skip


def interleaved(subjects: dict[str, Many], rounds: int, each: int) -> dict[str, list[float]]:
    """Return for each subject the median milliseconds of each round, subjects taking turns.

    A subject returns the seconds of each of as many calls as it is asked for.

    One round more than asked for comes first and is not counted.
    """
    medians: dict[str, list[float]] = {name: [] for name in subjects}
    for turn in range(rounds + 1):
        for name, many in subjects.items():
            values = many(each)
            if turn:
                medians[name].append(1e3 * quartiles(values)[0])
    return medians


def repeated(once: Once) -> Many:
    """Return a subject that calls `once` again and again; it returns its own seconds."""
    return lambda count: [once() for _ in range(count)]


def timed(act: Callable[[], object]) -> Many:
    """Return a subject that runs `act` again and again."""

    def once() -> float:
        begin = time.perf_counter()
        act()
        return time.perf_counter() - begin

    return repeated(once)


def _starts(plan: Plan, provider: str) -> Iterator[Row]:
    bare = BareStart(provider)

    def start() -> float:
        begin = time.perf_counter()
        sandbox = create(provider=provider)
        seconds = time.perf_counter() - begin
        sandbox.close()
        return seconds

    rounds = max(plan.rounds, 3) if plan.quick else 3 * plan.rounds
    seen = interleaved({"ours": repeated(start), "bare": repeated(bare.once)}, rounds, 1)
    other = quartiles(seen["bare"])[0]
    name = f"bare {provider}, same flags"
    yield _row(provider, name, seen["bare"])
    # Beside a start as short as bubblewrap's, the control groups and records are not small.
    goal = STARTS_GOAL if provider == "apptainer" and not plan.quick else None
    yield _row(provider, "start, ready for a command", seen["ours"], name, other, goal)
    with Pool(2, provider=provider) as pool:
        takes = [_take(pool) for _ in range(rounds)]
    yield _row(
        provider, "take from a warm pool, first command answered", takes, "15 ms", POOL_GOAL_MS, 1.0
    )


def _take(pool: Pool) -> float:
    """Milliseconds until a sandbox of a full pool is there and has answered a first command."""
    while pool.ready() < 2:
        time.sleep(0.005)
    begin = time.perf_counter()
    sandbox = pool.take()
    sandbox.shell("echo hi")
    seconds = time.perf_counter() - begin
    sandbox.close()
    return 1e3 * seconds


def _commands(plan: Plan, provider: str, where: str, goals: bool) -> Iterator[Row]:
    with ExitStack() as stack:
        sandbox = stack.enter_context(create(provider=provider))
        bash = stack.enter_context(PipedBash())
        subjects = {
            "sync": timed(lambda: sandbox.shell("echo hi")),
            "asyncio": stack.enter_context(AsyncShell(provider)).many,
            "bash": timed(lambda: bash.run("echo hi")),
        }
        seen = interleaved(subjects, plan.rounds, 50 if plan.quick else 200)
        pipes = quartiles(seen["bash"])[0]
        tmux = _tmux(plan, stack)
        held = goals and not plan.quick
        yield _row(provider, f"bash on pipes, {where}", seen["bash"])
        if tmux:
            yield _row(provider, f"tmux, polled without pause, {where}", tmux)
        else:
            yield Row(SUITE, provider, f"tmux, {where}", "ms", skipped="tmux is not on PATH")
        for name in ("sync", "asyncio"):
            case = f"shell builtin, {name}, {where}"
            yield from _against(provider, case, seen[name], pipes, tmux, held)
        for name, argv in (
            ("/bin/true", ["/bin/true"]),
            ("python3 -c pass", ["python3", "-c", ""]),
        ):
            act = timed(lambda argv=argv: sandbox.exec(argv))  # type: ignore[misc] # bound early
            values = interleaved({"exec": act}, plan.rounds, 10)["exec"]
            yield _row(provider, f"exec {name}, {where}", values)


def _against(
    provider: str,
    case: str,
    values: list[float],
    pipes: float,
    tmux: list[float] | None,
    held: bool,
) -> Iterator[Row]:
    """The rows of one way to run a builtin: one for each thing that it is compared with."""
    references = [
        ("bash on pipes", pipes, PIPES_GOAL),
        (f"{BUILTIN_GOAL_MS} ms", BUILTIN_GOAL_MS, 1.0),
    ]
    if tmux:
        references.append(("tmux", quartiles(tmux)[0], TMUX_GOAL))
    for name, other, goal in references:
        # Across cores a builtin is held to nothing: see the head of this file.
        one = f"{case}, beside {name}"
        yield _row(provider, one, values, name, other, goal if held else None)


def _tmux(plan: Plan, stack: ExitStack) -> list[float] | None:
    if not TmuxPoll.program():
        return None
    poll = stack.enter_context(TmuxPoll())
    numbers = itertools.count()
    return interleaved({"tmux": timed(lambda: poll.echo(next(numbers)))}, plan.rounds, 10)["tmux"]
