"""Advantages worked out episode by episode from their definition, for tests of both trainers."""

from __future__ import annotations

from typing import Any

import numpy as np

from hub_ppo import network


def advantages_by_definition(
    rewards: Any, values: Any, next_values: Any, ended: Any, gamma: float, gae_lambda: float
) -> Any:
    """The sum over k of (gamma lambda)^k delta, up to the end of the episode or of the batch."""
    steps, lanes = rewards.shape
    result = np.zeros((steps, lanes))
    for t in range(steps):
        for n in range(lanes):
            for k in range(t, steps):
                delta = rewards[k, n] + gamma * next_values[k, n] - values[k, n]
                result[t, n] += (gamma * gae_lambda) ** (k - t) * delta
                if ended[k, n]:
                    break
    return result


def episode_values(weights: Any, first: Any, count: int) -> Any:
    """Values of the observations `first, first + (1, 0), ...` of one clockwork episode."""
    memory = np.zeros((1, network.memory_size(weights)), np.float32)
    values = []
    for k in range(count):
        seen = np.array([[first[0] + k, first[1]]], np.float32)
        started = np.array([k == 0])
        memory, _, value = network.step(np, weights, memory, seen, started)
        values.append(value[0])
    return np.array(values)


def check_clockwork(batch: dict[str, Any], weights: Any, settings: Any, truncates: bool) -> int:
    """Compare every valid step of a batch of clockworks that began with an episode; count them.

    An episode of L steps has L + 1 observations, the last of them valued only when truncated.
    """
    checked = 0
    for lane, length in enumerate((2, 3, 5)):
        valid = np.flatnonzero(batch["valid"][:, lane])
        starts = valid[batch["observation"][valid, lane, 0] == 0]
        for start in starts:
            steps = [t for t in valid if start <= t < start + length]
            values = episode_values(weights, [0, lane / 4], len(steps) + 1)
            follow, ended = values[1:].copy(), np.zeros(len(steps), bool)
            if len(steps) == length:
                ended[-1], follow[-1] = True, values[-1] if truncates else 0
            rewards = batch["action"][steps, lane] + 1 + np.arange(len(steps))
            column = (x[:, None] for x in (rewards, values[:-1], follow, ended))
            expected = advantages_by_definition(*column, settings.gamma, settings.gae_lambda)[:, 0]
            found = batch["advantage"][steps, lane]
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
            target = batch["target"][steps, lane]
            np.testing.assert_allclose(target, expected + values[:-1], rtol=1e-4, atol=1e-5)
            checked += len(steps)
        assert len(valid) == sum(min(length, valid[-1] + 1 - s) for s in starts)
    return checked
