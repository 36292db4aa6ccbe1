"""A good vector environment, and vector environments that break one rule each.

All have the good single environment beside them. Where a fault is in what `reset` or `step` return,
the mutant corrupts what the good one returned.
"""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import TimeLimit

from tests.hub.conformance.mutants.good import Good

Batch = tuple[Any, Any, Any, Any, dict[str, Any]]


class GoodVector(SyncVectorEnv):
    """Gymnasium's own, made to take the options of a hub's vector environment."""

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int = 20,
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
        num_threads: int = 1,
        render_mode: str | None = None,
    ) -> None:
        def make() -> gymnasium.Env[Any, Any]:
            return TimeLimit(Good(render_mode), max_episode_steps)

        super().__init__([make] * num_envs, autoreset_mode=autoreset_mode)
        self.num_threads, self.pending = num_threads, np.zeros(num_envs, bool)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        self.pending[:] = False
        # A copy: Gymnasium's takes the mask out of the caller's dict.
        return super().reset(seed=seed, options=dict(options) if options else options)

    def step(self, actions: Any) -> Batch:
        before, result = self.pending.copy(), super().step(actions)
        self.pending = result[2] | result[3]
        return self.corrupt(result, before)

    def corrupt(self, result: Batch, pending: Any) -> Batch:
        """Return what `step` returns; `pending` are the lanes that had ended before it."""
        return result


class OneLaneTooMany(GoodVector):
    def __init__(self, num_envs: int = 1, **kwargs: Any) -> None:
        super().__init__(num_envs + 1, **kwargs)


class NoMode(GoodVector):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.metadata = {"render_modes": []}


class ModeInMetadataOnly(GoodVector):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.autoreset_mode

    def step(self, actions: Any) -> Batch:
        raise AssertionError("not reached")


class OneMode(GoodVector):
    def __init__(self, num_envs: int = 1, max_episode_steps: int = 20) -> None:
        super().__init__(num_envs, max_episode_steps)


class UnbatchedSpace(GoodVector):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.observation_space = self.single_observation_space


class OtherSpace(GoodVector):
    def __init__(self, num_envs: int = 1, **kwargs: Any) -> None:
        super().__init__(num_envs, **kwargs)
        self.single_observation_space = Box(-99.0, 99.0, (3,), np.float32)
        self.observation_space = Box(-99.0, 99.0, (num_envs, 3), np.float32)


class NoActionSpace(GoodVector):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.single_action_space = None


class UnbatchedObservation(GoodVector):
    def corrupt(self, result: Batch, pending: Any) -> Batch:
        return (tuple(result[0]), *result[1:])


class ColumnReward(GoodVector):
    def corrupt(self, result: Batch, pending: Any) -> Batch:
        return (result[0], result[1][:, None], *result[2:])


class FloatReward(GoodVector):
    def corrupt(self, result: Batch, pending: Any) -> Batch:
        return (result[0], result[1].astype(np.float32), *result[2:])


class NaNReward(GoodVector):
    def corrupt(self, result: Batch, pending: Any) -> Batch:
        result[1][1] = np.nan if result[2][1] else result[1][1]
        return result


class IntFlags(GoodVector):
    def corrupt(self, result: Batch, pending: Any) -> Batch:
        return (*result[:2], result[2].astype(np.int8), *result[3:])


class NoMask(GoodVector):
    def corrupt(self, result: Batch, pending: Any) -> Batch:
        del result[4]["_t"]
        return result


class OneSeedForAll(GoodVector):
    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        seed = [seed] * self.num_envs if isinstance(seed, int) else seed
        return super().reset(seed=seed, options=options)


