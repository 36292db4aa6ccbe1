"""Seeded bugs for the ladder under test: `hub verify hub:jax/HalfCheetah-v0 --mutants`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp

from hub.fidelity import Mutant, patched
from hub_jax.cheetah import constraints, forces, kinematics, probe, task
from hub_jax.cheetah.constants import BODIES, CONTACT, HINGES, LIMIT

_AT = "hub_jax.cheetah."


@contextmanager
def _altered(target: str, value: Any) -> Iterator[None]:
    """Replace one attribute of the engine; nothing compiled crosses either edge."""
    _forget()
    try:
        with patched(_AT + target, value):
            yield
    finally:
        _forget()


def _forget() -> None:
    jax.clear_caches()  # type: ignore[no-untyped-call]  # JAX leaves it unannotated
    probe.forget()
    task.half_cheetah.cache_clear()


def _row(table: tuple[Any, ...], index: int, **fields: Any) -> tuple[Any, ...]:
    """Return the table with fields of one row replaced."""
    return (*table[:index], table[index]._replace(**fields), *table[index + 1 :])


def _after(function: Callable[..., Any], change: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return `function` with its result changed."""

    @functools.wraps(function)
    def altered(*arguments: Any) -> Any:
        return change(function(*arguments))

    return altered


def _negated(values: list[Any], index: int) -> list[Any]:
    return [-value if k == index else value for k, value in enumerate(values)]


def _swapped(table: tuple[Any, ...], i: int, j: int) -> tuple[Any, ...]:
    rows = list(table)
    rows[i], rows[j] = rows[j], rows[i]
    return tuple(rows)


def _constant_reset(dtype: Any, key: Any, params: Any) -> task.CheetahState:
    zeros = jnp.zeros((9, *key.shape), dtype)
    return task.CheetahState(zeros, zeros)


def _same_for_all_lanes(dtype: Any, key: Any, params: Any) -> task.CheetahState:
    one = _INIT(dtype, key[:1], params)
    shape = (9, *key.shape)
    return task.CheetahState(jnp.broadcast_to(one.qpos, shape), jnp.broadcast_to(one.qvel, shape))


def _uniform_velocities(dtype: Any, key: Any, params: Any) -> task.CheetahState:
    state = _INIT(dtype, key, params)
    spread = jnp.asarray(params.reset_noise_scale, dtype)
    return task.CheetahState(state.qpos, spread * jnp.tanh(state.qvel / spread))


def _one_sided_limits(qpos: Any, qvel: Any) -> Any:
    found = _LIMITS(qpos, qvel)
    return found._replace(weight=jnp.where(found.sign > 0.0, found.weight, 0.0))


def _no_velocity_in_aref(height: Any, tree: Any, bodies: Any) -> Any:
    return _CONTACTS(height, tree, [kinematics.Planar(0 * t.x, 0 * t.z, 0 * t.w) for t in bodies])


def _first_end_only(height: Any, tree: Any, bodies: Any) -> Any:
    found = _CONTACTS(height, tree, bodies)
    first = (jnp.arange(16) < 8).reshape(16, *(1,) * (found.dist.ndim - 1))
    return found._replace(weight=jnp.where(first, found.weight, 0.0))


_INIT, _LIMITS, _CONTACTS = task.init, constraints.limits, constraints.contacts

