"""Suite `train`: PPO in each backend and its reference, how fast and where the time goes.

For each family of environments and each size of network, one process holds every member, and
their iterations take turns. A row in `steps/s` counts whole iterations: rollout and update. Rows
in `%` say which share of an iteration is the environment's, the transfer's and the model's. Rows
in `return` train by recipe and say what was reached. The paper's figures are rows of their own.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hub.bench import Plan, Row, better, isolated, quartiles
from hub.bench.measure import pin
from hub.fidelity import find_recipe, find_trainer
from hub_ppo import paper
from hub_ppo.members import PARTS, PUFFER, JaxMember, Member, Timed, TorchMember
from hub_ppo.settings import Settings

SUITE = "train"
# id: (trainer, recipe, reference), the reference before what is compared with it.
FAMILIES: dict[str, dict[str, tuple[str, str, str]]] = {
    "Pong": {
        "hub:native/PongPython-v0": ("ppo", "pong-python", ""),
        "hub:native/Pong-v0": ("ppo", "pong", "hub:native/PongPython-v0"),
        "hub:jax/Pong-v0": ("ppo-jax", "pong-jax", "hub:native/Pong-v0"),
    },
    "HalfCheetah": {
        "HalfCheetah-v5": ("ppo", "halfcheetah-mujoco", ""),
        "hub:jax/HalfCheetah-v0": ("ppo-jax", "halfcheetah", "HalfCheetah-v5"),
    },
}
NETWORKS = {"Pong": "gru", "HalfCheetah": "mlp"}
WIDTHS = {
    "gru": {"2M": 576, "20M": 1824, "200M": 5770},
    "mlp": {"2M": 990, "20M": 3150, "200M": 9990},
}
# size: lanes, steps, minibatches, most rounds. Large networks take seconds a sample on a CPU.
SHAPES = {"2M": (64, 16, 4, 7), "20M": (16, 8, 2, 3), "200M": (8, 2, 1, 2)}
GPU_LANES = (4_096, 32_768, 65_536)
GPU_STEPS, GPU_MINIBATCHES = 16, 16
# Weights, both moments of Adam, gradients and a working copy, for each of the two frameworks.
COPIES, FRAMEWORKS, FLOAT = 5, 2, 4
MEMORY = Path("/proc/meminfo")


def run(plan: Plan) -> Iterator[Row]:
    """Measure every family that `plan.ids` names (none: all of them)."""
    chosen = {
        family: [i for i in members if not plan.ids or i in plan.ids]
        for family, members in FAMILIES.items()
    }
    families = [family for family, ids in chosen.items() if ids]
    sizes = ("2M",) if plan.quick else tuple(SHAPES)
    for family in families:
        for size in sizes:
            job = {"family": family, "size": size, "ids": chosen[family], "gpu": False}
            yield from isolated(
                plan, "hub_ppo.suite:measure", job, suite=SUITE, env_id=f"{family} {size}"
            )
        yield from _on_gpu(plan, family, chosen[family])
        yield from _rewards(plan, family, chosen[family])
    yield from paper.rows(SUITE, families)


def measure(plan: Plan, job: dict[str, Any]) -> Iterator[Row]:
    """Time the members of one family with one size of network; runs in a fresh process."""
    if not job["gpu"]:
        pin(plan.threads)  # before the frameworks count the cores
        import torch

        torch.set_num_threads(plan.threads)
    family, size, ids = job["family"], job["size"], job["ids"]
    short = "" if job["gpu"] else _short_of_memory(size)
    if short:
        yield from (Row(SUITE, i, _case(family, size, {}), "steps/s", skipped=short) for i in ids)
        return
    settings, rounds = _settings(plan, job), min(plan.rounds, SHAPES[size][3])
    members: list[Member] = []
    try:
        for env_id in ids:
            plan.progress(f"{env_id} {size}", 0, rounds + 1)
            members.append(_member(env_id, family, settings, members))
        if family == "Pong" and not job["gpu"]:
            yield from _puffer(settings, members)
        timed = _rounds(plan, members, rounds, size)
        for member in members:
            yield from _rows(member, timed, job, settings)
    finally:
        for member in members:
            member.close()


def _settings(plan: Plan, job: dict[str, Any]) -> Settings:
    network, size = NETWORKS[job["family"]], job["size"]
    lanes, steps, minibatches, _ = SHAPES[size]
    if job["gpu"]:
        lanes, steps, minibatches = job["lanes"], GPU_STEPS, GPU_MINIBATCHES
    elif plan.lanes:
        lanes = plan.lanes[0]
    return Settings(
        lanes=lanes,
        steps=steps,
        network=network,
        hidden=WIDTHS[network][size],
        minibatches=minibatches,
        device=None if job["gpu"] else "cpu",
    )


def _member(env_id: str, family: str, settings: Settings, others: Sequence[Member]) -> Member:
    if FAMILIES[family][env_id][0] == "ppo-jax":
        return JaxMember(env_id, settings)
    shared = [other.learner for other in others if isinstance(other, TorchMember)]
    return TorchMember(env_id, settings, *shared[:1])


def _puffer(settings: Settings, members: list[Member]) -> Iterator[Row]:
    try:
        members.append(TorchMember(PUFFER, settings))
    except ImportError as error:
        case = f"{settings.network} lanes={settings.lanes}"
        yield Row(SUITE, PUFFER, case, "steps/s", skipped=str(error))


def _rounds(plan: Plan, members: Sequence[Member], rounds: int, size: str) -> dict[str, Timed]:
    """Time `rounds` iterations of each member in turns, after one that is not counted."""
    timed = {member.env_id: Timed() for member in members}
    for turn in range(rounds + 1):
        for member in members:
            plan.progress(f"{member.env_id} {size}", turn, rounds + 1)
            (timed[member.env_id] if turn else Timed()).add(member)
    return timed


def _rows(
    member: Member, timed: dict[str, Timed], job: dict[str, Any], settings: Settings
) -> Iterator[Row]:
    mine, case = timed[member.env_id], _case(job["family"], job["size"], vars(settings))
    reference = FAMILIES[job["family"]].get(member.env_id, ("", "", "hub:native/Pong-v0"))[2]
    other = quartiles(timed[reference].rates)[0] if reference in timed else None
    median, low, high = quartiles(mine.rates)
    yield Row(
        SUITE, member.env_id, case, "steps/s", median, low, high, quartiles(mine.cpu_rates)[0],
        reference=reference if other else "", reference_median=other,
        ratio=better("steps/s", median, other),
    )  # fmt: skip
    for part in PARTS:
        median, low, high = quartiles(mine.shares[part])
        yield Row(SUITE, member.env_id, f"{part}, {case}", "%", median, low, high)
    if job["gpu"]:
        peak = member.peak_bytes() / 2**20
        yield Row(SUITE, member.env_id, f"peak GPU memory, {case}", "MiB", peak)


def _case(family: str, size: str, settings: dict[str, Any]) -> str:
    shape = f" steps={settings['steps']} lanes={settings['lanes']}" if settings else ""
    return f"{NETWORKS[family]} {size}{shape}"


def _short_of_memory(size: str) -> str:
    """Say why a network of this size does not fit, or nothing."""
    needed = 1e6 * float(size.removesuffix("M")) * FLOAT * COPIES * FRAMEWORKS
    lines = MEMORY.read_text().splitlines() if MEMORY.exists() else []  # unknown elsewhere
    free = [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    if not free or needed < free[0]:
        return ""
    return f"needs {needed / 2**30:.1f} GiB of memory, {free[0] / 2**30:.1f} are free"


def _on_gpu(plan: Plan, family: str, ids: list[str]) -> Iterator[Row]:
    """The paper's batches where there is a GPU; rows that say so where there is none."""
    missing = _no_gpu()
    if missing:
        for env_id in ids:
            for lanes in GPU_LANES:
                case = f"{NETWORKS[family]} 2M on GPU lanes={lanes}"
                yield Row(SUITE, env_id, case, "steps/s", skipped=missing)
        return
    for lanes in GPU_LANES:
        job = {"family": family, "size": "2M", "ids": ids, "gpu": True, "lanes": lanes}
        yield from isolated(
            plan, "hub_ppo.suite:measure", job, suite=SUITE, env_id=f"{family} on GPU {lanes}"
        )


