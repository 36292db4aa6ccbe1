"""Pong in plain Python, for people to read and for the C core to be held against.

Written independently of the C core and slow on purpose. The rules are pure functions on a `Game`;
`PythonPongEnv`, at the end, is the Gymnasium environment around them.

Every position and speed is a whole number, so they are Python ints; only the observation is
float32. It is `(value + shift) * (1 / range)`, one float32 addition and one multiplication, which
every language and compiler rounds alike.

Two rule sets. The default mends what looks like accident in PufferLib's published rules (Ocean,
pong.h of 2025); `compat="puffer"` keeps it:

| quirk under `compat="puffer"` | default |
| --- | --- |
| each serve flies to the agent | either side, with equal chance |
| vertical speed of a serve is -1 or 0 | -1 or 1, with equal chance |
| paddles may leave the court by half their height | they stay inside |
| opponent's centre follows the ball's lower edge | the ball's centre |
| ball may be observed outside the court | it bounces at the edge |
| a level ball is sent up by the agent's return | no ball is ever level |
| scores are divided as integers: observed as 0 | share of 21 |
| a scoring frame leaves the observation as it was | it shows what is |
"""

from __future__ import annotations

from typing import Any, NamedTuple

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded

from hub.errors import ClosedError, InvalidAction
from hub.seeds import as_seed
from hub.seeds import check_options as check_reset_options
from hub.threefry import draw
from hub_pong.options import METADATA, PUFFER, action_space, check_options, observation_space
from hub_pong.view import State, draw_state

WIDTH, HEIGHT = 500, 640
BALL = 32
PADDLE_HEIGHT = 70
PADDLE_SPEED = 8
BALL_SPEED_X = 10
SPIN, MAX_SPEED_Y = 3, 13
SERVE_X = 100
MAX_SCORE = 21
FAR_X, FAR_Y = WIDTH - BALL, HEIGHT - BALL  # the ball's largest position inside the court
RETURN_REWARD = 0.1
MOVES = (0, PADDLE_SPEED, -PADDLE_SPEED)  # by action: stay, up, down

Observation = npt.NDArray[np.float32]


class Game(NamedTuple):
    """One moment of an episode; lengths in units, speeds in units per frame, y upwards."""

    paddle_left: int
    paddle_right: int
    ball_x: int
    ball_y: int
    ball_vx: int
    ball_vy: int
    score_left: int = 0
    score_right: int = 0

    @property
    def over(self) -> bool:
        """Whether a side has won."""
        return MAX_SCORE in (self.score_left, self.score_right)


def clip(value: int, low: int, high: int) -> int:
    """Return `value` or the nearer of the limits."""
    return low if value < low else high if value > high else value


