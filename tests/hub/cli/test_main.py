from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import gymnasium
import pytest

from hub.cli.main import BUILT_IN
from hub.errors import UnknownOption
from hub.plugins import Component, Plugins
from tests.hub.cli.conftest import Run
from tests.startup import cpu_seconds


def test_help_lists_every_command_without_importing_one(run: Run) -> None:
    shown = run("--help")
    assert shown.status == 0
    for name, (_, summary) in BUILT_IN.items():
        assert name in shown.out
        assert summary.split()[0] in shown.out
    code = "import sys, hub.cli.main as m\ntry: m.main(['--help'])\nexcept SystemExit: pass\n"
    code += "print([n for n in sys.modules if n.startswith('hub.cli.')], 'rich' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.splitlines()[-1] == "['hub.cli.main'] False"


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_command_has_help(run: Run, name: str) -> None:
    shown = run(name, "--help")
    assert shown.status == 0
    assert f"Usage: hub {name}" in shown.out


@pytest.mark.slow
def test_help_starts_within_the_budget_over_gymnasium(tmp_path: Path) -> None:
    reference = cpu_seconds(tmp_path, "-c", "import gymnasium")
    assert cpu_seconds(tmp_path, "-m", "hub", "--help") <= 1.6 * reference


@pytest.mark.parametrize(
    "arguments", [("no-such-command",), ("list", "--no-such-option"), ("info",), ("play",)]
)
def test_a_usage_error_ends_with_status_2(run: Run, arguments: tuple[str, ...]) -> None:
    ended = run(*arguments)
    assert ended.status == 2
    assert "Error" in ended.err
    assert "Traceback" not in ended.err


def test_an_error_of_the_hub_is_one_line_and_status_2(run: Run, acme: Plugins) -> None:
    ended = run("info", "acme/Wlak-v0")
    assert ended.status == 2
    assert ended.err.startswith("hub: no environment hub:acme/Wlak-v0: did you mean hub:acme/Walk")
    assert ended.err.count("\n") == 1


def test_an_unknown_option_is_told_without_gymnasiums_words_around_it(run: Run) -> None:
    with pytest.raises(UnknownOption, match="was raised from the environment creator"):
        gymnasium.make("hub:native/Pong-v0", speed=2)  # what is taken away
    ended = run("play", "hub:native/Pong-v0", "--set", "speed=2")
    assert ended.status == 2
    assert ended.err.startswith(
        "hub: hub:native/Pong-v0 got an unexpected keyword argument 'speed'"
    )
    assert "creator" not in ended.err


def test_json_to_a_place_that_cannot_be_written_is_a_usage_error(run: Run, tmp_path: Path) -> None:
    ended = run("list", "--json", str(tmp_path / "no" / "such.json"))
    assert ended.status == 2
    assert "such.json" in ended.err


def test_a_plugins_command_runs_and_cannot_hide_a_built_in_one(run: Run, acme: Plugins) -> None:
    for name in ("list", "greet"):
        acme.components["commands", name] = Component(
            "commands", name, "hub.cli.doctor:command", "Greets.", "acme (acme-dist)"
        )
    assert "Greets." in run("--help").out
    assert run("greet", "--json", "-").json["schema"] == "hub.doctor/1"
    assert "schema" in run("list", "--json", "-").json
    conflicts = run("plugins", "--json", "-").json["conflicts"]
    assert conflicts == [{"name": "commands list", "kept": "gymhub", "refused": "acme (acme-dist)"}]


@pytest.mark.parametrize("arguments", ["list", "list --json -", "--help", "list --help"])
def test_a_reader_that_leaves_early_is_no_error(arguments: str) -> None:
    # The reader is gone before the first byte: `true` reads nothing.
    code = f"{sys.executable} -m hub {arguments} | true; exit ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 141
    assert ended.stderr == ""


@pytest.mark.parametrize("command", ["bench --id", "check", "info", "play", "verify"])
@pytest.mark.parametrize("env_id", ["half/X-v0", "hub:half/X-v0"])
def test_an_id_of_a_failed_plugin_says_what_failed(
    run: Run, acme: Plugins, command: str, env_id: str
) -> None:
    acme.registry.failed["half"] = "plugin half (half-dist) failed: ValueError: no"
    ended = run(*command.split(), env_id)
    assert ended.status == 2
    assert ended.err.startswith("hub: no environment hub:half/X-v0: plugin half (half-dist) failed")
