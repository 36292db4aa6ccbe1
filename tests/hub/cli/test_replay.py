from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.hub.cli.conftest import Run
from tests.hub.dialogue.toy import PLUGIN, Sums, call
from tests.plugin_site import PluginSite

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "r.jsonl"
    env = Sums(record=str(path))
    for answer in ("[bold]7[/bold]", "5"):
        env.reset(options={"task": "2+3"})
        env.step(call("add", a=2, b=3))
        env.step(answer)
    return path


def test_replay_shows_the_transcripts_as_they_were_written(run: Run, record: Path) -> None:
    ran = run("replay", str(record))
    assert ran.status == 0
    assert "What is 2 + 3? 🙂" in ran.out
    assert "[bold]7[/bold]" in ran.out
    assert "completed, reward 1.0, answer; right" in ran.out
    assert [line.split()[-1] for line in ran.out.splitlines()[-2:]] == ["complete"] * 2
    only = run("replay", str(record), "--episode", "2", "--quiet")
    assert "What is" not in only.out
    assert run("replay", str(record), "--episode", "9").status == 2
    wanted = run("replay", str(record), "--json", "-").json["episodes"][1]["episode"]
    by_id = run("replay", str(record), "--episode", wanted[:8], "--json", "-").json
    assert [e["number"] for e in by_id["episodes"]] == [2]


def test_escapes_in_what_tools_wrote_do_not_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    env = Sums(record=str(tmp_path / "r.jsonl"))
    env.reset(seed=0)
    env.step("\x1b[2Jgone\x9b0m\r")
    out = run("replay", str(tmp_path / "r.jsonl")).out
    assert "␛[2Jgone␡0m␍" in out
    assert "\x1b" not in out


def test_replay_gives_json_and_fails_on_damage(run: Run, record: Path) -> None:
    data = run("replay", str(record), "--json", "-").json
    assert data["schema"] == "hub.replay/1"
    assert [e["reward"] for e in data["episodes"]] == [0.0, 1.0]
    assert {e["status"] for e in data["episodes"]} == {"complete"}
    record.write_text(record.read_text().replace('"terminated": true', '"terminated": false'))
    ran = run("replay", str(record), "--json", "-")
    assert (ran.status, ran.json["episodes"][0]["status"]) == (1, "damaged")
    assert run("replay", str(record.parent / "gone")).status == 2


def test_an_unfinished_record_is_no_fault_and_says_so(run: Run, record: Path) -> None:
    lines = record.read_text().splitlines(keepends=True)
    record.write_text("".join(lines[:4]))
    ran = run("replay", str(record))
    assert ran.status == 0
    assert "the record ends here: its writer died" in ran.out
    assert "unfinished" in ran.out


def test_a_recorded_episode_of_an_installed_plugin_is_graded_again(site: PluginSite) -> None:
    site.plugin("toys", PLUGIN)
    path = os.pathsep.join(map(str, (site.path, ROOT)))
    record = site.path / "r.jsonl"
    play = (
        f"import gymnasium; env = gymnasium.make('hub:toys/Sums-v0', record={str(record)!r},"
        " text_ends=True); env.reset(seed=0); env.step('nothing'); env.close()"
    )
    assert site.run("-c", play, env={"PYTHONPATH": path}).returncode == 0
    done = site.run("-m", "hub", "rescore", str(record), env={"PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    assert "0 of 1 grades changed" in done.stdout
