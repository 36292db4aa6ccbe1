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

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded

from hub.errors import ClosedError, InvalidAction
from hub.seeds import as_seed
from hub.seeds import check_options as check_reset_options
from hub.threefry import draw
from hub_pong.options import PUFFER, action_space, check_options, observation_space
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
MOVES = (0, PADDLE_SPEED, -PADDLE_SPEED)  # by action: stay, up, down

Observation = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Game:
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


class Event(Enum):
    """What a frame brought; the value is the reward."""

    NOTHING = 0.0
    RETURNED = 0.1
    WON_POINT = 1.0
    LOST_POINT = -1.0


def clip(value: int, low: int, high: int) -> int:
    """Return `value` or the nearer of the limits."""
    return max(low, min(value, high))


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


def move_paddles(game: Game, move: int, puffer: bool) -> Game:
    """Move the agent's paddle by `move` and the opponent's towards the ball."""
    outside = PADDLE_HEIGHT // 2 if puffer else 0
    target = game.ball_y if puffer else game.ball_y + BALL // 2
    gap = target - (game.paddle_left + PADDLE_HEIGHT // 2)
    low, high = -outside, HEIGHT - PADDLE_HEIGHT + outside
    return replace(
        game,
        paddle_right=clip(game.paddle_right + move, low, high),
        paddle_left=clip(game.paddle_left + clip(gap, -PADDLE_SPEED, PADDLE_SPEED), low, high),
    )


def move_ball(game: Game, puffer: bool) -> Game:
    """Move the ball and let it bounce off the lower and upper wall."""
    x, y, vy = game.ball_x + game.ball_vx, game.ball_y + game.ball_vy, game.ball_vy
    if not 0 <= y <= FAR_Y:
        vy = -vy
        y = y if puffer else clip(y, 0, FAR_Y)
    return replace(game, ball_x=x, ball_y=y, ball_vy=vy)


def covers(paddle: int, ball_y: int) -> bool:
    """Tell whether a paddle and the ball share some height."""
    return paddle - BALL < ball_y < paddle + PADDLE_HEIGHT


def left_end(game: Game, puffer: bool) -> tuple[Game, Event]:
    """Let the opponent return the ball, or miss it."""
    if not covers(game.paddle_left, game.ball_y):
        return game, Event.WON_POINT
    x = game.ball_x if puffer else 0
    return replace(game, ball_x=x, ball_vx=-game.ball_vx), Event.NOTHING


def right_end(game: Game, move: int) -> tuple[Game, Event]:
    """Let the agent return the ball, with spin if its paddle is moving, or miss it."""
    if not covers(game.paddle_right, game.ball_y):
        return game, Event.LOST_POINT
    spin = SPIN * (move > 0) - SPIN * (move < 0)
    vy = clip(game.ball_vy + spin, -MAX_SPEED_Y, MAX_SPEED_Y) or SPIN
    y = clip(game.ball_y, 0, FAR_Y)
    return replace(game, ball_x=FAR_X, ball_y=y, ball_vx=-game.ball_vx, ball_vy=vy), Event.RETURNED


def frame(game: Game, move: int, puffer: bool) -> tuple[Game, Event]:
    """Advance by one frame."""
    game = move_ball(move_paddles(game, move, puffer), puffer)
    if game.ball_x < 0:
        return left_end(game, puffer)
    if game.ball_x > FAR_X:
        return right_end(game, move)
    return game, Event.NOTHING


def score(game: Game, event: Event) -> Game:
    """Add the point of `event`, with the ball put back to the edge that it passed."""
    return replace(
        game,
        ball_x=clip(game.ball_x, 0, FAR_X),
        score_left=game.score_left + (event is Event.LOST_POINT),
        score_right=game.score_right + (event is Event.WON_POINT),
    )


def observe(game: Game, puffer: bool) -> Observation:
    """Return the eight observed values, `[8] float32`."""
    outside = PADDLE_HEIGHT // 2 if puffer else 0
    travel = HEIGHT - PADDLE_HEIGHT + 2 * outside
    shift = (outside, outside, 0, 0, BALL_SPEED_X, MAX_SPEED_Y, 0, 0)
    span = (travel, travel, WIDTH, HEIGHT, 2 * BALL_SPEED_X, 2 * MAX_SPEED_Y, MAX_SCORE, MAX_SCORE)
    scores = (0, 0) if puffer else (game.score_left, game.score_right)
    values = (
        *(game.paddle_left, game.paddle_right, game.ball_x, game.ball_y),
        *(game.ball_vx, game.ball_vy, *scores),
    )
    one = np.float32(1)
    return (np.float32(values) + np.float32(shift)) * (one / np.float32(span))


class PythonPongEnv(gymnasium.Env[Observation, int]):
    """The reference as an environment; `hub_pong.env` documents observation, action and reward.

    Args:
        render_mode: `"rgb_array"`, `"ansi"` or None.
        compat: None or `"puffer"`.
        frame_skip: Frames per step, 1 to 8.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 60}  # type: ignore[misc]  # as Gymnasium's classes

    def __init__(
        self, render_mode: str | None = None, *, compat: str | None = None, frame_skip: int = 1
    ) -> None:
        check_options(compat, frame_skip)
        modes = self.metadata["render_modes"]
        if render_mode is not None and render_mode not in modes:
            raise ValueError(f"render_mode {render_mode!r}: expected one of {modes} or None")
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
            game, event = frame(game, MOVES[action], self._puffer)
            if event in (Event.WON_POINT, Event.LOST_POINT):
                reward = event.value
                game = score(game, event)
                if not game.over:
                    game = self._serve(game.score_left, game.score_right)
                break
            reward = event.value or reward
            if self._puffer:
                self._observed = observe(game, True)
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
        g = self._game
        speeds = (g.ball_vx, g.ball_vy)
        places = (g.paddle_left, g.paddle_right, g.ball_x, g.ball_y)
        return draw_state(State(*places, *speeds, g.score_left, g.score_right), self.render_mode)

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
