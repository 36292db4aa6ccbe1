"""The native protocol: what a C or Rust core implements to become Gymnasium environments.

The hub allocates one set of arrays per environment (`Lanes`), a factory binds a core to them once,
and from then on one call steps the whole batch: the core writes straight into the arrays, without
the GIL, each thread on a contiguous chunk of lanes. `hub.vector.NativeVectorEnv` and
`hub.lane.NativeEnv` turn such a core into a vector and a single environment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Space
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import create_empty_array


@dataclass(frozen=True)
class Lanes:
    """The arrays and settings that a core is bound to for its whole life.

    Attributes:
        observations: The batched observation: one array `[num_envs, ...]` in the observation
            space's dtype, or a dict or tuple of such arrays for Dict and Tuple spaces.
        final_observations: The same layout for SAME_STEP, None in the other modes.
        rewards: `[num_envs] float64`.
        terminations: `[num_envs] bool`.
        truncations: `[num_envs] bool`.
        autoreset: `"NextStep"`, `"SameStep"` or `"Disabled"`.
        max_episode_steps: Steps after which a lane truncates, or None.
        num_threads: Wanted threads, or None for the core's own choice.
    """

    observations: Any
    final_observations: Any
    rewards: npt.NDArray[np.float64]
    terminations: npt.NDArray[np.bool_]
    truncations: npt.NDArray[np.bool_]
    autoreset: str
    max_episode_steps: int | None
    num_threads: int | None

    @classmethod
    def allocate(
        cls,
        space: Space[Any],
        num_envs: int,
        autoreset: AutoresetMode,
        max_episode_steps: int | None,
        num_threads: int | None,
    ) -> Lanes:
        """Make zeroed arrays for `num_envs` lanes of the single observation space `space`."""
        same_step = autoreset is AutoresetMode.SAME_STEP
        return cls(
            observations=create_empty_array(space, num_envs),
            final_observations=create_empty_array(space, num_envs) if same_step else None,
            rewards=np.zeros(num_envs, np.float64),
            terminations=np.zeros(num_envs, np.bool_),
            truncations=np.zeros(num_envs, np.bool_),
            autoreset=autoreset.value,
            max_episode_steps=max_episode_steps,
            num_threads=num_threads,
        )


class BatchCore(Protocol):
    """A batch of lanes behind one call.

    At construction the core checks every array of `Lanes` for dtype, shape, contiguity and
    writability, and keeps a reference to it. Every method raises `hub.ClosedError` after `close`,
    `hub.ForkedError` in a forked child and `hub.ConcurrentUseError` while another thread is inside;
    a call that raises has changed nothing. Results do not depend on the number of threads.
    """

    @property
    def num_threads(self) -> int:
        """How many threads step the batch."""

    @property
    def config(self) -> str:
        """Everything that a snapshot depends on: rules, options, lanes, layout version."""

    def reset(
        self, seeds: npt.NDArray[np.uint64] | None, mask: npt.NDArray[np.bool_] | None
    ) -> None:
        """Start an episode in the lanes of `mask` (None: all) and clear every flag of theirs.

        With `seeds` (`[num_envs]`) the lane's random stream starts anew (`hub.threefry`), without
        it goes on. Raises `gymnasium.error.ResetNeeded` unless the first call seeds every lane.
        """

    def step(self, actions: npt.NDArray[Any]) -> int:
        """Step every lane and return how many episodes ended in this call.

        `actions` is C-contiguous, of the batched action space's shape and dtype; its values are
        checked before any lane moves (`hub.InvalidAction`). A lane that ended under NEXT_STEP
        ignores its action, starts an episode and reports reward 0 and no flag; under SAME_STEP
        its last observation goes to `final_observations` and the new episode's to
        `observations`; under DISABLED the next step raises `gymnasium.error.ResetNeeded`.
        """

    def step_lane(self, action: Any) -> tuple[float, bool, bool]:
        """Step the only lane with an unbatched action; return reward, terminated, truncated."""

    def snapshot(self) -> bytes:
        """Return the state of all lanes, random streams and `observations` included."""

    def restore(self, payload: bytes) -> None:
        """Take back what `snapshot` returned under the same `config`."""

    def close(self) -> None:
        """Free threads and memory; a second call does nothing."""


CoreFactory = Callable[[Lanes], BatchCore]
"""Binds a new core to the arrays; must be picklable (a module's function or a `partial` of one)."""

Draw = Callable[[Any, int, str], Any]
"""`draw(core, lane, render_mode)` returns the frame of one lane."""


def lane_of(batch: Any, lane: int) -> Any:
    """Return lane `lane` of a batched observation as fresh data."""
    if isinstance(batch, dict):
        return {key: lane_of(value, lane) for key, value in batch.items()}
    if isinstance(batch, tuple):
        return tuple(lane_of(value, lane) for value in batch)
    return batch[lane].copy()


def fresh(batch: Any) -> Any:
    """Return a copy of a batched observation that shares no memory with it."""
    if isinstance(batch, dict):
        return {key: fresh(value) for key, value in batch.items()}
    if isinstance(batch, tuple):
        return tuple(fresh(value) for value in batch)
    return batch.copy()
