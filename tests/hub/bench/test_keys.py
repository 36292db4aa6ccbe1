from __future__ import annotations

import pytest

from hub.bench import Case, keys
from hub.bench.keys import BenchKeys, Goal
from hub.card_fields import BENCH_KEYS
from hub.errors import BenchError

FULL = {
    "reference": "CartPole-v1 sync",
    "peers": ["Acrobot-v1 sync", "toy_env:peers"],
    "layers": "toy_env:layers",
    "lanes": [1, 64],
    "goals": {"make_vec lanes=64 over bare loop lanes=64": 0.6},
}


def test_every_key_is_read() -> None:
    read = BenchKeys.read("hub:toy/Toy-v0", FULL)
    assert read.reference == Case("sync", "CartPole-v1")
    assert read.peers == (Case("sync", "Acrobot-v1"),)
    assert read.functions == ("toy_env:layers", "toy_env:peers")
    assert read.lanes == (1, 64)
    assert read.goals == (
        Goal(Case("make_vec", lanes=64), Case("bare loop", lanes=64), 0.6, "steps/s"),
    )


def test_every_key_is_documented_where_it_is_defined() -> None:
    assert keys.__doc__ is not None
    assert all(f"| `{key}` |" in keys.__doc__ for key in FULL)
    assert set(FULL) == BENCH_KEYS


def test_without_keys_the_yardstick_is_the_reference() -> None:
    assert BenchKeys.read("hub:toy/Toy-v0", {}) == BenchKeys(Case.parse(keys.YARDSTICK))


def test_a_goal_may_be_per_cpu_second() -> None:
    goal = Goal.parse("make_vec lanes=4 over CartPole-v1 sync lanes=4 per cpu-second", 100)
    assert (goal.unit, goal.over) == ("steps/cpu-s", Case("sync", "CartPole-v1", 4))


@pytest.mark.parametrize(
    ("bench", "said"),
    [
        ({"refrence": "CartPole-v1 sync"}, "bench key 'refrence': expected one of"),
        ({"goals": {"make_vec lanes=4": 2}}, "expected 'CASE over CASE"),
        ({"goals": {"make over make": "much"}}, "'much': expected a number"),
        ({"lanes": [0]}, "lanes"),
        ({"peers": "CartPole-v1 sync"}, "peers .* expected a list"),
        ({"layers": "no target"}, "layers 'no target': expected 'module:function'"),
    ],
)
def test_a_bad_key_is_an_error_that_names_it(bench: dict[str, object], said: str) -> None:
    with pytest.raises(BenchError, match=said):
        BenchKeys.read("hub:toy/Toy-v0", bench)
