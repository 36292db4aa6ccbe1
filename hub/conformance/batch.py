"""A vector environment under test: making one, taking its results apart lane by lane."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

import hub
from hub.conformance.outcome import Finding, Skipped, blame
from hub.conformance.play import Probe, Step, blame_making
from hub.conformance.session import Session
from hub.conformance.snapshot import Snapshot, snapshot
from hub.entry import options
from hub.plugins import load

Vector = VectorEnv[Any, Any, Any]
MODES = tuple(AutoresetMode)


class VectorProbe(Probe):
    """A `Probe` of a vector environment; `env` is the vector environment."""

    @property
    def vector(self) -> Vector:
        """The vector environment."""
        return cast(Vector, self.env)

    @property
    def num_envs(self) -> int:
        """Number of lanes."""
        return self.vector.num_envs

    def _ended(self, result: Step) -> bool:
        return False  # lanes end, a vector environment does not


@contextmanager
def open_vector(
    session: Session, num_envs: int, kind: str = "vector_entry_point", **kwargs: Any
) -> Iterator[VectorProbe]:
    """Make a vector environment of `num_envs` lanes, hand out its probe, and close it.

    Args:
        session: The run.
        num_envs: Number of lanes.
        kind: `vector_entry_point` (the environment's own), `sync` or `async`.
        **kwargs: Of the environment; for `sync` and `async`, `vector_kwargs` too.
    """
    session.require_time()
    with blame_making(f"gymnasium.make_vec(vectorization_mode={kind!r})", session.pulse):
        env = gymnasium.make_vec(session.spec, num_envs, vectorization_mode=kind, **kwargs)
    session.grant()
    probe = VectorProbe(cast(Any, env), session.pulse)
    try:
        yield probe
    finally:
        probe.close()


def require_vector(session: Session) -> None:
    """Raise `Skipped` when the environment has no vector environment of its own."""
    if session.spec.vector_entry_point is None:
        raise Skipped("no vector_entry_point; see sync and async")


def vector_takes(session: Session, option: str, trial: Any) -> bool:
    """Tell whether the constructor of the vector environment takes the keyword `option`.

    Args:
        session: The run.
        option: The keyword.
        trial: A value to try, where the constructor takes `**kwargs` and so names nothing.
    """

    def look() -> bool:
        target: Any = session.spec.vector_entry_point
        if session.spec.id in hub.PLUGINS.registry:
            target = hub.PLUGINS.registry.card(session.spec.id).vector_entry_point
        with blame(f"loading {target}"):
            known = options(load(target) if isinstance(target, str) else target)
        if known is not None:
            return option in known
        try:
            with open_vector(session, 1, **{option: trial}):
                return True
        except Finding as found:
            if isinstance(found.__cause__, TypeError):
                return False
            raise

    taken: bool = session.once(("takes", option), look)
    return taken


def own_modes(session: Session) -> tuple[AutoresetMode, ...]:
    """Return the autoreset modes that the vector environment offers; its default comes first."""

    def look() -> tuple[AutoresetMode, ...]:
        with open_vector(session, 1) as probe:
            default = probe.env.metadata.get("autoreset_mode")
        if not isinstance(default, AutoresetMode):
            text = f"metadata['autoreset_mode'] is {default!r}, not an AutoresetMode"
            raise Finding(text, field="metadata")
        if not vector_takes(session, "autoreset_mode", AutoresetMode.NEXT_STEP):
            return (default,)
        return (default, *(mode for mode in MODES if mode is not default))

    modes: tuple[AutoresetMode, ...] = session.once("own_modes", look)
    return modes


def mode_kwargs(session: Session, mode: AutoresetMode, kind: str) -> dict[str, Any]:
    """Return the keyword arguments that ask `open_vector` for an autoreset mode."""
    if kind != "vector_entry_point":
        return {"vector_kwargs": {"autoreset_mode": mode}}
    return (
        {"autoreset_mode": mode}
        if vector_takes(session, "autoreset_mode", AutoresetMode.NEXT_STEP)
        else {}
    )


def lane_of(space: gymnasium.Space[Any], batch: Any, lane: int) -> Any:
    """Return one lane of a batched value, by the layout of `gymnasium.vector.utils.batch_space`.

    Args:
        space: The space of one lane.
        batch: A value of the batched space.
        lane: Index of the lane.
    """
    if isinstance(space, gymnasium.spaces.Dict):
        return {key: lane_of(part, batch[key], lane) for key, part in space.items()}
    if isinstance(space, gymnasium.spaces.Tuple):
        return tuple(lane_of(part, batch[i], lane) for i, part in enumerate(space))
    return batch[lane]


def lane_info(infos: dict[str, Any], lane: int) -> dict[str, Any]:
    """Return the info of one lane: the keys whose mask is set there, nested dicts included."""
    own: dict[str, Any] = {}
    for key, value in infos.items():
        mask = infos.get(f"_{key}")
        if mask is None or not mask[lane]:
            continue
        own[key] = lane_info(value, lane) if isinstance(value, dict) else value[lane]
    return own


def rows(probe: VectorProbe, result: Step | tuple[Any, dict[str, Any]]) -> list[Snapshot]:
    """Take a batched result apart into one snapshot a lane."""
    observations, infos = result[0], result[-1]
    taken = []
    for lane in range(probe.num_envs):
        own = lane_of(probe.vector.single_observation_space, observations, lane)
        data = snapshot(own, "observation")
        if len(result) == 5:
            for name, value in zip(("reward", "terminated", "truncated"), result[1:4], strict=True):
                data |= snapshot(np.asarray(value)[lane], name)
        taken.append(data | snapshot(lane_info(infos, lane), "info"))
    return taken