# (name, kind, summary, attribute, value)
_TABLE: tuple[tuple[str, Any, str, str, Any], ...] = (
    ("gravity", "constant", "gravity is 9.8", "forces:GRAVITY", 9.8),
    ("armature", "constant", "the hinges have no armature", "forces:ARMATURE", 0.0),
    ("hessian-armature", "constant", "Newton's Hessian lacks it", "solver:ARMATURE", 0.0),
    ("radius", "constant", "capsules are 47 mm thick", "constraints:RADIUS", 0.047),
    ("friction", "constant", "friction of the rows is 0.5", "constraints:FRICTION", 0.5),
    ("push-friction", "constant", "friction of the push is 0.5", "solver:FRICTION", 0.5),
    ("min-impedance", "constant", "impedance starts at 0", "constraints:MIN_IMPEDANCE", 0.0),
    ("timestep", "constant", "a step lasts 8 ms", "physics:TIMESTEP", 0.008),
    ("start-height", "constant", "the torso starts 1 cm lower", "physics:START_HEIGHT", 0.69),
    (
        "reset-noise",
        "constant",
        "positions start in [-0.05, 0.05]",
        "task:init",
        _after(_INIT, lambda s: task.CheetahState(0.5 * s.qpos, s.qvel)),
    ),
    (
        "contact-width",
        "constant",
        "contacts soften over 3 cm, as limits do",
        "constraints:CONTACT",
        CONTACT._replace(width=0.03),
    ),
    (
        "limit-dmax",
        "constant",
        "limits harden to 0.9",
        "constraints:LIMIT",
        LIMIT._replace(dmax=0.9),
    ),
    (
        "contact-time",
        "constant",
        "contacts' time constant is 0.025 s",
        "constraints:CONTACT",
        CONTACT._replace(time_constant=0.025),
    ),
    (
        "gear",
        "constant",
        "the front foot's motor has the back one's gear",
        "forces:HINGES",
        _row(HINGES, 5, gear=60.0),
    ),
    (
        "damping",
        "constant",
        "the back shin is damped like the thigh",
        "physics:HINGES",
        _row(HINGES, 1, damping=6.0),
    ),
    (
        "shin-mass",
        "constant",
        "the front shin is 1 g heavier",
        "forces:BODIES",
        _row(BODIES, 5, mass=BODIES[5].mass + 1e-3),
    ),
    (
        "foot-inertia",
        "constant",
        "the back foot has the front one's inertia",
        "forces:BODIES",
        _row(BODIES, 3, inertia=BODIES[6].inertia),
    ),
    (
        "invweight",
        "constant",
        "the torso's contacts use the thigh's weight",
        "constraints:BODIES",
        _row(BODIES, 0, invweight=BODIES[1].invweight),
    ),
    (
        "bias-sign",
        "sign",
        "the back thigh's bias has the other sign",
        "forces:bias",
        _after(forces.bias, lambda f: _negated(f, 3)),
    ),
    (
        "spring-sign",
        "sign",
        "springs push outwards",
        "forces:HINGES",
        tuple(h._replace(stiffness=-h.stiffness) for h in HINGES),
    ),
    (
        "motor-sign",
        "sign",
        "the front shin's motor turns backwards",
        "forces:HINGES",
        _row(HINGES, 4, gear=-60.0),
    ),
    (
        "tangent-sign",
        "sign",
        "the contacts' tangential velocity counts backwards",
        "constraints:contacts",
        _after(_CONTACTS, lambda c: c._replace(edge=-c.edge)),
    ),
    (
        "limit-sign",
        "sign",
        "limits pull outwards",
        "constraints:limits",
        _after(_LIMITS, lambda k: k._replace(sign=-k.sign)),
    ),
    (
        "control-sign",
        "sign",
        "actions are rewarded",
        "task:_control_cost",
        lambda weight, action: -weight * jnp.sum(action * action, axis=0),
    ),
    (
        "hinge-order",
        "order",
        "thighs' and shins' hinges are swapped",
        "forces:HINGES",
        _swapped(HINGES, 0, 1),
    ),
    (
        "leg-order",
        "order",
        "the shins hang at each other's places",
        "kinematics:BODIES",
        (
            *BODIES[:2],
            BODIES[2]._replace(joint=BODIES[5].joint),
            *BODIES[3:5],
            BODIES[5]._replace(joint=BODIES[2].joint),
            BODIES[6],
        ),
    ),
    (
        "end-order",
        "order",
        "torso and head swap their ends",
        "constraints:SLOT_ENDS",
        _swapped(constraints.SLOT_ENDS, 0, 1),
    ),
    (
        "limit-side",
        "missing case",
        "upper limits are never violated",
        "constraints:limits",
        _one_sided_limits,
    ),
    (
        "aref-velocity",
        "missing case",
        "contacts do not damp",
        "constraints:contacts",
        _no_velocity_in_aref,
    ),
    (
        "one-end",
        "missing case",
        "only the first end of a capsule touches",
        "constraints:contacts",
        _first_end_only,
    ),
    (
        "no-clip",
        "missing case",
        "motors take actions beyond 1",
        "forces:actuation",
        lambda action: [h.gear * a for h, a in zip(HINGES, action, strict=True)],
    ),
    (
        "explicit-damping",
        "missing case",
        "damping is not integrated implicitly",
        "physics:HINGES",
        tuple(h._replace(damping=0.0) for h in HINGES),
    ),
    ("frame-skip", "off-by-one", "an environment step is 4 physics steps", "task:FRAME_SKIP", 4),
    ("one-newton", "off-by-one", "one Newton iteration", "solver:NEWTON_ITERATIONS", 1),
    (
        "slot-body",
        "off-by-one",
        "the back foot's contacts act on the shin",
        "constraints:SLOT_BODIES",
        tuple(2 if b == 3 else b for b in constraints.SLOT_BODIES),
    ),
    ("no-randomness", "lost randomness", "every reset is the same", "task:init", _constant_reset),
    ("no-lanes", "lost randomness", "all lanes start alike", "task:init", _same_for_all_lanes),
    (
        "wrong-noise",
        "lost randomness",
        "velocities' noise is squashed",
        "task:init",
        _uniform_velocities,
    ),
)

MUTANTS = tuple(
    Mutant(name, kind, summary, functools.partial(_altered, target, value))
    for name, kind, summary, target, value in _TABLE
)
