from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hub.errors import PolicyError
from hub_ppo import network, policy
from hub_ppo.settings import Settings
from hub_ppo.spaces import Interface


def write(path: Path, interface: Interface, **options: Any) -> dict[str, Any]:
    settings = Settings(hidden=8, **options)
    weights = network.initial_weights(
        1,
        network=settings.network,
        hidden=8,
        inputs=interface.inputs,
        outputs=interface.outputs,
        continuous=interface.continuous,
    )
    policy.save(path, weights, policy.header("ppo", "hub:x/Y-v0", 1, 10, interface, settings))
    return weights


DISCRETE = Interface(3, 4, False, start=5)
BOX = Interface(3, 2, True, shape=(2,), low=(-1.0, None), high=(1.0, None))


def test_what_was_saved_is_loaded_again(tmp_path: Path) -> None:
    weights = write(tmp_path / "p.npz", BOX, env_options={"frame_skip": 4})
    loaded, header = policy.load(tmp_path / "p.npz")
    assert loaded.keys() == weights.keys()
    assert all(np.array_equal(loaded[name], weights[name]) for name in weights)
    assert Interface.from_json(header["interface"]) == BOX
    assert Settings.of(header["settings"]).env_options == {"frame_skip": 4}
    assert [p.name for p in tmp_path.iterdir()] == ["p.npz"]


def test_every_array_of_the_file_loads_without_pickle(tmp_path: Path) -> None:
    write(tmp_path / "p.npz", DISCRETE)
    with np.load(tmp_path / "p.npz", allow_pickle=False) as file:
        assert {file[name].dtype.hasobject for name in file.files} == {False}


def test_a_policy_acts_within_the_action_space(tmp_path: Path) -> None:
    seen, starts = np.ones((6, 3), np.float32), np.ones(6, bool)
    write(tmp_path / "p.npz", DISCRETE)
    actions = policy.SavedPolicy(tmp_path / "p.npz")(seen, starts)
    assert actions.shape == (6,)
    assert set(actions) <= {5, 6, 7, 8}
    write(tmp_path / "q.npz", BOX)
    actions = policy.SavedPolicy(tmp_path / "q.npz")(1e3 * seen, starts)
    assert actions.shape == (6, 2)
    assert np.abs(actions[:, 0]).max() <= 1


def test_a_recurrent_policy_forgets_where_an_episode_starts(tmp_path: Path) -> None:
    write(tmp_path / "p.npz", DISCRETE, network="gru")
    acting = policy.SavedPolicy(tmp_path / "p.npz")
    seen, starts = np.ones((2, 3), np.float32), np.ones(2, bool)
    acting(seen, starts)
    first = acting._memory.copy()
    acting(seen, np.array([True, False]))
    assert np.array_equal(acting._memory[0], first[0])
    assert not np.array_equal(acting._memory[1], first[1])


def test_observations_of_another_environment_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "p.npz", DISCRETE)
    acting = policy.SavedPolicy(tmp_path / "p.npz")
    with pytest.raises(ValueError, match=r"\(2, 7\): this policy of hub:x/Y-v0 takes 2 lanes of 3"):
        acting(np.ones((2, 7), np.float32), np.ones(2, bool))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no zip", b"\x80\x04K\x01."])
def test_a_file_that_is_no_policy_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "p.npz").write_bytes(content)
    with pytest.raises(PolicyError, match="expected a policy as `hub train` saves it"):
        policy.load(tmp_path / "p.npz")


def test_a_pickle_inside_a_policy_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "p.npz", header=np.array([{"schema": policy.SCHEMA}], dtype=object))
    with pytest.raises(PolicyError, match="allow_pickle=False"):
        policy.load(tmp_path / "p.npz")


def test_weights_that_do_not_fit_their_header_are_refused(tmp_path: Path) -> None:
    weights = write(tmp_path / "p.npz", DISCRETE)
    header = policy.load(tmp_path / "p.npz")[1]
    weights["policy.w"] = weights["policy.w"][:, :2]
    policy.save(tmp_path / "p.npz", weights, header)
    with pytest.raises(PolicyError, match=r"policy\.w has shape \(8, 2\): expected \(8, 4\)"):
        policy.load(tmp_path / "p.npz")


def test_another_schema_is_refused(tmp_path: Path) -> None:
    weights = write(tmp_path / "p.npz", DISCRETE)
    header = policy.load(tmp_path / "p.npz")[1]
    assert header["schema"] == "hub.policy/1"
    header = header | {"schema": "hub.policy/9"}
    policy.save(tmp_path / "p.npz", weights, header)
    with pytest.raises(PolicyError, match=r"schema 'hub\.policy/9': expected 'hub\.policy/1'"):
        policy.load(tmp_path / "p.npz")