class SeedsInPairs(GoodVector):
    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        if isinstance(seed, int):
            seed = [seed + lane // 2 for lane in range(self.num_envs)]
        return super().reset(seed=seed, options=options)


class AlikeUnseeded(GoodVector):
    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        if seed is None and not options:
            seed = [5] * self.num_envs
        return super().reset(seed=seed, options=options)


class OtherSeeds(GoodVector):
    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        if isinstance(seed, int):
            seed = [seed + 1000 * lane for lane in range(self.num_envs)]
        return super().reset(seed=seed, options=options)


class NoSeedList(GoodVector):
    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        if isinstance(seed, list):
            raise TypeError("seed must be an int")
        return super().reset(seed=seed, options=options)


class Racy(GoodVector):
    def corrupt(self, result: Batch, pending: Any) -> Batch:
        result[1][0] += np.random.default_rng().random() / 1e3
        return result


class RemembersEpisodes(GoodVector):
    resets = 0

    def reset(self, **kwargs: Any) -> Any:
        self.resets += 1
        return super().reset(**kwargs)

    def corrupt(self, result: Batch, pending: Any) -> Batch:
        result[1][2] -= self.resets / 1e3
        return result


class ThreadsMatter(GoodVector):
    def corrupt(self, result: Batch, pending: Any) -> Batch:
        result[0][-1, 0] += 1e-3 * (self.num_threads > 1)
        return result


class HandsOutBuffers(GoodVector):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.copy = False


class ReusesRewards(GoodVector):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.out = np.zeros(self.num_envs)

    def corrupt(self, result: Batch, pending: Any) -> Batch:
        self.out[:] = result[1]
        return (result[0], self.out, *result[2:])


class ChangesActions(GoodVector):
    def step(self, actions: Any) -> Batch:
        result = super().step(actions)
        actions[:] = 0
        return result


class NoLimit(GoodVector):
    def __init__(self, num_envs: int = 1, max_episode_steps: int = 20, **kwargs: Any) -> None:
        super().__init__(num_envs, 1000, **kwargs)


class ClosesOnceOnly(GoodVector):
    def close(self, **kwargs: Any) -> None:
        if self.closed:
            raise ValueError("already closed")
        super().close(**kwargs)


class OneFrame(GoodVector):
    def render(self) -> Any:
        return super().render()[:1]


# ---- Autoreset ----------------------------------------------------------------------------------


class RewardsTheReset(GoodVector):
    """NEXT_STEP: the step that resets gives a reward (as Gymnasium's functional one does)."""

    def corrupt(self, result: Batch, pending: Any) -> Batch:
        result[1][pending] = 1.0
        return result


class KeepsPending(GoodVector):
    """NEXT_STEP: a manual reset leaves the autoreset pending, so the next action is lost."""

    def reset(self, **kwargs: Any) -> Any:
        pending = self._autoreset_envs.copy()
        result = super().reset(**kwargs)
        self._autoreset_envs = pending
        return result


class ResetsAtOnce(GoodVector):
    """Says NEXT_STEP, and resets in the step that ends an episode."""

    def corrupt(self, result: Batch, pending: Any) -> Batch:
        ended = result[2] | result[3]
        for lane in np.flatnonzero(ended):
            result[0][lane] = self.envs[lane].reset()[0]
        self._autoreset_envs[:] = False
        return result


class FinalsInNextStep(GoodVector):
    def corrupt(self, result: Batch, pending: Any) -> Batch:
        ended = result[2] | result[3]
        if ended.any() and self.autoreset_mode is AutoresetMode.NEXT_STEP:
            result[4].update(final_obs=np.array(list(result[0]), object), _final_obs=ended)
        return result


class NoFinals(GoodVector):
    def corrupt(self, result: Batch, pending: Any) -> Batch:
        for key in ("final_obs", "_final_obs"):
            result[4].pop(key, None)
        return result


class NoFinalInfo(GoodVector):
    def corrupt(self, result: Batch, pending: Any) -> Batch:
        for key in ("final_info", "_final_info"):
            result[4].pop(key, None)
        return result


class FinalIsTheReset(GoodVector):
    def corrupt(self, result: Batch, pending: Any) -> Batch:
        for lane in np.flatnonzero(result[4].get("_final_obs", [])):
            result[4]["final_obs"][lane] = result[0][lane].copy()
        return result


class FinalsForAll(GoodVector):
    def corrupt(self, result: Batch, pending: Any) -> Batch:
        if "_final_obs" in result[4]:
            result[4]["_final_obs"][:] = True
        return result


class StaleFinals(GoodVector):
    """SAME_STEP: the finals of an end stay in the infos of the steps after it."""

    last: ClassVar[dict[str, Any]] = {}

    def reset(self, **kwargs: Any) -> Any:
        self.last = {}
        return super().reset(**kwargs)

    def corrupt(self, result: Batch, pending: Any) -> Batch:
        self.last = {**self.last, **{k: v for k, v in result[4].items() if "final" in k}}
        return (*result[:4], {**self.last, **result[4]})


class ResetsByItself(GoodVector):
    """Says DISABLED, and resets."""

    def corrupt(self, result: Batch, pending: Any) -> Batch:
        if self.autoreset_mode is AutoresetMode.DISABLED:
            for lane in np.flatnonzero(result[2] | result[3]):
                result[0][lane] = self.envs[lane].reset()[0]
        return result


class IgnoresMask(GoodVector):
    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=seed)


class TakesTheMask(GoodVector):
    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        result = super().reset(seed=seed, options=options)
        if options:
            options.pop("reset_mask")
        return result


class ChangesTheMask(GoodVector):
    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        result = super().reset(seed=seed, options=options)
        if options:
            options["reset_mask"][:] = False
        return result


class NeitherFlag(GoodVector):
    """Ends episodes of lane 0 without a flag, and resets it."""

    def corrupt(self, result: Batch, pending: Any) -> Batch:
        result[2][0] = result[3][0] = False
        return result


class InfoOfAnotherLane(GoodVector):
    def corrupt(self, result: Batch, pending: Any) -> Batch:
        result[4]["t"] = np.roll(result[4]["t"], 1)
        return result
