"""`DialogueVectorEnv`: one dialogue environment per lane, stepped by one thread each.

A step waits for sandboxes and graders, not for this process, so threads scale; the batch waits
for its slowest lane. Text travels as `[num_envs]` object arrays, infos as object arrays with
Gymnasium's `_key` masks, because merging ragged token arrays into numeric ones would corrupt them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from hub.arguments import autoreset, whole
from hub.dialogue.env import DialogueEnv
from hub.dialogue.tokens import encodable
from hub.errors import ClosedError, InvalidAction
from hub.seeds import SeedLike, lane_seeds, parse_seeds, reset_mask

T = TypeVar("T")

Texts = NDArray[np.object_]
Step = tuple[str, float, bool, bool, dict[str, Any]]


class DialogueVectorEnv(VectorEnv[Texts, Texts, NDArray[Any]]):
    """`num_envs` lanes of a dialogue environment; see the module's docstring.

    Observations are `[num_envs] object` (str), rewards `[num_envs] float64`, both flags
    `[num_envs] bool`, all of them fresh arrays. Lane `i` after `reset(seed=s)` is the single
    environment after `reset(seed=(s + i) mod 2**64)`.

    Args:
        make: Makes one lane.
        num_envs: Lanes, 1 or more.
        autoreset_mode: `gymnasium.vector.AutoresetMode` its value or its name.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}  # noqa: RUF012  # instances have their own

    def __init__(
        self,
        make: Callable[[], DialogueEnv],
        num_envs: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        num_envs = self.num_envs = whole("num_envs", num_envs)
        self.autoreset_mode = autoreset(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.envs = [make() for _ in range(num_envs)]
        self.render_mode = self.envs[0].render_mode
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._pool = ThreadPoolExecutor(num_envs, thread_name_prefix="dialogue")
        self._started = False
        self._ended = np.ones(num_envs, np.bool_)
        self._observations = np.full(num_envs, "", dtype=object)

    def reset(
        self, *, seed: SeedLike = None, options: dict[str, Any] | None = None
    ) -> tuple[Texts, dict[str, Any]]:
        """Begin an episode in every lane, or in those of `options["reset_mask"]`.

        Args:
            seed: Lane `i` gets `(seed + i) mod 2**64`; a list gives each lane its own, where None
                goes on with the lane's stream. The first reset without one draws the seeds from
                `np_random`.
            options: `{"reset_mask": [num_envs] bool}`; the dict is not changed.

        Returns:
            The observations of all lanes, and the infos of those that were reset.
        """
        self._require_open()
        mask = reset_mask(options, self.num_envs, started=self._started)
        seeds = self._seeds(seed)
        lanes = range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist()
        for env in self.envs:
            env.spec = self.spec  # Gymnasium sets it after construction; records name its id
        begun = self._each(lanes, lambda lane: self.envs[lane].reset(seed=seeds[lane]))
        infos: dict[str, Any] = {}
        for lane, (observation, info) in zip(lanes, begun, strict=True):
            self._observations[lane] = observation
            self._ended[lane] = False
            _merge(infos, info, lane, self.num_envs)
        self._started = True
        return self._observations.copy(), infos

    def _seeds(self, seed: SeedLike) -> list[int | None]:
        seeds, given = parse_seeds(seed, self.num_envs)
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
        elif given.any():
            self.np_random = np.random.default_rng([*seeds.tolist(), *given.tolist()])
        if not (self._started or given.all()):
            base = int(self.np_random.integers(0, 1 << 64, dtype=np.uint64))
            seeds = np.where(given, seeds, lane_seeds(base, self.num_envs))
            given = np.ones_like(given)
        return [s if g else None for s, g in zip(seeds.tolist(), given.tolist(), strict=True)]

    def step(
        self, actions: Any
    ) -> tuple[Texts, NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Step every lane.

        Args:
            actions: `num_envs` strings, as an array, list or tuple; `Said` keeps its tokens. Under
                NEXT_STEP the action of a lane that has ended is not looked at.

        Raises:
            InvalidAction: An action is no text; no lane was stepped.
            ResetNeeded: Before the first reset, or when a lane that ended was not reset under
                DISABLED.
        """
        self._require_open()
        self._require_begun()
        self._require_texts(actions)
        rewards = np.zeros(self.num_envs, np.float64)
        flags = np.zeros((2, self.num_envs), np.bool_)
        infos: dict[str, Any] = {}
        taken = self._each(range(self.num_envs), lambda lane: self._step_lane(lane, actions[lane]))
        for lane, (step, last) in enumerate(taken):
            self._observations[lane], rewards[lane], flags[0, lane], flags[1, lane], info = step
            _merge(infos, info, lane, self.num_envs)
            if last is not None:
                _merge(infos, {"final_obs": last[0], "final_info": last[1]}, lane, self.num_envs)
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            self._ended = flags[0] | flags[1]
        return self._observations.copy(), rewards, flags[0].copy(), flags[1].copy(), infos

    def _each(self, lanes: Sequence[int], work: Callable[[int], T]) -> list[T]:
        """Return `work(lane)` of each lane, by a thread each; raise once all have ended."""
        futures = [self._pool.submit(work, lane) for lane in lanes]
        wait(futures)
        return [future.result() for future in futures]

    def _require_open(self) -> None:
        if self.closed:
            raise ClosedError("the environment is closed; make another one")

    def _require_begun(self) -> None:
        if not self._started:
            raise ResetNeeded("no episode has begun; call reset()")
        if self._ended.any() and self.autoreset_mode is AutoresetMode.DISABLED:
            lanes = ", ".join(map(str, np.flatnonzero(self._ended).tolist()))
            raise ResetNeeded(
                f"lane {lanes} has ended; call reset(options={{'reset_mask': mask}}) first"
            )

    def _require_texts(self, actions: Any) -> None:
        if isinstance(actions, str) or len(actions) != self.num_envs:
            raise InvalidAction(f"actions {actions!r:.80}: expected {self.num_envs} texts")
        for lane in np.flatnonzero(~self._ended).tolist():
            if not self.single_action_space.contains(encodable(actions[lane])):
                raise InvalidAction(
                    f"lane {lane}: action of type {type(actions[lane]).__name__}: expected a str "
                    f"that UTF-8 can encode, in {self.single_action_space}"
                )

    def _step_lane(self, lane: int, action: str) -> tuple[Step, tuple[str, dict[str, Any]] | None]:
        """Step one lane; the second value is the last transition where SAME_STEP replaced it."""
        env = self.envs[lane]
        if self._ended[lane]:
            observation, info = env.reset()
            return (observation, 0.0, False, False, info), None
        step = env.step(action)
        observation, reward, terminated, truncated, info = step
        if not (terminated or truncated) or self.autoreset_mode is not AutoresetMode.SAME_STEP:
            return step, None
        fresh, fresh_info = env.reset()
        return (fresh, reward, terminated, truncated, fresh_info), (observation, info)

    def render(self) -> tuple[Any, ...] | None:
        """Return each lane's conversation as text, or None without a render mode."""
        if self.render_mode is None:
            return None
        return tuple(env.render() for env in self.envs)

    def close_extras(self, **kwargs: Any) -> None:
        """End every sandbox and thread."""
        # Gymnasium 1.1 and 1.2 also close what failed to be constructed.
        for env in getattr(self, "envs", ()):
            env.close()
        if hasattr(self, "_pool"):
            self._pool.shutdown(cancel_futures=True)


def vector_class(single: type[DialogueEnv]) -> type[DialogueVectorEnv]:
    """Return the vector class of `single`, for a card's `vector_entry_point`.

    Its options are `num_envs`, `autoreset_mode` and those of `single`, which every lane gets.

    ```python
    SumsVector = vector_class(Sums)
    ```
    """
    own = [
        p.replace(kind=p.KEYWORD_ONLY)
        for p in inspect.signature(single).parameters.values()
        if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]

    def __init__(
        self: DialogueVectorEnv,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Any,
    ) -> None:
        DialogueVectorEnv.__init__(self, lambda: single(**options), num_envs, autoreset_mode)

    _, num_envs, mode, _ = inspect.signature(__init__).parameters.values()
    body = {
        "__init__": __init__,
        "__doc__": f"Lanes of `{single.__name__}`, a thread each; its options are the same.",
        "__module__": single.__module__,
        "__signature__": inspect.Signature([num_envs, mode, *own]),
    }
    return type(f"{single.__name__}Vector", (DialogueVectorEnv,), body)


def _merge(infos: dict[str, Any], info: dict[str, Any], lane: int, num_envs: int) -> None:
    """Add one lane's info; `final_info` is merged key by key, as Gymnasium does."""
    for key, value in info.items():
        mask = infos.setdefault(f"_{key}", np.zeros(num_envs, np.bool_))
        mask[lane] = True
        if key == "final_info":
            _merge(infos.setdefault(key, {}), value, lane, num_envs)
        else:
            infos.setdefault(key, np.full(num_envs, None, dtype=object))[lane] = value
