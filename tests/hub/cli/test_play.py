from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest

from hub.plugins import Plugins
from tests import need
from tests.hub.cli.conftest import Run
from tests.plugin_site import PluginSite

FIELDS = {
    "schema", "id", "agent", "seed", "steps", "return", "terminated", "truncated", "record",
}  # fmt: skip

PICTURE_ENV = """
import numpy as np
from acme_hooks_env import Walk as Blind

class Walk(Blind):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 40}

    def render(self):
        frame = np.zeros((8, 16, 3), np.uint8)
        frame[:, int(self._x)] = 255
        return frame
"""

TALK_ENV = """
import gymnasium
from hub.spaces import UnicodeText

class Walk(gymnasium.Env):
    metadata = {"render_modes": ["ansi"], "render_fps": 30}
    observation_space = action_space = UnicodeText()

    def __init__(self, render_mode=None):
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.said = "say\\n"
        return self.said, {}

    def step(self, action):
        self.said += action
        return action, 0.0, True, False, {}

    def render(self):
        return self.said
"""


def test_json_has_the_documented_fields(run: Run, acme: Plugins, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text("[1, 1, 0]")
    played = run("play", "acme/Walk-v0", "--agent", str(script), "--json", "-")
    assert played.status == 0
    assert played.json.keys() == FIELDS
    assert played.json["schema"] == "hub.play/1"
    assert played.json["id"] == "hub:acme/Walk-v0"
    assert (played.json["steps"], played.json["return"]) == (3, 2.0)
    assert not played.json["truncated"]


def test_a_return_shows_no_rounding_of_its_sum(
    run: Run, acme: Plugins, site: PluginSite, tmp_path: Path
) -> None:
    card = acme.registry.card("acme/Walk-v0")
    module = site.path / "acme_hooks_env.py"
    module.write_text(module.read_text().replace("float(action),", "0.1 * action,"))
    script = tmp_path / "script.json"
    script.write_text("[1, 1, 1]")
    assert 0.1 + 0.1 + 0.1 != 0.3
    assert run("play", card.id, "--agent", str(script), "--json", "-").json["return"] == 0.3


def test_a_random_episode_ends_at_the_cards_limit(run: Run, acme: Plugins) -> None:
    played = run("play", "hub:acme/Walk-v0", "--seed", "3")
    assert "hub:acme/Walk-v0: truncated after 5 steps" in played.out
    assert "seed 3" in played.out


def test_a_picture_and_a_film_are_written(
    run: Run, acme: Plugins, site: PluginSite, tmp_path: Path
) -> None:
    image = need.module("PIL.Image")
    site.module("acme_seen", PICTURE_ENV)
    card = acme.registry.card("acme/Walk-v0")
    object.__setattr__(card, "entry_point", "acme_seen:Walk")
    script = tmp_path / "script.json"
    script.write_text("[1, 1, 1, 1]")
    for suffix in ("png", "gif"):
        path = tmp_path / f"walk.{suffix}"
        assert run("play", card.id, "--agent", str(script), "--record", str(path)).status == 0
        with image.open(path) as picture:
            assert picture.size == (16, 8)
            # 40 frames a second are more than the film keeps: every other one.
            assert getattr(picture, "n_frames", 1) == (3 if suffix == "gif" else 1)
            if suffix == "png":
                assert [picture.getpixel((x, 0))[0] for x in (3, 4, 5)] == [0, 255, 0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["acme/Walk-v0", "--record", "walk.pdf"], "ending in .png or .gif"),
        (["acme/Walk-v0", "--record", "walk.png"], "needs render mode rgb_array"),
        (["acme/Walk-v0", "--steps", "0"], "--steps"),
        (["acme/Walk-v0", "--agent", "expert"], "expected random, keyboard"),
        (["acme/Walk-v0", "--agent", "os:getcwd"], "hub: the agent failed before step 1: TypeErr"),
        (["acme/Walk-v0", "--agent", "scripted"], "whose tasks have an oracle"),
        (["acme/Walk-v0", "--set", "speed"], "expected NAME=VALUE"),
        (["acme/Walk-v0", "--set", "speed=3"], "speed"),
        (["acme/Wolk-v0"], "did you mean hub:acme/Walk-v0"),
        (["acme/Gone-v0"], "Fix: pip install ./native/gone"),
    ],
)
def test_what_cannot_be_played_ends_with_status_2_and_the_reason(
    run: Run, acme: Plugins, arguments: list[str], words: str
) -> None:
    played = run("play", *arguments)
    assert played.status == 2
    assert words in played.err


