"""Every fault of a vector environment is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from hub.conformance.rules import TABLE
from tests.hub.conformance.test_single import outcome

# (mutant, rule, field); None where the report need not name one.
FAULTS = [
    ("OneLaneTooMany", "vector_make", "num_envs"),
    ("NoMode", "vector_make", "metadata"),
    ("ModeInMetadataOnly", "vector_make", "autoreset_mode"),
    ("OneMode", "vector_make", "metadata"),
    ("UnbatchedSpace", "vector_spaces", "observation_space"),
    ("OtherSpace", "vector_spaces", "single_observation_space"),
    ("NoActionSpace", "vector_spaces", "action_space"),
    ("UnbatchedObservation", "vector_data", "observation"),
    ("ColumnReward", "vector_data", "reward"),
    ("FloatReward", "vector_data", "reward"),
    ("NaNReward", "vector_data", "reward"),
    ("IntFlags", "vector_data", "terminated"),
    ("NoMask", "vector_data", "info['t']"),
    ("OneSeedForAll", "vector_lanes", "observation"),
    ("SeedsInPairs", "vector_lanes", "observation"),
    ("AlikeUnseeded", "vector_lanes", "observation"),
    ("OtherSeeds", "vector_seeds", "observation"),
    ("NoSeedList", "vector_seeds", None),
    ("Racy", "vector_determinism", "reward"),
    ("RemembersEpisodes", "vector_determinism", "reward"),
    ("ThreadsMatter", "vector_threads", "observation"),
    ("HandsOutBuffers", "vector_returned_data", "observation"),
    ("ReusesRewards", "vector_returned_data", "reward"),
    ("ChangesActions", "vector_returned_data", "action"),
    ("NoLimit", "vector_limit", "truncated"),
    ("ClosesOnceOnly", "vector_close", None),
    ("OneFrame", "vector_render", "render"),
    ("RewardsTheReset", "autoreset_next_step", "reward"),
    ("KeepsPending", "autoreset_next_step", None),
    ("ResetsAtOnce", "autoreset_next_step", "observation"),
    ("FinalsInNextStep", "autoreset_next_step", "final_obs"),
    ("NeitherFlag", "autoreset_next_step", None),
    ("InfoOfAnotherLane", "autoreset_next_step", "info['t']"),
    ("NoFinals", "autoreset_same_step", "final_obs"),
    ("NoFinalInfo", "autoreset_same_step", "final_info['parts']['x']"),
    ("FinalIsTheReset", "autoreset_same_step", "final_obs"),
    ("FinalsForAll", "autoreset_same_step", "final_obs"),
    ("StaleFinals", "autoreset_same_step", None),
    ("ResetsByItself", "autoreset_disabled", "observation"),
    ("IgnoresMask", "autoreset_disabled", "observation"),
    ("TakesTheMask", "autoreset_disabled", "options"),
    ("ChangesTheMask", "autoreset_disabled", "options"),
    ("OneGeneratorRewardsTheReset", "autoreset_next_step", "reward"),
    ("OneGeneratorActsInTheReset", "autoreset_next_step", "observation"),
    ("OneGeneratorWithFinals", "autoreset_next_step", "info['_final_obs']"),
]
VECTOR_RULES = [r.name for r in TABLE if r.name.startswith(("vector_", "autoreset_"))]


@pytest.mark.parametrize(("name", "rule", "field"), FAULTS)
def test_a_broken_vector_environment_is_found(
    tmp_path: Path, name: str, rule: str, field: str | None
) -> None:
    # A generator shared by the lanes is no fault of a foreign environment.
    found = outcome(tmp_path, name, rule, strict=not name.startswith("OneGenerator"))
    assert found.status == "fail", found
    if field is not None:
        assert found.field == field, found


@pytest.mark.parametrize("rule", VECTOR_RULES)
def test_a_good_vector_environment_passes_every_rule_of_the_hub(tmp_path: Path, rule: str) -> None:
    found = outcome(tmp_path, "GoodVector", rule)
    assert found.status == "pass", found


@pytest.mark.parametrize("rule", VECTOR_RULES)
def test_lanes_that_share_a_generator_break_no_rule_of_gymnasium(tmp_path: Path, rule: str) -> None:
    found = outcome(tmp_path, "OneGenerator", rule, strict=False)
    assert found.status != "fail", found


def test_lanes_that_share_a_generator_break_the_rule_of_the_hub(tmp_path: Path) -> None:
    assert outcome(tmp_path, "OneGenerator", "vector_seeds").status == "fail"


def test_single_precision_rewards_break_no_rule_of_gymnasium(tmp_path: Path) -> None:
    assert outcome(tmp_path, "FloatReward", "vector_data", strict=False).status == "pass"
