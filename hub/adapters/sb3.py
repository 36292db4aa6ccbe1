"""A Gymnasium vector environment as a `VecEnv` of Stable-Baselines3."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv
from stable_baselines3.common.vec_env import VecEnv

from hub.adapters.modes import require_same_step
from hub.infos import final_transition, lane_info, reset_info


class HubVecEnv(VecEnv):  # type: ignore[misc]  # Stable-Baselines3 is taken as Any
    """All lanes of one vector environment; see `as_vec_env`."""

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        self.env = env
        # Stable-Baselines3 keeps what it is given until the next step.
        self._copies = not getattr(env.unwrapped, "copy", True)
        self._actions: Any = None
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def reset(self) -> Any:
        """Start an episode in every lane, with the seeds and options set before."""
        # Its seeds are seed + lane, which is what one seed means to a vector environment.
        options = self._options[0] or None
        observations, infos = self.env.reset(seed=self._seeds[0], options=options)
        self.reset_infos = [lane_info(infos, lane) for lane in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        return self._own(observations)

    def step_async(self, actions: Any) -> None:
        """Take the actions of all lanes."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """Step every lane; ended lanes have `terminal_observation` in their info."""
        observations, rewards, terminations, truncations, infos = self.env.step(self._actions)
        dones = np.logical_or(terminations, truncations)
        listed = (
            [reset_info(infos, lane) for lane in range(self.num_envs)]
            if infos
            else ([{} for _ in range(self.num_envs)])
        )
        for lane in np.flatnonzero(dones):
            last = final_transition(infos, int(lane))
            self.reset_infos[lane] = listed[lane]
            listed[lane] = {
                **last.info,
                "terminal_observation": last.observation,
                "TimeLimit.truncated": bool(truncations[lane] and not terminations[lane]),
            }
        return self._own(observations), rewards.astype(np.float32), dones, listed

    def _own(self, observations: Any) -> Any:
        return copy.deepcopy(observations) if self._copies else observations

    def close(self) -> None:
        """Close the vector environment."""
        self.env.close()

    def get_images(self) -> Sequence[Any]:
        """Return one frame per lane."""
        return list(self.env.render() or ())

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the vector environment once for each lane asked."""
        value = getattr(self.env, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the vector environment, which all lanes share."""
        self._require_all(f"attribute {attr_name!r}", indices)
        setattr(self.env.unwrapped, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of the vector environment, which all lanes share, once."""
        self._require_all(f"method {method_name!r}", indices)
        value = getattr(self.env, method_name)(*method_args, **method_kwargs)
        return [value for _ in range(self.num_envs)]

    def _require_all(self, what: str, indices: Any) -> None:
        if indices is not None and sorted(self._get_indices(indices)) != list(range(self.num_envs)):
            raise ValueError(
                f"{what} for lanes {indices}: all {self.num_envs} lanes share one object; "
                "leave indices out"
            )

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Any = None
    ) -> list[bool]:
        """Tell that no lane has a wrapper of its own."""
        return [False for _ in self._get_indices(indices)]


def as_vec_env(env: VectorEnv[Any, Any, Any]) -> HubVecEnv:
    """Return `env` for Stable-Baselines3, which refuses Gymnasium's vector environments.

    `PPO("MlpPolicy", VecMonitor(as_vec_env(env)))`. Lanes step in one call of the environment;
    `VecMonitor` takes the place of the `Monitor` that Stable-Baselines3 puts around single
    environments. Observations come with a copy of their own even under `copy=False`.

    Args:
        env: A vector environment under SAME_STEP autoreset, as `VecEnv` has it.

    Raises:
        ValueError: Its autoreset mode is another one; the message has the fix.
    """
    require_same_step(env, "Stable-Baselines3")
    return HubVecEnv(env)
