from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from hub import UnknownOption
from hub_ppo.settings import Settings, training_seed
from hub_ppo.spaces import Interface
from hub_ppo.statistics import Moments


def test_the_paper_gives_five_defaults() -> None:
    settings = Settings()
    given = settings.learning_rate, settings.clip, settings.epochs, settings.gae_lambda
    assert given == (2.5e-4, 0.2, 4, 0.95)
    assert settings.gamma == 0.99


def test_an_unknown_option_is_a_type_error_that_lists_the_known() -> None:
    with pytest.raises(UnknownOption, match="no option 'lr'; it has lanes, steps"):
        Settings.of({"lr": 1})
    assert issubclass(UnknownOption, TypeError)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lanes": 0}, "lanes is 0: expected a whole number, 1 or more"),
        ({"steps": 1.5}, "steps is 1.5"),
        ({"clip": 0}, "clip is 0: expected more than 0"),
        ({"gamma": 1.1}, "gamma is 1.1: expected between 0 and 1"),
        ({"network": "cnn"}, "network is 'cnn': expected 'mlp' or 'gru'"),
        ({"lanes": 6, "network": "gru"}, r"minibatches is 4: expected a divisor of 6 \(lanes\)"),
        ({"lanes": 3, "steps": 3}, r"minibatches is 4: expected a divisor of 9 \(samples\)"),
    ],
)
def test_a_bad_value_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Settings.of(options)


def test_no_two_trainings_share_games_and_none_shares_those_of_evaluation() -> None:
    firsts = sorted(training_seed(seed) for seed in range(200))
    assert min(np.diff(firsts)) > 4096
    assert firsts[0] >= 1 << 31


def test_spaces_without_a_network_are_refused() -> None:
    box, spaces = gymnasium.spaces.Box(0, 1, (2,)), gymnasium.spaces
    with pytest.raises(ValueError, match="takes a Box; flatten it"):
        Interface.of(spaces.Dict({"a": box}), spaces.Discrete(2))
    with pytest.raises(ValueError, match="takes Discrete or Box"):
        Interface.of(box, spaces.MultiDiscrete([2, 2]))


def test_moments_of_batches_are_those_of_all_valid_values() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(3, 2, (6, 50, 2)).astype(np.float32)
    valid = rng.random((6, 50)) < 0.7
    moments = Moments.none(2)
    for part in range(0, 6, 2):
        moments = moments.merged(values[part : part + 2], valid[part : part + 2])
    np.testing.assert_allclose(moments.mean, values[valid].mean(0), rtol=1e-5)
    np.testing.assert_allclose(1 / moments.scale(), values[valid].std(0), rtol=1e-4)
