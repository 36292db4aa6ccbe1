"""The C core of Pong; use hub_pong.env or gymnasium.make instead."""

from typing import Any

import numpy as np
import numpy.typing as npt

SOURCE_HASH: str
"""`hub.fidelity.manifest_hash` of the sources that this was built from."""

class PongCore:
    """Pong lanes over bound buffers; a hub.native.BatchCore."""

    def __init__(
        self,
        *,
        observations: npt.NDArray[np.float32],
        final_observations: npt.NDArray[np.float32] | None,
        rewards: npt.NDArray[np.float64],
        terminations: npt.NDArray[np.bool_],
        truncations: npt.NDArray[np.bool_],
        autoreset: str,
        max_episode_steps: int | None,
        num_threads: int | None,
        compat: bool,
        frame_skip: int,
    ) -> None: ...
    def reset(
        self, seeds: npt.NDArray[np.uint64] | None, mask: npt.NDArray[np.bool_] | None
    ) -> None: ...
    def step(self, actions: npt.NDArray[np.int64]) -> int: ...
    def step_lane(self, action: Any) -> tuple[float, bool, bool]: ...
    def loop(self, actions: npt.NDArray[np.int64], batches: int) -> int:
        """Step `batches` batches in one call, over and over the rows of `actions`.

        Returns how many episodes ended. For benchmarks: what is left when everything is C.
        """
    def snapshot(self) -> bytes: ...
    def restore(self, payload: bytes) -> None: ...
    def lane(self, index: int) -> tuple[float, float, float, float, float, float, float, float]:
        """Return paddles, ball, speeds and scores of one lane, as the observation orders them."""
    def close(self) -> None: ...
    @property
    def num_threads(self) -> int: ...
    @property
    def config(self) -> str: ...
