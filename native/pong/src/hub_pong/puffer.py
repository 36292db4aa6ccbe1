"""PufferLib's own C Pong, where it can be imported, as two Gymnasium environments.

Importing this module registers them with Gymnasium, apart from the hub's ids, since PufferLib has
no release that installs by itself: `make_vec("hub_pong.puffer:PufferLibPong-v0", 64)` steps many
lanes as PufferLib does, for benchmarks; `make("hub_pong.puffer:PufferLibPong-v0")` is one lane with
the serves of our own random stream, to be compared with `compat="puffer"` step by step.

What PufferLib 3.0 does, as it was found to behave: rewards are `float32`; an episode that ends
begins anew in the same step, and its last observation is never shown; no episode is truncated; an
action outside 0 to 2 stays; `reset` seeds lane `i` with `i + seed * lanes`, but every serve after
that comes from the C library's `rand()`, which all lanes of a process share; `close` frees the
lanes without a guard against later calls.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import tempfile
import warnings
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from hub.arguments import switch, whole
from hub.errors import ClosedError, InvalidAction
from hub.seeds import as_seed, check_options
from hub.threefry import draw
from hub_pong.options import MAX_FRAME_SKIP, PUFFER, action_space, observation_space

ID = "PufferLibPong-v0"
_SEEDS = 1 << 31  # PufferLib computes the seeds of its lanes in a C int


@functools.cache
def load() -> Any:
    """Return PufferLib's class of Pong.

    Raises:
        ImportError: It cannot be imported here; the message says why.
    """
    # Its import puts a link "resources" into the working directory and drops warnings for good.
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        try:
            from pufferlib.ocean.pong.pong import (  # type: ignore[import-not-found]  # optional
                Pong,
            )
        # A library of another age than NumPy, say, fails with whatever it meets first.
        except Exception as error:
            raise ImportError(
                f"PufferLib's Pong cannot be imported: {type(error).__name__}: {error}"
            ) from error
    return Pong


class PufferLibPongVectorEnv(VectorEnv[Any, Any, npt.NDArray[Any]]):
    """Many lanes of PufferLib's Pong in one call, in autoreset mode SAME_STEP.

    It never truncates, so that no step owes a `final_obs` whose value matters. The serves of two
    environments in one process come from one stream: neither repeats while both are stepped.

    Args:
        num_envs: Lanes, 1 or more.
        frame_skip: Frames per step, 1 to 8.
        copy: False hands out PufferLib's own arrays, which the next call overwrites.

    Raises:
        ImportError: See `load`.
        ValueError: An option is out of range.
    """

    def __init__(self, num_envs: int = 1, *, frame_skip: int = 1, copy: bool = True) -> None:
        frame_skip = whole("frame_skip", frame_skip, MAX_FRAME_SKIP)
        self.metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}
        self.num_envs = whole("num_envs", num_envs)
        self.copy = switch("copy", copy)
        # PufferLib's own space ends at 0, where its observations do not.
        self.single_observation_space = observation_space(PUFFER)
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._pong = load()(num_envs=num_envs, frameskip=frame_skip)
        self._started = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in every lane.

        Args:
            seed: One number for all lanes, below 2**31 // num_envs; without one PufferLib is
                given a number from `np_random`.
            options: None or empty.
        """
        self._require_open()
        check_options(options)
        limit = _SEEDS // self.num_envs
        if seed is None:
            seed = int(self.np_random.integers(limit))
        else:
            seed = as_seed(seed)
            if seed >= limit:
                raise ValueError(
                    f"seed {seed}: expected 0 to {limit - 1} for {self.num_envs} lanes"
                )
            super().reset(seed=seed)
        self._pong.reset(seed=seed)
        self._started = True
        seen = self._pong.observations
        return (seen.copy() if self.copy else seen), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Step every lane.

        Raises:
            InvalidAction: The actions have another shape than `[num_envs]`.
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        self._require_open()
        if not self._started:
            raise ResetNeeded("call reset() before step()")
        if np.shape(actions) != (self.num_envs,):
            raise InvalidAction(f"actions {np.shape(actions)}: expected shape ({self.num_envs},)")
        seen, rewards, terminated, truncated, _ = self._pong.step(actions)
        if not self.copy:
            return seen, rewards, terminated, truncated, {}
        return seen.copy(), rewards.copy(), terminated.copy(), truncated.copy(), {}

    def close_extras(self, **kwargs: Any) -> None:
        """Free PufferLib's lanes; every later call raises `ClosedError`."""
        if hasattr(self, "_pong"):  # Gymnasium 1.1 and 1.2 also close what failed to be made
            self._pong.close()

    def _require_open(self) -> None:
        if self.closed:
            raise ClosedError("this environment is closed; make a new one")


