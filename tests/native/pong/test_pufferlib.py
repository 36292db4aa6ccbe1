"""Against PufferLib's own binary, where it can be imported.

No release of it installs by itself, so that these skip in CI, too.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from hub.bench.case import Case
from hub.bench.subjects import build
from hub.errors import ClosedError, InvalidAction, UnknownOption
from hub.fidelity.peers import run_peers
from tests import need

pytestmark = pytest.mark.native
need.module("hub_pong._core")
from hub_pong.env import PongVectorEnv  # noqa: E402 - only once the core is known to be there
from hub_pong.fidelity import DECLARATION, ID  # noqa: E402 - likewise
from hub_pong.mutants import EDITS  # noqa: E402 - likewise
from hub_pong.mutated import SOURCES, mutated  # noqa: E402 - likewise
from hub_pong.options import observation_space  # noqa: E402 - likewise
from hub_pong.players import foreseen  # noqa: E402 - likewise
from hub_pong.puffer import (  # noqa: E402 - likewise
    PufferLibPongEnv,
    PufferLibPongVectorEnv,
    load,
)

try:
    load()
except ImportError as unavailable:
    pytest.skip(f"capability: {unavailable}", allow_module_level=True)

ULP = 2.0**-24  # of numbers from a half to 1
PUFFERLIB = "hub_pong.puffer:PufferLibPong-v0"


@pytest.fixture
def lanes() -> Iterator[PufferLibPongVectorEnv]:
    env = PufferLibPongVectorEnv(64)
    yield env
    env.close()


def run(env: PufferLibPongVectorEnv, seed: int, steps: int) -> list[np.ndarray]:
    actions = np.random.default_rng(0).integers(0, 3, (steps, env.num_envs))
    return [env.reset(seed=seed)[0], *(env.step(row)[0] for row in actions)]


def test_a_sample_of_level_three_is_equal() -> None:
    (report,) = run_peers(DECLARATION, 0.02)
    assert (report.state, report.detail) == ("passed", "")
    assert report.rollouts is not None
    assert report.rollouts.max_error <= ULP
    assert report.rollouts.episodes == 80


@pytest.mark.parametrize("frame_skip", [1, 2, 5, 8])
@pytest.mark.parametrize("plays", ["random", "foresees"])
def test_whole_games_and_the_serve_after_them_are_equal(frame_skip: int, plays: str) -> None:
    peer = PufferLibPongEnv(frame_skip=frame_skip)
    core = PongVectorEnv(1, compat="puffer", frame_skip=frame_skip, autoreset_mode="SameStep")
    rng, met = np.random.default_rng(frame_skip), Counter[str]()
    (theirs, _), (ours, _) = peer.reset(seed=5), core.reset(seed=5)
    for _ in range(18_000 // frame_skip):
        assert np.abs(theirs - ours[0]).max() <= ULP
        action = int(rng.integers(3)) if plays == "random" else foreseen(theirs)
        theirs, reward, terminated, truncated, _ = peer.step(action)
        ours, *outcome, _ = core.step(np.array([action]))
        assert [np.float32(outcome[0][0]), outcome[1][0], outcome[2][0]] == [
            *(reward, terminated, truncated)
        ]
        met[f"{reward:g}"] += 1
        met["ends"] += terminated
        if terminated:  # PufferLib has served already: its stream goes on where ours does
            peer._draws += 1
            peer._look_ahead()
    peer.close()
    core.close()
    assert met["ends"] >= 2
    assert met["-1" if plays == "random" else "1"] >= 42
    assert met["0.1"]


@pytest.mark.parametrize(
    "name",
    [
        *("observe-late", "level-ball", "no-early-end", "reward-sign", "covers-below"),
        *("max-speed", "no-ceiling", "opponent-late", "one-more-point", "right-edge"),
    ],
)
def test_a_seeded_bug_of_the_core_is_found_beside_it(name: str) -> None:
    if not SOURCES.is_dir():
        need.missing("C Pong's sources: install it with `pip install -e native/pong`")
    need.program("cc")
    ((file, old, new),) = (edit[3:] for edit in EDITS if edit[0] == name)
    with mutated(file, old, new):
        (report,) = run_peers(DECLARATION, 0.05)
    assert report.state == "failed"


def test_a_single_lane_repeats_with_its_seed_and_differs_with_another() -> None:
    env = PufferLibPongEnv()

    def serves(seed: int) -> list[float]:
        seen = [env.reset(seed=seed)[0][5], *(env.reset()[0][5] for _ in range(30))]
        return [float(speed) for speed in seen]

    assert serves(1) == serves(1) != serves(2)
    assert set(serves(1)) == {np.float32(0.5), np.float32(12) / np.float32(26)}
    env.close()


def test_its_own_serves_are_level_or_down_with_equal_chance(lanes: PufferLibPongVectorEnv) -> None:
    speeds, served = Counter[float](), np.zeros(64, bool)
    lanes.reset(seed=0)
    for _ in range(3_000):
        seen, rewards, terminated, _, _ = lanes.step(np.ones(64, int))
        speeds.update(map(float, seen[served][:, 5] * 26 - 13))
        # A frame after a plain point the serve is seen for the first time, as it was served.
        served = (np.abs(rewards) == 1) & ~terminated
    level, down = (sum(n for v, n in speeds.items() if abs(v - w) < 0.1) for w in (0, -1))
    assert level + down == speeds.total() > 3_000
    assert abs(level - down) < 4 * speeds.total() ** 0.5


def test_its_spaces_hold_what_it_shows(lanes: PufferLibPongVectorEnv) -> None:
    assert lanes.single_observation_space == observation_space("puffer")
    lowest = np.ones(8)
    for seen in run(lanes, 0, 3_000):
        assert lanes.observation_space.contains(seen)
        lowest = np.minimum(lowest, seen.min(axis=0))
    assert (lowest[2:4] < 0).all()  # where PufferLib's own space ends at 0


def test_its_arrays_have_the_types_that_are_told(lanes: PufferLibPongVectorEnv) -> None:
    lanes.reset(seed=0)
    seen, rewards, terminated, truncated, infos = lanes.step(np.ones(64, np.int64))
    assert (seen.shape, seen.dtype) == ((64, 8), np.float32)
    assert (rewards.shape, rewards.dtype) == ((64,), np.float32)
    assert terminated.dtype == truncated.dtype == np.bool_
    assert infos == {}
    assert lanes.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


def test_an_ended_lane_begins_anew_in_the_same_step(lanes: PufferLibPongVectorEnv) -> None:
    lanes.reset(seed=0)
    ends = 0
    for _ in range(2_000):
        seen, rewards, terminated, truncated, _ = lanes.step(np.ones(64, int))
        ends += int(terminated.sum())
        assert not truncated.any()
        assert (np.abs(rewards[terminated]) == 1).all()
        assert (seen[terminated][:, 2] == np.float32(0.2)).all()  # the ball of a serve
        assert (seen[terminated][:, 6:] == 0).all()
    assert ends > 32


def test_handed_out_arrays_are_copies_unless_told_otherwise() -> None:
    for copy in (True, False):
        env = PufferLibPongVectorEnv(2, copy=copy)
        first, _ = env.reset(seed=0)
        kept = first.copy()
        second = env.step(np.ones(2, int))[0]
        assert (first is second) == (not copy)
        assert np.array_equal(first, kept) == copy
        env.close()


def test_lanes_repeat_with_their_seed(lanes: PufferLibPongVectorEnv) -> None:
    first = run(lanes, 3, 500)
    assert np.array_equal(first, run(lanes, 3, 500))
    assert not np.array_equal(first, run(lanes, 4, 500))


def test_without_a_seed_each_reset_is_another(lanes: PufferLibPongVectorEnv) -> None:
    starts = [lanes.reset()[0] for _ in range(3)]
    assert not np.array_equal(starts[0], starts[1])
    assert not np.array_equal(starts[1], starts[2])


def test_misuse_is_an_error_with_words(lanes: PufferLibPongVectorEnv) -> None:
    with pytest.raises(ResetNeeded):
        lanes.step(np.zeros(64, int))
    with pytest.raises(ValueError, match=r"seed 33554432: expected 0 to 33554431"):
        lanes.reset(seed=2**31 // 64)
    with pytest.raises(TypeError, match="seed"):
        lanes.reset(seed=[1] * 64)  # type: ignore[arg-type]
    with pytest.raises(UnknownOption):
        lanes.reset(options={"reset_mask": np.ones(64, bool)})
    lanes.reset(seed=2**31 // 64 - 1)
    with pytest.raises(InvalidAction, match=r"expected shape \(64,\)"):
        lanes.step(np.zeros(1, int))
    with pytest.raises(ValueError, match="frame_skip"):
        PufferLibPongVectorEnv(1, frame_skip=9)


def test_closed_it_refuses_every_call_where_pufferlib_would_read_freed_memory() -> None:
    env = PufferLibPongVectorEnv(2)
    env.reset(seed=0)
    env.close()
    env.close()
    with pytest.raises(ClosedError):
        env.step(np.zeros(2, int))
    with pytest.raises(ClosedError):
        env.reset()


def test_importing_it_leaves_the_working_directory_and_the_warnings_alone(tmp_path: Path) -> None:
    code = (
        "import warnings, hub_pong.puffer as puffer\n"
        "before = list(warnings.filters)\n"
        "puffer.load()\n"
        "assert warnings.filters == before"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_benchmark_steps_it_with_the_actions_that_it_gives_c_pong() -> None:
    subjects = [
        build(Case.parse(text), ID)
        for text in (f"{PUFFERLIB} make_vec lanes=4 copy=false", "make_vec lanes=4 copy=false")
    ]
    spaces = [subject._env.action_space for subject in subjects]  # type: ignore[attr-defined]
    assert spaces[0] == spaces[1]
    theirs, ours = ([next(s._actions) for _ in range(50)] for s in subjects)  # type: ignore[attr-defined]
    assert np.array_equal(theirs, ours)
    assert subjects[0].advance(10) == 40
    for subject in subjects:
        subject.close()


def test_it_is_made_by_gymnasium() -> None:
    env = gymnasium.make_vec(PUFFERLIB, 3, frame_skip=4)
    assert isinstance(env, PufferLibPongVectorEnv)
    assert env.reset(seed=1)[0].shape == (3, 8)
    env.close()
