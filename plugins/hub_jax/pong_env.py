"""Pong in JAX: the single and the vector environment over `hub_jax.pong`.

The game of `hub:native/Pong-v0`, bit for bit. Two paddles and a ball in a court of 500 x 640
units; the agent holds the right paddle against an opponent that follows the ball; the first side
with 21 points wins.

Observation, `float32[8]`; y grows upwards:

| index | what | unit |
| --- | --- | --- |
| 0, 1 | lower edge of the opponent's and of the agent's paddle | share of its range |
| 2, 3 | left and lower edge of the ball | share of 500 and of 640 |
| 4 | horizontal speed | (v + 10) / 20, either 0 or 1 |
| 5 | vertical speed | (v + 13) / 26 |
| 6, 7 | points of the opponent and of the agent | share of 21 |

Action, `Discrete(3)`: 0 stay, 1 up, 2 down (8 units a frame).

Reward: +1 for a point won, -1 for a point lost, +0.1 when the agent returns the ball, else 0.

Episode end: terminated when a side has 21 points; truncated after `max_episode_steps` (10,000 as
registered), because two good players need never miss.

Start and randomness: each rally starts from the middle and takes one draw of the lane's stream
(`hub.threefry`): the ball is served to either side, up or down, with equal chance.

`frame_skip` repeats the action for 1 to 8 frames; a point ends the step early. `compat="puffer"`
keeps the rules of PufferLib's Pong (Ocean, 2025) with their quirks. Trainers that stay on the
device scan `hub_jax.pong.pong()` through `hub.functional.rollout`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from gymnasium.vector import AutoresetMode, VectorEnv

from hub.functional import FunctionalSingleEnv, FunctionalVectorEnv
from hub.functional.vector import Arrays
from hub_jax.pong import pong

METADATA = {"render_modes": ["rgb_array", "ansi"], "render_fps": 60}


class PongEnv(FunctionalSingleEnv):
    """One game of Pong; the module's docstring describes it.

    Args:
        render_mode: `"rgb_array"` (`uint8[320, 290, 3]`), `"ansi"` (text) or None.
        compat: None, or `"puffer"` for PufferLib's published rules, quirks included.
        frame_skip: Frames per step, 1 to 8.
        device: `"cpu"`, `"gpu"`, `"gpu:1"`, or None for JAX's choice.

    Raises:
        ValueError: An option is out of range.
    """

    metadata: ClassVar[dict[str, Any]] = METADATA  # type: ignore[misc]  # as Gymnasium's classes

    def __init__(
        self,
        render_mode: str | None = None,
        *,
        compat: str | None = None,
        frame_skip: int = 1,
        device: str | None = None,
    ) -> None:
        super().__init__(pong(compat, frame_skip), render_mode=render_mode, device=device)


# VectorEnv is named again because skrl looks at the direct bases alone.
class PongVectorEnv(FunctionalVectorEnv, VectorEnv[Any, Any, Any]):
    """Many games of Pong in one compiled call; the module's docstring describes one.

    Args:
        num_envs: Lanes, 1 or more.
        max_episode_steps: Steps after which a lane truncates, or None.
        render_mode: As `PongEnv`; `render()` then returns one frame per lane.
        compat: As `PongEnv`.
        frame_skip: As `PongEnv`.
        autoreset_mode: `AutoresetMode` or its value, `"NextStep"`, `"SameStep"`, `"Disabled"`.
        device: As `PongEnv`.
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
        compat: str | None = None,
        frame_skip: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        device: str | None = None,
        arrays: Arrays = "numpy",
    ) -> None:
        super().__init__(
            pong(compat, frame_skip),
            num_envs,
            max_episode_steps=max_episode_steps,
            render_mode=render_mode,
            autoreset_mode=autoreset_mode,
            device=device,
            arrays=arrays,
        )
