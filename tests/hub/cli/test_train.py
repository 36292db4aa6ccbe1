from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hub.cli.train import sparkline
from hub.plugins import Plugins
from tests import need
from tests.hub.cli.conftest import Run
from tests.plugin_site import PluginSite

HOOKS = """
import hub

@hub.hookimpl
def hub_register_trainers(register):
    register("climb", "climb_trainer:TRAINER", "Climbs.")

@hub.hookimpl
def hub_register_recipes(register):
    register("hill", "climb_trainer:HILL", "A hill.")
    register("wall", "climb_trainer:WALL", "A wall.")
"""
TRAINER = """
from hub.fidelity import CurvePoint, Recipe, Trained

class Climb:
    def train(self, env_id, *, seed, budget, out, progress=None, height=10.0):
        points = [CurvePoint(n, height * n / budget) for n in range(100, budget + 1, 100)]
        for point in points:
            progress(point)
        (out / "feet.txt").write_text(f"{env_id} {seed} {height}")
        return Trained(out / "feet.txt", tuple(points))

    def load_policy(self, path, *, seed=0):
        raise ValueError(path)

TRAINER = Climb()
HILL = Recipe("CartPole-v1", "climb", 1000, 9.0, {"height": 10.0})
WALL = Recipe("CartPole-v1", "climb", 1000, 99.0)
"""


@pytest.fixture
def climb(site: PluginSite, plugins: Plugins, monkeypatch: pytest.MonkeyPatch) -> Plugins:
    monkeypatch.syspath_prepend(str(site.path))
    monkeypatch.delitem(sys.modules, "climb_trainer", raising=False)
    site.plugin("climb", HOOKS)
    site.module("climb_trainer", TRAINER)
    plugins.load(site.points())
    for module in ("hub", "hub.plugins", "hub.fidelity.recipes", "hub.fidelity.trainers"):
        monkeypatch.setattr(f"{module}.PLUGINS", plugins)
    return plugins


def test_a_recipe_leaves_policy_and_curve(run: Run, climb: Plugins, tmp_path: Path) -> None:
    out = tmp_path / "out"
    trained = run("train", "hill", "--seed", "7", "--out", str(out), "--json", "-")
    assert trained.status == 0
    assert (out / "feet.txt").read_text() == "CartPole-v1 7 10.0"
    assert json.loads((out / "curve.json").read_text()) == trained.json
    assert trained.json["curve"][-1] == {"steps": 1000, "mean_return": 10.0}
    assert (trained.json["schema"], trained.json["trainer"]) == ("hub.train/1", "climb")
    # The mean of the points in the last tenth: 9 and 10.
    assert (trained.json["final_return"], trained.json["reached"]) == (9.5, True)
    assert 'xmlns="http://www.w3.org/2000/svg"' in (out / "curve.svg").read_text()


def test_the_command_line_overrides_the_recipe(run: Run, climb: Plugins, tmp_path: Path) -> None:
    words = ("--steps", "500", "--set", "height=4", "--out", str(tmp_path / "out"))
    trained = run("train", "hill", *words, "--json", "-")
    assert (trained.json["budget"], trained.json["options"]) == (500, {"height": 4})
    assert trained.json["curve"][-1] == {"steps": 500, "mean_return": 4.0}


def test_a_return_below_the_recipes_is_exit_status_1(
    run: Run, climb: Plugins, tmp_path: Path
) -> None:
    trained = run("train", "wall", "--out", str(tmp_path / "out"))
    assert trained.status == 1
    assert "mean return 9.5 (below 99)" in trained.out


