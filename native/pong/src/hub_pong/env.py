"""Pong in C: the single and the vector environment over `hub_pong._core`.

Two paddles and a ball in a court of 500 x 640 units. The agent holds the right paddle against an
opponent that follows the ball; the first side with 21 points wins.

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
keeps the rules of PufferLib's Pong (Ocean, 2025) with their quirks: see `hub_pong.reference`, which
states both rule sets for people to read. Source of rules and constants: PufferLib, MIT licence.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv

from hub.lane import NativeEnv
from hub.native import Lanes
from hub.vector import NativeVectorEnv
from hub_pong import _core
from hub_pong.options import METADATA, action_space, check_options, observation_space
from hub_pong.view import draw_lane


def bind(lanes: Lanes, compat: str | None, frame_skip: int) -> _core.PongCore:
    """Bind a C core to the arrays of `lanes`."""
    return _core.PongCore(
        observations=lanes.observations,
        final_observations=lanes.final_observations,
        rewards=lanes.rewards,
        terminations=lanes.terminations,
        truncations=lanes.truncations,
        autoreset=lanes.autoreset,
        max_episode_steps=lanes.max_episode_steps,
        num_threads=lanes.num_threads,
        compat=compat == "puffer",
        frame_skip=frame_skip,
    )


class PongEnv(NativeEnv):
    """One game of Pong; the module's docstring describes it.

    Args:
        render_mode: `"rgb_array"` (`uint8[320, 290, 3]`), `"ansi"` (text) or None.
        compat: None, or `"puffer"` for PufferLib's published rules, quirks included.
        frame_skip: Frames per step, 1 to 8.

    Raises:
        ValueError: An option is out of range.
    """

    metadata = METADATA

    def __init__(
        self, render_mode: str | None = None, *, compat: str | None = None, frame_skip: int = 1
    ) -> None:
        frame_skip = check_options(compat, frame_skip)
        super().__init__(
            partial(bind, compat=compat, frame_skip=frame_skip),
            observation_space(compat),
            action_space(),
            render_mode=render_mode,
            draw=draw_lane,
        )


# VectorEnv is named again because skrl looks at the direct bases alone.
class PongVectorEnv(NativeVectorEnv, VectorEnv[Any, Any, npt.NDArray[Any]]):
    """Many games of Pong in one call; the module's docstring describes one.

    Args:
        num_envs: Lanes, 1 or more.
        max_episode_steps: Steps after which a lane truncates, or None.
        render_mode: As `PongEnv`; `render()` then returns one frame per lane.
        compat: As `PongEnv`.
        frame_skip: As `PongEnv`.
        autoreset_mode: `AutoresetMode` or its value, `"NextStep"`, `"SameStep"`, `"Disabled"`.
        copy: False hands out the core's own arrays, which the next call overwrites.
        num_threads: Threads that step the batch; None chooses by lanes and usable cores.

    Raises:
        ValueError: An option is out of range.
    """

    metadata = METADATA

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        *,
        compat: str | None = None,
        frame_skip: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        num_threads: int | None = None,
    ) -> None:
        frame_skip = check_options(compat, frame_skip)
        super().__init__(
            partial(bind, compat=compat, frame_skip=frame_skip),
            observation_space(compat),
            action_space(),
            num_envs=num_envs,
            max_episode_steps=max_episode_steps,
            autoreset_mode=autoreset_mode,
            copy=copy,
            num_threads=num_threads,
            render_mode=render_mode,
            draw=draw_lane,
        )
