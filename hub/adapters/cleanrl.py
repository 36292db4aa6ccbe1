"""Infos as Gymnasium 0.29 gave them, for training loops of that time (CleanRL)."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv, VectorWrapper

from hub.adapters.modes import require_same_step
from hub.infos import final_transition


class ListInfos(VectorWrapper):
    """Gives ended episodes as lists over lanes; see `list_infos`."""

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Step every lane; `infos` is laid out as in Gymnasium 0.29."""
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        ended = np.logical_or(terminations, truncations)
        if ended.any():
            infos = self._as_lists(infos, ended)
        return observations, rewards, terminations, truncations, infos

    def _as_lists(self, infos: dict[str, Any], ended: Any) -> dict[str, Any]:
        moved = ("final_obs", "final_info", "episode")
        kept = {key: value for key, value in infos.items() if key.removeprefix("_") not in moved}
        observations = np.full(self.num_envs, None, dtype=object)
        last = np.full(self.num_envs, None, dtype=object)
        for lane in np.flatnonzero(ended):
            observations[lane], last[lane] = final_transition(infos, int(lane))
        kept.update(final_observation=observations, _final_observation=ended)
        kept.update(final_info=last, _final_info=ended.copy())
        return kept


def list_infos(env: VectorEnv[Any, Any, Any]) -> ListInfos:
    """Return `env` with ended episodes in the layout of Gymnasium 0.29.

    In the step that ends an episode, `infos["final_observation"]` and `infos["final_info"]` are
    object arrays over lanes, None where no episode ended, and
    `infos["final_info"][lane]["episode"]` holds `r`, `l` and `t` when the environment is wrapped
    in `gymnasium.wrappers.vector.RecordEpisodeStatistics`. So a loop written for 0.29, such as
    CleanRL's, logs every episode and bootstraps from the right observation.

    Args:
        env: A vector environment under SAME_STEP autoreset, which 0.29 had.

    Raises:
        ValueError: Its autoreset mode is another one; the message has the fix.
    """
    require_same_step(env, "a loop written for Gymnasium 0.29")
    return ListInfos(env)
