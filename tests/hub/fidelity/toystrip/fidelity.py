"""The strip's declaration: a small complete one."""

import numpy as np

from hub import fidelity
from hub.fidelity import (
    Check,
    Declaration,
    Distributions,
    Exact,
    Mutant,
    Reference,
    Sources,
    Transfer,
)
from toystrip import engine, reference

ENGINE = "toystrip.engine"


def _cells(samples, seed):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 12, samples), rng.integers(0, 3, samples)


def moves(samples, seed):
    x, actions = _cells(samples, seed)
    return fidelity.compare(x + actions - 1, engine.move(x, np.take(engine.MOVES, actions)))


def ice(samples, seed):
    x, actions = _cells(samples, seed)
    want = [a + b - 1 if a == 6 else a for a, b in zip(x, actions, strict=True)]
    return fidelity.compare(want, engine.slide(x, actions - 1))


def rewards(samples, seed):
    x, _ = _cells(samples, seed)
    target = np.random.default_rng(seed + 1).integers(8, 12, samples)
    want = [reference.value(*pair) for pair in zip(x, target, strict=True)]
    return fidelity.compare(want, engine.reward(x, target))


def steps(samples, seed):
    x, actions = _cells(samples, seed)
    want = [reference.after(*pair) for pair in zip(x, actions, strict=True)]
    return fidelity.compare(want, engine.advance(x, actions))


def _patch(name, value):
    return lambda: fidelity.patched(f"{ENGINE}:{name}", value)


def _first_draw_only(seed, draws, spawn=engine.spawn):
    return spawn(seed, 0)


MUTANTS = (
    Mutant("goal", "constant", "the goal pays 0.9", _patch("GOAL", 0.9)),
    Mutant("mirror", "sign", "left is right", _patch("MOVES", (1, 0, -1))),
    Mutant("no-ice", "missing case", "nothing slides", _patch("slide", lambda x, direction: x)),
    Mutant(
        "slide-first",
        "order",
        "the ice acts before the move",
        _patch("ORDER", (engine.slide, engine.move, engine.bound)),
    ),
    Mutant("late", "off-by-one", "truncated a step late", _patch("LIMIT", 41)),
    Mutant(
        "stuck", "lost randomness", "every spawn is the first", _patch("spawn", _first_draw_only)
    ),
)

DECLARATION = Declaration(
    engine=engine.StripVector,
    sources=Sources("toystrip", ("engine.py",)),
    reference=Reference(
        make=reference.StripReference,
        summary="the plain strip",
        distributions={"numpy": "2.4.6"},
        sources=Sources("toystrip", ("reference.py",)),
    ),
    components=(Check("moves", moves), Check("ice", ice), Check("rewards", rewards)),
    interactions=(Check("move, slide, bound", steps),),
    rollouts=Exact(max_steps=60),
    distributions=Distributions(horizons=(0, 3)),
    transfer=Transfer(
        margin=0.2,
        return_threshold=-1.0,
        budget=10,
        fast_id="hub:toystrip/Strip-v0",
        reference_id="hub:toystrip/StripPlain-v0",
        max_steps=60,
        trainer="toy",
        max_policies=12,
    ),
    mutants=MUTANTS,
)
