from __future__ import annotations

from hub.bench import Case, Plan
from hub.bench.groups import Group, plan_groups
from hub.bench.keys import BenchKeys
from tests import need

ID = "CartPole-v1"  # has a vector entry point of its own
BARE = "MountainCar-v0"  # has none


def named(groups: list[Group]) -> list[list[str]]:
    return [[str(case) for case in group.cases] for group in groups]


def test_lanes_go_from_1_to_16384_in_powers_of_4() -> None:
    groups = plan_groups(Plan(), ID, BenchKeys.read(ID, {}))
    assert [g.cases[0].lanes for g in groups[:-1]] == [1, 4, 16, 64, 256, 1024, 4096, 16384]
    assert {g.cases[0].path for g in groups[:-1]} == {"make_vec"}


def test_the_reference_stands_in_every_group_and_sync_stops_at_64_lanes() -> None:
    groups = plan_groups(Plan(), ID, BenchKeys.read(ID, {"reference": "Acrobot-v1 sync"}))
    assert [str(g.reference) for g in groups] == [
        *(f"Acrobot-v1 sync lanes={n}" for n in (1, 4, 16, 64, 64, 64, 64, 64)),
        "Acrobot-v1 make",
    ]
    assert all(g.reference in g.cases for g in groups)


def test_an_environment_without_a_vector_class_goes_through_sync() -> None:
    groups = plan_groups(Plan(), BARE, BenchKeys.read(BARE, {}))
    assert [str(g.cases[0]) for g in groups] == [
        *(f"sync lanes={n}" for n in (1, 4, 16, 64)),
        "make",
    ]


def test_quick_takes_one_call_and_one_full_batch_and_adds_no_group_for_goals() -> None:
    goals = {"make_vec lanes=65536 over CartPole-v1 sync lanes=64": 2.0}
    keys = BenchKeys.read(ID, {"goals": goals})
    assert named(plan_groups(Plan(quick=True), ID, keys)) == [
        ["make_vec lanes=1", "CartPole-v1 sync lanes=1"],
        ["make_vec lanes=1024", "CartPole-v1 sync lanes=64"],
        ["make", "CartPole-v1 make"],
    ]


def test_quick_compiles_once() -> None:
    need.module("jax")
    env_id = "hub:jax/Pong-v0"
    groups = plan_groups(Plan(quick=True), env_id, BenchKeys.read(env_id, {}))
    assert named(groups)[0][0] == "make_vec lanes=1024"
    assert len(groups) == 1


def test_lanes_of_the_plan_come_before_the_cards_and_threads_reach_the_cases() -> None:
    keys = BenchKeys.read(ID, {"lanes": [2, 8]})
    assert len(plan_groups(Plan(), ID, keys)) == 2 + 1
    (group, _) = plan_groups(Plan(lanes=(32,), threads=2), ID, keys)
    assert str(group.cases[0]) == "make_vec lanes=32 threads=2"


def test_a_goal_joins_the_group_that_measures_both_its_cases() -> None:
    goals = {
        "make_vec lanes=64 over CartPole-v1 sync lanes=64 per cpu-second": 2,
        "make_vec lanes=64 over bare loop lanes=64": 0.6,
        "make over CartPole-v1 make": 6,
    }
    keys = BenchKeys.read(ID, {"goals": goals, "layers": "toy_env:layers", "lanes": [1, 64]})
    groups = plan_groups(Plan(), ID, keys)
    assert [len(group.goals) for group in groups] == [0, 2, 1]


def test_a_goal_whose_cases_nobody_measures_gets_a_group_of_its_own() -> None:
    text = "make_vec lanes=65536 threads=2 copy=false over make_vec lanes=65536 copy=false"
    keys = BenchKeys.read(ID, {"goals": {text: 1.5}, "lanes": [1]})
    group = plan_groups(Plan(), ID, keys)[-1]
    assert group.cases == [
        Case("make_vec", lanes=65536, threads=2, options={"copy": False}),
        Case("make_vec", lanes=65536, options={"copy": False}),
    ]
    assert len(group.goals) == 1


def test_a_goal_over_a_layer_at_other_lanes_asks_for_that_layer_alone() -> None:
    goals = {"make_vec lanes=256 over bare loop lanes=256": 0.6}
    keys = BenchKeys.read(ID, {"goals": goals, "layers": "toy_env:layers", "lanes": [1]})
    group = plan_groups(Plan(), ID, keys)[-1]
    assert (named([group]), group.functions) == ([["make_vec lanes=256"]], ("toy_env:layers",))
    assert group.wanted == {"bare loop lanes=256"}
