"""Any functional environment can be kept and resumed, whatever its state is made of."""

import numpy as np
import pytest

from hub.errors import SnapshotError
from hub.functional import FunctionalSingleEnv, FunctionalVectorEnv
from hub.snapshot import opened
from tests.hub.functional.games import script, walk


@pytest.mark.parametrize("make", [script, walk, lambda: walk("float64")])
@pytest.mark.parametrize("adapter", [FunctionalVectorEnv, FunctionalSingleEnv])
def test_keys_scalars_and_batched_states_go_on_bit_for_bit(make, adapter):
    env, other = adapter(make()), adapter(make())
    env.reset(seed=3)
    action = env.action_space.sample()
    env.step(action)
    seen = other.restore(env.snapshot())
    assert seen in other.observation_space
    for first, second in zip(env.step(action), other.step(action), strict=True):
        assert str(first) == str(second)
    assert env.snapshot() == other.snapshot()


def test_a_single_environment_is_a_batch_of_one_that_resets_by_itself():
    env = FunctionalSingleEnv(script())
    env.reset(seed=1)
    assert FunctionalVectorEnv(script(), autoreset_mode="Disabled").restore(
        env.snapshot()
    ).shape == (1, 2)


def test_parameters_belong_to_the_configuration():
    env, other = FunctionalVectorEnv(script(), params=np.int32(7)), FunctionalVectorEnv(script())
    env.reset(seed=1)
    assert "params=(7)" in opened(env.snapshot())[0]
    with pytest.raises(SnapshotError, match=r"params=\(7\).*params=\(3\)"):
        other.restore(env.snapshot())


def test_the_configuration_is_the_same_before_and_after_the_first_reset():
    env = FunctionalVectorEnv(walk(), 2)
    before = env._config()
    env.reset(seed=0)
    assert env._config() == before