def test_an_id_is_trained_with_the_named_trainer(run: Run, climb: Plugins, tmp_path: Path) -> None:
    words = ("--trainer", "climb", "--steps", "200", "--out", str(tmp_path / "out"))
    trained = run("train", "CartPole-v1", *words, "--json", "-")
    assert (trained.json["id"], trained.json["reached"]) == ("CartPole-v1", None)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("hil",), "no recipe 'hil': did you mean hill?"),
        (("hub:x/Y-v0",), "hub:x/Y-v0"),
        (("hill", "--trainer", "climbs"), "no trainer 'climbs' (registered: climb)"),
        (("hill", "--set", "height"), "--set height: expected OPTION=JSON"),
    ],
)
def test_what_is_not_there_is_said_before_training(
    run: Run, climb: Plugins, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    trained = run("train", *words, "--out", str(tmp_path / "out"))
    assert trained.status == 2
    assert message in trained.err


def test_a_folder_that_holds_files_is_left_alone(run: Run, climb: Plugins, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("mine")
    trained = run("train", "hill", "--out", str(tmp_path))
    assert trained.status == 2
    assert "holds files already" in trained.err
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["kept"]


def test_where_nobody_looks_progress_is_some_lines(
    run: Run, climb: Plugins, tmp_path: Path
) -> None:
    lines = run("train", "hill", "--out", str(tmp_path / "out")).err.splitlines()
    assert lines[0] == "100 steps: mean return 1"
    assert 5 <= len(lines) <= 11


def test_on_a_terminal_the_return_is_shown_live(site: PluginSite, tmp_path: Path) -> None:
    site.plugin("climb", HOOKS)
    site.module("climb_trainer", TRAINER)
    ours, theirs = pty.openpty()
    environ = {**os.environ, "PYTHONPATH": str(site.path), "COLUMNS": "140", "TERM": "xterm"}
    command = [sys.executable, "-m", "hub", "train", "hill", "--out", str(tmp_path / "out")]
    done = subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environ)
    os.close(theirs)
    shown = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            shown += os.read(ours, 1 << 16)
        except OSError:  # Linux's end of a terminal
            break
    assert done.wait() == 0, shown
    assert "█" in shown.decode()
    assert b"return 10" in shown


@pytest.mark.parametrize(
    ("values", "drawn"), [([1.0], "▁"), ([0.0, 7.0], "▁█"), ([0.0] * 48, "▁" * 24)]
)
def test_a_sparkline_fits_its_width(values: list[float], drawn: str) -> None:
    assert sparkline(values) == drawn


def test_every_recipe_of_ours_names_a_trainer_and_options_that_exist() -> None:
    import hub
    from hub.fidelity import find_recipe
    from hub_ppo.settings import Settings

    ours = [n for n, c in hub.PLUGINS.kind("recipes").items() if c.plugin.startswith("hub_ppo")]
    found: dict[str, Any] = {name: find_recipe(name) for name in ours}
    assert {"pong", "pong-python", "pong-jax", "pong-gru", "halfcheetah"} <= found.keys()
    for recipe in found.values():
        assert recipe.trainer in hub.PLUGINS.kind("trainers")
        Settings.of(recipe.options)


def test_a_bad_option_is_a_usage_error_and_leaves_no_folder(
    run: Run, climb: Plugins, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    trained = run("train", "hill", "--set", "height=tall", "--out", str(out))
    assert trained.status == 2
    assert "--set height=tall: " in trained.err
    assert not out.exists()


def test_a_folder_that_cannot_be_made_is_named(run: Run, climb: Plugins, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    trained = run("train", "hill", "--out", str(tmp_path / "file" / "out"))
    assert trained.status == 2
    assert f"--out {tmp_path / 'file' / 'out'}: " in trained.err


@pytest.mark.parametrize(
    ("env_id", "trainer", "words"),
    [
        ("CartPole-v1", "ppo-jax", "CartPole-v1 is no functional JAX environment"),
        ("hub:agent/Math-v0", "ppo", "PPO here takes a Box; flatten it"),
    ],
)
def test_what_a_trainer_cannot_train_is_one_line(
    run: Run, tmp_path: Path, env_id: str, trainer: str, words: str
) -> None:
    need.module("jax" if trainer == "ppo-jax" else "torch")
    out = tmp_path / "out"
    trained = run("train", env_id, "--trainer", trainer, "--steps", "100", "--out", str(out))
    assert trained.status == 2
    assert trained.err.startswith("hub: ")
    assert words in trained.err
    assert not out.exists()


def test_an_absent_framework_is_named_with_its_fix(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "hub_ppo.ppo_torch", raising=False)
    trained = run("train", "CartPole-v1", "--out", str(tmp_path / "out"))
    assert trained.status == 2
    assert trained.err.endswith("Fix: pip install torch\n")


def test_a_trainer_of_a_plugin_whose_framework_is_absent_is_named_with_its_fix(
    run: Run, climb: Plugins, site: PluginSite, tmp_path: Path
) -> None:
    site.module("climb_trainer", "import no_such_framework\n" + TRAINER)
    trained = run("train", "CartPole-v1", "--trainer", "climb", "--out", str(tmp_path / "out"))
    assert trained.status == 2
    assert trained.err.endswith("Fix: pip install no_such_framework\n")


def test_a_budget_below_one_batch_is_noted(run: Run, tmp_path: Path) -> None:
    need.module("torch")
    sizes = ("--set", "lanes=4", "--set", "steps=8")
    trained = run("train", "CartPole-v1", "--steps", "1", *sizes, "--out", str(tmp_path / "out"))
    assert "note: a budget of 1 steps is less than one batch of this trainer, which took" in (
        trained.err
    )
    assert "a longer training needs a larger --steps" in trained.err


def test_a_budget_that_ends_no_episode_is_noted(run: Run, climb: Plugins, tmp_path: Path) -> None:
    trained = run("train", "hill", "--steps", "50", "--out", str(tmp_path / "out"))
    assert trained.err == (
        "note: a budget of 50 steps ended no episode: a longer training needs a larger --steps\n"
    )