def serve(word: int, puffer: bool, score_left: int = 0, score_right: int = 0) -> Game:
    """Return the start of a rally for the random word `word`: its two lowest bits decide."""
    if puffer:
        vx, vy = BALL_SPEED_X, word % 2 - 1
    else:
        vx = -BALL_SPEED_X if word & 2 else BALL_SPEED_X
        vy = 1 if word & 1 else -1
    middle = (HEIGHT - PADDLE_HEIGHT) // 2
    x = SERVE_X if vx > 0 else FAR_X - SERVE_X
    return Game(middle, middle, x, FAR_Y // 2, vx, vy, score_left, score_right)


def follow(paddle: int, ball_y: int, puffer: bool) -> int:
    """Return by how much the opponent at `paddle` moves towards the ball."""
    target = ball_y if puffer else ball_y + BALL // 2
    return clip(target - (paddle + PADDLE_HEIGHT // 2), -PADDLE_SPEED, PADDLE_SPEED)


def move_paddle(paddle: int, move: int, puffer: bool) -> int:
    """Return where a paddle is after `move`, within its limits."""
    outside = PADDLE_HEIGHT // 2 if puffer else 0
    return clip(paddle + move, -outside, HEIGHT - PADDLE_HEIGHT + outside)


def bounce(y: int, vy: int, puffer: bool) -> tuple[int, int]:
    """Return height and vertical speed of the ball after the lower and upper wall."""
    if 0 <= y <= FAR_Y:
        return y, vy
    return (y if puffer else clip(y, 0, FAR_Y)), -vy


def covers(paddle: int, ball_y: int) -> bool:
    """Tell whether a paddle and the ball share some height."""
    return paddle - BALL < ball_y < paddle + PADDLE_HEIGHT


def spin(vy: int, move: int) -> int:
    """Return the ball's vertical speed after a paddle that moves by `move` returned it."""
    added = SPIN if move > 0 else -SPIN if move < 0 else 0
    return clip(vy + added, -MAX_SPEED_Y, MAX_SPEED_Y) or SPIN


def frame(game: Game, move: int, puffer: bool) -> tuple[Game, float]:
    """Advance by one frame and return the reward, which is +-1 when the rally is over."""
    left, right, x, y, vx, vy, score_left, score_right = game
    right = move_paddle(right, move, puffer)
    left = move_paddle(left, follow(left, y, puffer), puffer)
    x += vx
    y, vy = bounce(y + vy, vy, puffer)
    reward = 0.0
    if x < 0 and covers(left, y):
        x, vx = (x if puffer else 0), -vx
    elif x < 0:
        x, score_right, reward = 0, score_right + 1, 1.0
    elif x > FAR_X and covers(right, y):
        x, y, vx, vy, reward = FAR_X, clip(y, 0, FAR_Y), -vx, spin(vy, move), RETURN_REWARD
    elif x > FAR_X:
        x, score_left, reward = FAR_X, score_left + 1, -1.0
    return Game(left, right, x, y, vx, vy, score_left, score_right), reward


def scaling(puffer: bool) -> tuple[Observation, Observation]:
    """Return the float32 shift and scale of the eight observed values."""
    outside = PADDLE_HEIGHT // 2 if puffer else 0
    travel = HEIGHT - PADDLE_HEIGHT + 2 * outside
    shift = (outside, outside, 0, 0, BALL_SPEED_X, MAX_SPEED_Y, 0, 0)
    span = (travel, travel, WIDTH, HEIGHT, 2 * BALL_SPEED_X, 2 * MAX_SPEED_Y, MAX_SCORE, MAX_SCORE)
    scale = np.float32(1) / np.array(span, np.float32)
    if puffer:
        scale[6:] = 0  # whole-number division: 0 for every score below 21
    return np.array(shift, np.float32), scale


_SCALING = {puffer: scaling(puffer) for puffer in (False, True)}


def observe(game: Game, puffer: bool) -> Observation:
    """Return the eight observed values, `[8] float32`."""
    shift, scale = _SCALING[puffer]
    seen: Observation = (np.array(game, np.float32) + shift) * scale
    return seen


class PythonPongEnv(gymnasium.Env[Any, Any]):
    """The reference as an environment; `hub_pong.env` documents observation, action and reward.

    Args:
        render_mode: `"rgb_array"`, `"ansi"` or None.
        compat: None or `"puffer"`.
        frame_skip: Frames per step, 1 to 8.
    """

    metadata = METADATA

    def __init__(
        self, render_mode: str | None = None, *, compat: str | None = None, frame_skip: int = 1
    ) -> None:
        frame_skip = check_options(compat, frame_skip)
        modes = self.metadata["render_modes"]
        if render_mode is not None and render_mode not in modes:
            raise ValueError(f"render_mode {render_mode!r}: expected one of {modes} or None")
        self.metadata = dict(METADATA)  # Gymnasium 1.1 and 1.2 write into it when vectorising
        self.render_mode = render_mode
        self.observation_space = observation_space(compat)
        self.action_space = action_space()
        self._puffer, self._frame_skip = compat == PUFFER, frame_skip
        self._seed: int | None = None
        self._draws = 0
        self._game: Game | None = None
        self._closed = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode; without a seed the random stream goes on."""
        self._require_open()
        check_reset_options(options)
        if seed is not None:
            seed = as_seed(seed)
            super().reset(seed=seed)
        elif self._seed is None:
            seed = int(self.np_random.integers(0, 1 << 64, dtype=np.uint64))
        if seed is not None:
            self._seed, self._draws = seed, 0
        self._game = self._serve(0, 0)
        self._observed = observe(self._game, self._puffer)
        return self._observed.copy(), {}

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Advance by `frame_skip` frames, or up to the next point."""
        self._require_open()
        if self._game is None or self._game.over:
            raise ResetNeeded("call reset() before step()")
        if not self.action_space.contains(action):
            raise InvalidAction(f"action {action!r}: expected 0 (stay), 1 (up) or 2 (down)")
        game, reward = self._game, 0.0
        for _ in range(self._frame_skip):
            game, earned = frame(game, MOVES[action], self._puffer)
            reward = earned or reward
            if abs(earned) == 1:
                break
            if self._puffer:
                self._observed = observe(game, True)
        if abs(reward) == 1 and not game.over:
            game = self._serve(game.score_left, game.score_right)
        if not self._puffer:
            self._observed = observe(game, False)
        self._game = game
        return self._observed.copy(), reward, game.over, False, {}

    def render(self) -> Any:
        """Return the current frame, or None without a render mode."""
        self._require_open()
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render mode does nothing")
            return None
        if self._game is None:
            raise ResetNeeded("call reset() before render()")
        return draw_state(State(*self._game), self.render_mode)

    def close(self) -> None:
        """End it; every later call but another `close` raises `ClosedError`."""
        self._closed = True
        super().close()

    def _serve(self, score_left: int, score_right: int) -> Game:
        assert self._seed is not None  # reset() has set it
        word = draw(self._seed, self._draws)
        self._draws += 1
        return serve(word, self._puffer, score_left, score_right)

    def _require_open(self) -> None:
        if self._closed:
            raise ClosedError("this environment is closed; make a new one")
