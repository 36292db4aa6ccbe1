"""Every fault of a single environment is found, at the right step and field."""

from __future__ import annotations

import warnings
from pathlib import Path

import gymnasium
import pytest

from hub.conformance.pulse import Pulse
from hub.conformance.report import Check
from hub.conformance.rules import TABLE
from hub.conformance.session import SEED, Session
from hub.conformance.specs import find
from hub.conformance.worker import judge
from tests import need
from tests.hub.conformance.mutants import env_id

# These start a process, or play rounds that may take longer than the first: on a busy machine they
# need more time than they take on a quiet one.
PATIENT, PATIENCE = ("process", "memory"), 60.0


def outcome(folder: Path, name: str, rule: str, strict: bool = True, seconds: float = 8.0) -> Check:
    """Run one rule over one mutant, in this process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as in a process of its own, whose warnings nobody sees
        return _outcome(folder, name, rule, strict, seconds)


def _outcome(folder: Path, name: str, rule: str, strict: bool, seconds: float) -> Check:
    whole = PATIENCE if rule in PATIENT else seconds
    session = Session(find(env_id(name)), strict, whole, Pulse(folder / "pulse"))
    session.begin(0.3 * seconds, whole)
    try:
        return judge(session, {r.name: r for r in TABLE}[rule])
    finally:
        session.close()


# (mutant, rule, step, field); None where the report need not name one. All are found from the first
# seed, but those that no episode is played for.
UNPLAYED = ("make", "spec", "spaces")
FAULTS = [
    ("RaisesOnConstruction", "make", None, None),
    ("TupleInKwargs", "spec", None, "spec.kwargs"),
    ("NaNInKwargs", "spec", None, None),
    ("NoSpace", "spaces", None, "observation_space"),
    ("Raises", "run", 5, None),
    ("OldReset", "run", 0, None),
    ("OldStep", "run", 1, None),
    ("OutsideLate", "observation", 2, "observation"),
    ("WrongDtype", "observation", 0, "observation"),
    ("NaNAtTheEnd", "reward", None, "reward"),
    ("InfiniteReward", "reward", 3, "reward"),
    ("ArrayReward", "reward", 1, "reward"),
    ("NumpyReward", "reward", 1, "reward"),
    ("RewardOutsideRange", "reward", None, "reward"),
    ("IntFlag", "flags", 1, "terminated"),
    ("NumpyFlag", "flags", 1, "terminated"),
    ("BothFlags", "flags", None, None),
    ("NeverEnds", "episode_end", None, "terminated"),
    ("NeverEndsSlowly", "episode_end", None, "terminated"),
    ("LambdaInInfo", "info", 0, "info['f']"),
    ("IntKeyInInfo", "info", 0, "info"),
    ("NondeterministicFromStepTwo", "determinism", 2, "observation"),
    ("CountsInstances", "determinism", 0, "observation"),
    ("FixedSeed", "seed", 0, "observation"),
    ("RepeatsItself", "seed", 0, "observation"),
    ("RestartsOneEpisode", "seed", 0, "observation"),
    ("IgnoresSeed", "seed", 0, "np_random"),
    ("KeepsVelocity", "reset", 1, "observation"),
    ("LeaksAcrossEpisodes", "history", None, None),
    ("SharesState", "instances", None, None),
    ("DependsOnPid", "process", 0, "observation"),
    ("DependsOnHash", "process", 1, "observation"),
    ("SeedsGlobally", "global_rng", 0, "np.random"),
    ("DrawsFromNumpy", "global_rng", 4, "np.random"),
    ("DrawsFromRandom", "global_rng", 1, "random"),
    ("HiddenDraw", "global_rng", 1, "observation"),
    ("ReusedObservation", "returned_data", 0, "observation"),
    ("ReusedInfo", "returned_data", 0, "info['t']"),
    ("HandsOutItsState", "returned_data", 1, "observation"),
    ("ChangesAction", "returned_data", None, "action"),
    ("GoesOnAfterTheEnd", "after_end", None, "terminated"),
    ("PoisonedAfterTheEnd", "after_end", 0, "observation"),
    ("Unpicklable", "pickle", None, None),
    ("CopyDiffers", "pickle", 0, "observation"),
    ("WrongFrame", "render", 0, "render"),
    ("RenderDisturbs", "render", 1, "observation"),
    ("ClosesOnce", "close", None, None),
    ("InfoIntThenFloat", "vector_info", None, "info['score']"),
    ("InfoRagged", "vector_info", None, "info['seen']"),
    ("InfoLongerString", "vector_info", None, "info['name']"),
    ("InfoMaskClash", "vector_info", None, "info['_x']"),
    ("InfoReservedKey", "vector_info", None, "info['final_obs']"),
    ("InfoDictThenNumber", "vector_info", None, "info['x']"),
    ("GrowsInPython", "memory", None, None),
    ("GrowsOutsidePython", "memory", None, None),
    ("GrowsOnReset", "memory", None, None),
    ("ReusedObservation", "sync", None, None),
]


@pytest.mark.parametrize(("name", "rule", "step", "field"), FAULTS)
def test_a_broken_environment_is_found(
    tmp_path: Path, name: str, rule: str, step: int | None, field: str | None
) -> None:
    found = outcome(tmp_path, name, rule)
    assert found.status == "fail", found
    if step is not None:
        assert found.step == step, found
    if field is not None:
        assert found.field == field, found
    if name != "Unpicklable":
        assert found.seed == (None if rule in UNPLAYED else SEED), found


@pytest.mark.parametrize("name", ["OutsideFromSomeStarts", "OutsideLate"])
def test_a_finding_shows_again_from_its_seed_and_step_alone(tmp_path: Path, name: str) -> None:
    found = outcome(tmp_path, name, "observation")
    assert (found.status, found.step) == ("fail", 2)
    assert found.seed is not None
    assert (found.seed > SEED) == (name == "OutsideFromSomeStarts")
    env = gymnasium.make(env_id(name), disable_env_checker=True)
    env.action_space.seed(found.seed)
    seen = [env.reset(seed=found.seed)[0]]
    for _ in range(found.step):
        seen.append(env.step(env.action_space.sample())[0])
    assert [observation in env.observation_space for observation in seen] == [True, True, False]


@pytest.mark.parametrize("name", ["Good", "Compound", "Ragged", "Messages"])
@pytest.mark.parametrize("rule", [rule.name for rule in TABLE if rule.name != "async"])
def test_a_good_environment_passes_every_rule_of_the_hub(
    tmp_path: Path, rule: str, name: str
) -> None:
    found = outcome(tmp_path, name, rule)
    assert found.status == ("skip" if _own_vector(rule) else "pass"), found


def _own_vector(rule: str) -> bool:
    return rule.startswith(("vector_", "autoreset_")) and rule != "vector_info"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("DrawsNothing", "the environment draws nothing at random"),
        ("DrawsNothingUnseeded", "the environment draws nothing at random"),
        ("RarelyDiffers", ""),
    ],
)
def test_resets_that_are_alike_by_right_pass(tmp_path: Path, name: str, message: str) -> None:
    found = outcome(tmp_path, name, "seed")
    assert found.status == "pass", found
    assert message in found.message


def test_an_environment_that_raises_after_the_end_is_good(tmp_path: Path) -> None:
    assert outcome(tmp_path, "RaisesAfterTheEnd", "after_end").message == "it raises"


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("NumpyReward", "reward"),
        ("NumpyFlag", "flags"),
        ("GoesOnAfterTheEnd", "after_end"),
        ("HandsOutItsState", "returned_data"),
    ],
)
def test_the_rules_that_the_hub_adds_do_not_apply_to_a_foreign_id(
    tmp_path: Path, name: str, rule: str
) -> None:
    assert outcome(tmp_path, name, rule, strict=False).status == "pass"


@pytest.mark.slow
def test_drawing_from_the_global_generator_of_torch_is_found(tmp_path: Path) -> None:
    need.module("torch")
    found = outcome(tmp_path, "DrawsFromTorch", "global_rng")
    assert (found.status, found.step, found.field) == ("fail", 1, "torch")


@pytest.mark.parametrize("rule", ["determinism", "history", "process", "sync"])
def test_what_says_that_it_is_nondeterministic_is_not_asked_to_repeat(
    tmp_path: Path, rule: str
) -> None:
    found = outcome(tmp_path, "SaysNondeterministic", rule)
    assert (found.status, found.message) == ("skip", "the spec says nondeterministic=True")


def test_what_says_that_it_is_nondeterministic_passes_the_other_rules(tmp_path: Path) -> None:
    for rule in ("observation", "returned_data", "pickle", "render", "after_end", "global_rng"):
        assert outcome(tmp_path, "SaysNondeterministic", rule).status == "pass"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "status"),
    [("ReusedObservation", "fail"), ("Messages", "pass"), ("Compound", "pass"), ("Ragged", "pass")],
)
def test_processes_of_gymnasium_are_played_against_the_table(
    tmp_path: Path, name: str, status: str
) -> None:
    assert outcome(tmp_path, name, "async", seconds=40.0).status == status


def test_an_info_that_gymnasium_itself_corrupts_is_found(tmp_path: Path) -> None:
    # FrozenLake's reset says {"prob": 1} and its steps {"prob": 0.33}: a real fault of Gymnasium.
    session = Session(find("FrozenLake-v1"), False, 8.0, Pulse(tmp_path / "pulse"))
    session.begin(0.3, 1.0)
    found = judge(session, {r.name: r for r in TABLE}["vector_info"])
    assert (found.status, found.field) == ("fail", "info['prob']")
