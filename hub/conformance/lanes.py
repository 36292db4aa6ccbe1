"""The scripted table: what a vector environment must return, from single environments.

The reference steps one single environment a lane and follows the three autoreset modes to the
letter (https://farama.org/Vector-Autoreset-Mode):

- NEXT_STEP: the step after an end ignores its action and resets: reward 0, both flags false.
- SAME_STEP: the step that ends an episode also resets; what the end returned is in `final_obs` and
  `final_info`.
- DISABLED: nothing resets by itself; `reset(options={"reset_mask": mask})` resets those lanes and
  returns the others' observations as they were.

A manual reset clears whatever was pending.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from hub.conformance.batch import VectorProbe, lane_info, rows
from hub.conformance.outcome import Finding
from hub.conformance.play import Probe, Step
from hub.conformance.snapshot import Snapshot, difference, snapshot, values

FINAL = ("final_obs", "final_info", "_final_obs", "_final_info")


@dataclass(frozen=True)
class Expected:
    """What one lane must return.

    Attributes:
        data: Snapshot of observation, reward, flags and info.
        final: Snapshot of `final_obs` and `final_info`, or None where they must be absent.
    """

    data: Snapshot
    final: Snapshot | None = None


class Lanes:
    """Single environments, stepped as a vector environment in `mode` must step them."""

    def __init__(self, probes: Sequence[Probe], mode: AutoresetMode) -> None:
        self._probes, self._mode = probes, mode
        self._last: list[Snapshot] = [{} for _ in probes]

    def reset(
        self, seed: int | None = None, mask: np.ndarray[Any, Any] | None = None
    ) -> list[Expected]:
        """Reset all lanes (lane `i` with `seed + i`), or those of `mask`."""
        expected = []
        for lane in range(len(self._probes)):
            if mask is not None and not mask[lane]:
                expected.append(Expected(dict(self._last[lane])))
                continue
            expected.append(self._reset_lane(lane, None if seed is None else seed + lane))
        return expected

    def _reset_lane(self, lane: int, seed: int | None = None) -> Expected:
        observation, info = self._probes[lane].reset(seed=seed)
        self._last[lane] = snapshot(observation, "observation")
        return Expected(self._last[lane] | snapshot(info, "info"))

    def step(self, actions: Sequence[Any]) -> list[Expected]:
        """Step every lane."""
        return [self._step_lane(lane, action) for lane, action in enumerate(actions)]

    def _step_lane(self, lane: int, action: Any) -> Expected:
        probe = self._probes[lane]
        if self._mode is AutoresetMode.NEXT_STEP and probe.done:
            begun = self._reset_lane(lane).data
            return Expected(begun | {"reward": 0.0, "terminated": False, "truncated": False})
        observation, reward, terminated, truncated, info = probe.step(action)
        self._last[lane] = snapshot(observation, "observation")
        flags = {
            "reward": float(reward),
            "terminated": bool(terminated),
            "truncated": bool(truncated),
        }
        if self._mode is AutoresetMode.SAME_STEP and probe.done:
            final = snapshot(observation, "final_obs") | snapshot(info, "final_info")
            return Expected(self._reset_lane(lane).data | flags, final)
        return Expected(self._last[lane] | snapshot(info, "info") | flags)


def require(
    probe: VectorProbe,
    result: Step | tuple[Any, dict[str, Any]],
    expected: list[Expected],
    *,
    what: str,
    seed: int,
    tolerance: float,
) -> None:
    """Raise a finding at the first lane and field in which `result` is not as expected."""
    infos = result[-1]
    shown = (*result[:-1], {key: value for key, value in infos.items() if key not in FINAL})
    for lane, (want, got) in enumerate(zip(expected, rows(probe, shown), strict=True)):
        wanted, given = values(want.data), values(got)
        wanted |= _final(want.final)
        given |= _final(_given_final(infos, lane))
        found = difference(_cast(wanted, given), given, tolerance)
        if found:
            text = f"{what}: lane {lane} should give and gives {found[1]}"
            raise Finding(text, probe.at, found[0], seed)


def _final(final: Snapshot | None) -> Snapshot:
    return {} if final is None else values(final)


def _given_final(infos: dict[str, Any], lane: int) -> Snapshot | None:
    """Return the snapshot of the lane's `final_obs` and `final_info`, or None without them."""
    own = lane_info({key: infos[key] for key in FINAL if key in infos}, lane)
    if not own:
        return None
    data: Snapshot = {}
    for name, value in own.items():
        data |= snapshot(value, name)
    return data


def _cast(wanted: Snapshot, given: Snapshot) -> Snapshot:
    """Return `wanted` in the precision of `given`: a lane's float64 may be batched as float32."""

    def cast(path: str, leaf: Any) -> Any:
        dtype = getattr(given.get(path), "dtype", None)
        number = isinstance(leaf, float | np.floating | np.ndarray)
        if dtype is None or not number or not np.issubdtype(dtype, np.floating):
            return leaf
        return np.asarray(leaf).astype(dtype)[()]

    return {path: cast(path, leaf) for path, leaf in wanted.items()}