def _no_gpu() -> str:
    import torch

    return "" if torch.cuda.is_available() else "no GPU here"


def _rewards(plan: Plan, family: str, ids: list[str]) -> Iterator[Row]:
    """Train by recipe: the return reached, and the seconds it took."""
    seconds: dict[str, float] = {}
    for env_id in ids:
        recipe = FAMILIES[family][env_id][1]
        if plan.quick:
            case, why = f"recipe {recipe}", "takes minutes; left out by --quick"
            yield Row(SUITE, env_id, case, "return", skipped=why)
            continue
        job = {"recipe": recipe, "reference": FAMILIES[family][env_id][2], "seconds": seconds}
        for row in isolated(plan, "hub_ppo.suite:train", job, suite=SUITE, env_id=env_id):
            if row.unit == "s" and row.median:
                seconds[env_id] = row.median
            yield row


def train(plan: Plan, job: dict[str, Any]) -> Iterator[Row]:
    """Train by one recipe; runs in a fresh process."""
    pin(plan.threads)
    recipe, case = find_recipe(job["recipe"]), f"recipe {job['recipe']}"
    trainer, begin = find_trainer(recipe.trainer), time.perf_counter()

    def progress(point: Any) -> None:
        plan.progress(f"{recipe.env_id} {case}", min(point.steps, recipe.budget), recipe.budget)

    with tempfile.TemporaryDirectory() as folder:
        trained = trainer.train(
            recipe.env_id, seed=0, budget=recipe.budget, out=Path(folder), progress=progress,
            **recipe.options,
        )  # fmt: skip
    taken = time.perf_counter() - begin
    other = job["seconds"].get(job["reference"])
    case += f", {recipe.budget:,} steps"
    yield Row(SUITE, recipe.env_id, case, "return", trained.final_return)
    yield Row(
        SUITE, recipe.env_id, case, "s", taken, taken, taken,
        reference=job["reference"] if other else "", reference_median=other,
        ratio=better("s", taken, other),
    )  # fmt: skip
