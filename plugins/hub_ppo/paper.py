"""Figures that the paper prints for its own machines; they stand beside ours and are never mixed.

Source: the paper's tables of throughput and of time shares, as the project recorded them. Its
machine: one RTX 5090 and 32 AMD Ryzen cores, JAX 0.4.39 on CUDA 12.8.
"""

from __future__ import annotations

from collections.abc import Iterator

from hub.bench import Row

MACHINE = "paper's machine (RTX 5090, 32 Ryzen cores)"

# family: (case, unit, value)
FIGURES = {
    "Pong": (
        ("PPO, C environment, GRU 2M", "steps/s", 854.0),
        ("PPO, JAX environment on the GPU, GRU 2M", "steps/s", 35.5e6),
        ("rollout alone, C environment, GRU 2M", "steps/s", 4.5e6),
        ("rollout alone, JAX environment on the GPU, GRU 2M", "steps/s", 140e6),
    ),
    "HalfCheetah": (
        ("no policy, Gymnasium, one process", "steps/s", 45e3),
        ("no policy, JAX environment on the GPU, 32K lanes", "steps/s", 1.66e6),
    ),
}
# The largest of three translated environments' shares of a PPO iteration (an emulator, two games).
SHARES = (("2M", 39.0), ("20M", 18.0), ("200M", 4.0))


def rows(suite: str, families: list[str]) -> Iterator[Row]:
    """Return the paper's figures as rows of their own, without ratios."""
    for family in families:
        for case, unit, value in FIGURES[family]:
            yield Row(suite, MACHINE, f"{family}: {case}", unit, value)
    for size, share in SHARES:
        yield Row(suite, MACHINE, f"environment, {size}, at most", "%", share)