class PufferLibPongEnv(gymnasium.Env[Any, Any]):
    """One lane of PufferLib's Pong whose serves are draws of `hub.threefry`.

    PufferLib serves by `rand() % 2`. Before every step the C library is given a seed whose first
    number is odd or even as our next draw is: so the same seed means the same serves here and
    under `compat="puffer"`, and everything else is PufferLib's binary, untouched.

    Args:
        compat: `"puffer"`, the only rules it has; taken so that both sides have one set of options.
        frame_skip: Frames per step, 1 to 8.

    Raises:
        ImportError: See `load`, or PufferLib's serves cannot be chosen here.
        ValueError: An option is out of range.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  # as Gymnasium's

    def __init__(self, compat: str = PUFFER, *, frame_skip: int = 1) -> None:
        if compat != PUFFER:
            raise ValueError(f"compat {compat!r}: expected 'puffer'")
        self._lane = PufferLibPongVectorEnv(1, frame_skip=frame_skip)
        self.observation_space = self._lane.single_observation_space
        self.action_space = self._lane.single_action_space
        self._libc, self._parities = _steering(self._lane)
        self._seed: int | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode; without a seed the random stream goes on."""
        check_options(options)
        if seed is not None:
            seed = as_seed(seed)
            super().reset(seed=seed)
        elif self._seed is None:
            seed = int(self.np_random.integers(0, 1 << 64, dtype=np.uint64))
        if seed is not None:
            self._seed, self._draws = seed, 0
            self._look_ahead()
        observations, _ = self._lane.reset(seed=self._next)
        self._draws += 1
        self._look_ahead()
        return observations[0], {}

    def step(self, action: int) -> tuple[Any, np.float32, bool, bool, dict[str, Any]]:
        """Step PufferLib's lane; the step that ends an episode shows the next one's start."""
        self._libc.srand(self._next)
        observations, rewards, terminated, truncated, _ = self._lane.step([action])
        over = bool(terminated[0])
        # The serve of the next episode, which PufferLib has begun, is drawn again by `reset`.
        if abs(rewards[0]) == 1 and not over:
            self._draws += 1
            self._look_ahead()
        return observations[0], rewards[0], over, bool(truncated[0]), {}

    def close(self) -> None:
        """Free PufferLib's lane."""
        self._lane.close()
        super().close()

    def _look_ahead(self) -> None:
        assert self._seed is not None  # reset() has set it
        self._next = self._parities[draw(self._seed, self._draws) & 1]


def _steering(lane: PufferLibPongVectorEnv) -> tuple[Any, tuple[int, int]]:
    """Return the C library, and two seeds: the first number of one is even, of the other odd.

    Raises:
        ImportError: PufferLib does not serve by the C library's `rand()` of this process.
    """
    libc = ctypes.CDLL(None)
    lane.reset(seed=7)
    shared = libc.rand()
    libc.srand(7)
    libc.rand()
    if libc.rand() != shared:
        raise ImportError("PufferLib's serves cannot be chosen here: it has a rand() of its own")
    found: dict[int, int] = {}
    for seed in range(1, 1_000):
        libc.srand(seed)
        found.setdefault(libc.rand() & 1, seed)
    return libc, (found[0], found[1])


gymnasium.register(
    ID,
    entry_point="hub_pong.puffer:PufferLibPongEnv",
    vector_entry_point="hub_pong.puffer:PufferLibPongVectorEnv",
    order_enforce=False,
    disable_env_checker=True,
)