def test_what_a_constructor_refuses_is_a_usage_error(run: Run) -> None:
    need.module("hub_pong")
    played = run("play", "hub:native/Pong-v0", "--set", "frame_skip=99")
    assert played.status == 2
    assert "--set: frame_skip 99: expected a whole number from 1 to 8" in played.err


def test_the_scripted_agent_solves_a_task_and_the_conversation_is_printed(run: Run) -> None:
    need.distribution("pint")
    arguments = ("play", "hub:agent/Science-v0", "--agent", "scripted", "--set", "split=test")
    played = run(*arguments)
    assert played.status == 0, played.err
    assert played.out.count("[user]\n") == 1
    assert "[assistant]\n> finish\n    " in played.out
    assert "[completed] reward 1.0, finish" in played.out
    assert "\nhub:agent/Science-v0: terminated after 1 steps, return 1 " in played.out
    assert run(*arguments, "--json", "-").json["return"] == 1.0


@pytest.mark.parametrize("name", ["no/such/walk.png", "no/such/walk.gif"])
def test_a_record_that_cannot_be_written_is_refused_before_the_episode(
    run: Run, acme: Plugins, site: PluginSite, tmp_path: Path, name: str
) -> None:
    site.module("acme_loud", "def act(observation, info):\n    raise AssertionError('played')")
    path = tmp_path / name
    played = run("play", "acme/Walk-v0", "--agent", "acme_loud:act", "--record", str(path))
    assert played.status == 2
    assert f"no folder {path.parent}" in played.err


def test_a_film_without_pillow_is_refused_before_the_episode(
    run: Run, acme: Plugins, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    played = run("play", "acme/Walk-v0", "--record", str(tmp_path / "walk.gif"))
    assert played.status == 2
    assert "Fix: pip install pillow" in played.err


@pytest.mark.parametrize("command", ["play", "info"])
@pytest.mark.parametrize("source", ["1 / 0", "raise SystemExit(3)", "def broken(:"])
def test_a_module_that_fails_on_import_is_named_with_its_error(
    run: Run, acme: Plugins, site: PluginSite, command: str, source: str
) -> None:
    site.module("acme_hooks_env", source)
    ended = run(command, "acme/Walk-v0")
    assert ended.status == 2
    assert ended.err.startswith("hub: acme_hooks_env:Walk cannot be loaded: ")
    assert any(e in ended.err for e in ("ZeroDivisionError", "SystemExit: 3", "SyntaxError"))


def in_terminal(site: PluginSite, arguments: list[str], keys: list[bytes]) -> bytes:
    """Run `hub play ARGUMENTS` in a terminal of its own; return all that it showed."""
    ours, theirs = pty.openpty()
    environ = {**os.environ, "PYTHONPATH": str(site.path), "TERM": "xterm"}
    command = [sys.executable, "-m", "hub", "play", *arguments]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environ
    ) as process:
        os.close(theirs)
        shown = b""
        first = len(keys)
        while process.poll() is None or select.select([ours], [], [], 0)[0]:
            ready, _, _ = select.select([ours], [], [], 20)
            try:
                block = os.read(ours, 65536) if ready else b""
            except OSError:  # the other end is closed
                block = b""
            if not block:
                break
            shown += block
            # A key only once the step before it is on the screen.
            if keys and f"step {first - len(keys)}  ".encode() in shown:
                os.write(ours, keys.pop(0))
        if process.poll() is None and keys:
            process.kill()
        assert process.wait(timeout=60) == 0, shown
    os.close(ours)
    return shown


def test_a_terminal_shows_the_episode_and_takes_keys(site: PluginSite) -> None:
    site.plugin("acme")
    shown = in_terminal(site, ["acme/Walk-v0", "--agent", "keyboard"], [b"1", b"1", b"q"])
    assert b"..@" in shown
    assert b"stopped after 2 steps, return 2" in shown


def test_escapes_of_a_model_or_tool_reach_no_terminal(site: PluginSite, tmp_path: Path) -> None:
    site.plugin("acme")
    site.module("acme_hooks_env", TALK_ENV)
    script = tmp_path / "script.json"
    script.write_text(json.dumps(["a\x1b]0;title\x07\x9b2J\tb\r\x7fc\nd"]))
    shown = in_terminal(site, ["acme/Walk-v0", "--agent", str(script)], [])
    assert "a␛]0;title␇␡2J\tb␍␡c".encode() in shown
    assert b"\x1b]" not in shown
    assert b"\x07" not in shown
    assert "\x9b".encode() not in shown
