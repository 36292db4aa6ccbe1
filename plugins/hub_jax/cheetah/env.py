"""HalfCheetah in JAX: the single and the vector environment over `hub_jax.cheetah.task`.

The task of Gymnasium's HalfCheetah-v5: a planar, two-legged robot of 14 kg runs along +x.

Observation, `float32[17]` (`float64[17]` with `dtype="float64"`):

| index | what | unit |
| --- | --- | --- |
| 0 | height of the torso above its start | m |
| 1 | pitch of the torso | rad |
| 2-4 | angles of back thigh, shin, foot | rad |
| 5-7 | angles of front thigh, shin, foot | rad |
| 8, 9 | velocity of the torso along x and z | m/s |
| 10 | pitch rate | rad/s |
| 11-16 | rates of the six hinges, in the order of their angles | rad/s |

Action, `float32[6]` in [-1, 1]: torques of the hinges as shares of 120, 90, 60, 120, 60, 30 N m.
What lies outside is clipped by the motors and charged as given.

Reward: velocity along x in m/s, averaged over the step, less 0.1 times the sum of the squared
actions; the two parts are in `info["reward_forward"]` and `info["reward_ctrl"]`.

Episode end: never terminated; truncated after `max_episode_steps` (1,000 as registered). A step is
five physics steps of 0.01 s.

Start and randomness: positions uniform within 0.1 of zero, velocities normal with deviation 0.1,
from the lane's key. Source: `half_cheetah_v5.py` and `half_cheetah.xml` of Gymnasium 1.4.0. The
physics is MuJoCo's, written for this one model (`hub_jax.cheetah.physics`); in float64 one step
equals `mj_step` to about 1e-12, in float32 trajectories part within tens of steps, as those of two
machines would.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import jax
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import ArrayLike

from hub.functional import Dtype, FunctionalSingleEnv, FunctionalVectorEnv
from hub.functional.vector import Arrays
from hub_jax.cheetah.task import CheetahParams, CheetahState, half_cheetah

METADATA = {"render_modes": ["rgb_array"], "render_fps": 20}


def _platform(device: str | None) -> str:
    """Return the platform that `device` names, JAX's own choice for None."""
    return jax.default_backend() if device is None else device.partition(":")[0]


def _params(forward: float, control: float, noise: float) -> CheetahParams:
    weights = {
        "forward_reward_weight": forward,
        "ctrl_cost_weight": control,
        "reset_noise_scale": noise,
    }
    for name, weight in weights.items():
        if not math.isfinite(weight):
            raise ValueError(f"{name} is {weight}: expected a finite number")
    if noise < 0.0:
        raise ValueError(f"reset_noise_scale is {noise}: expected 0 or more")
    return CheetahParams(**{name: float(weight) for name, weight in weights.items()})


class HalfCheetahEnv(FunctionalSingleEnv):
    """One cheetah; the module's docstring describes it.

    Args:
        render_mode: `"rgb_array"` (`uint8[240, 480, 3]`, a side view) or None.
        forward_reward_weight: Reward per m/s.
        ctrl_cost_weight: Cost per squared action.
        reset_noise_scale: Half-width of the positions' and deviation of the velocities' noise.
        dtype: `"float32"`, or `"float64"` as MuJoCo computes.
        device: `"cpu"`, `"gpu"`, `"gpu:1"`, or None for JAX's choice.

    Raises:
        ValueError: An option is out of range.
    """

    metadata: ClassVar[dict[str, Any]] = METADATA  # type: ignore[misc]  # as Gymnasium's classes

    def __init__(
        self,
        render_mode: str | None = None,
        *,
        forward_reward_weight: float = 1.0,
        ctrl_cost_weight: float = 0.1,
        reset_noise_scale: float = 0.1,
        dtype: Dtype = "float32",
        device: str | None = None,
    ) -> None:
        super().__init__(
            half_cheetah(dtype, _platform(device)),
            render_mode=render_mode,
            device=device,
            params=_params(forward_reward_weight, ctrl_cost_weight, reset_noise_scale),
        )

    def set_state(self, qpos: ArrayLike, qvel: ArrayLike) -> None:
        """Put the cheetah into a state; the episode goes on from there, as after a step.

        Args:
            qpos: `[9]`: x, z (m), pitch, six hinge angles (rad).
            qvel: `[9]`: their velocities.

        Raises:
            ResetNeeded: Before the first reset.
            ValueError: A shape is wrong or a number is not finite.
        """
        parts: dict[str, Any] = {}
        for name, value in (("qpos", qpos), ("qvel", qvel)):
            array = np.asarray(value, self.functional.dtype)
            if array.shape != (9,) or not np.isfinite(array).all():
                raise ValueError(f"{name} is {value!r}: expected 9 finite numbers")
            parts[name] = array
        self.lane_state = CheetahState(**parts)


# VectorEnv is named again because skrl looks at the direct bases alone.
class HalfCheetahVectorEnv(FunctionalVectorEnv, VectorEnv[Any, Any, Any]):
    """Many cheetahs in one compiled call; the module's docstring describes one.

    Args:
        num_envs: Lanes, 1 or more.
        max_episode_steps: Steps after which a lane truncates, or None.
        render_mode: As `HalfCheetahEnv`; `render()` then returns one frame per lane.
        forward_reward_weight: As `HalfCheetahEnv`.
        ctrl_cost_weight: As `HalfCheetahEnv`.
        reset_noise_scale: As `HalfCheetahEnv`.
        dtype: As `HalfCheetahEnv`.
        autoreset_mode: `AutoresetMode` or its value, `"NextStep"`, `"SameStep"`, `"Disabled"`.
        device: As `HalfCheetahEnv`.
        arrays: `"numpy"`, or `"device"` for JAX arrays that are not fetched.

    Raises:
        ValueError: An option is out of range.
    """

    metadata: ClassVar[dict[str, Any]] = METADATA  # type: ignore[misc]  # as Gymnasium's classes

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        *,
        forward_reward_weight: float = 1.0,
        ctrl_cost_weight: float = 0.1,
        reset_noise_scale: float = 0.1,
        dtype: Dtype = "float32",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        device: str | None = None,
        arrays: Arrays = "numpy",
    ) -> None:
        super().__init__(
            half_cheetah(dtype, _platform(device)),
            num_envs,
            max_episode_steps=max_episode_steps,
            render_mode=render_mode,
            autoreset_mode=autoreset_mode,
            device=device,
            arrays=arrays,
            params=_params(forward_reward_weight, ctrl_cost_weight, reset_noise_scale),
        )
