from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

import hub
from hub.plugins import Plugins
from tests.hub.cli.conftest import Run

FIELDS = {field.name for field in fields(hub.EnvCard)} | {
    "available", "reason", "fix", "plugin", "fidelity_status", "observation_space",
    "action_space", "render_modes", "options", "vector_options", "rules",
}  # fmt: skip


@pytest.mark.parametrize("env_id", ["acme/Walk-v0", "hub:acme/Walk-v0", "acme/Gone-v0"])
def test_json_has_the_documented_fields(run: Run, acme: Plugins, env_id: str) -> None:
    shown = run("info", env_id, "--json", "-")
    assert shown.status == 0
    assert shown.json.keys() == {"schema", "environment"}
    assert shown.json["schema"] == "hub.info/1"
    assert shown.json["environment"].keys() == FIELDS


def test_spaces_options_and_rules_come_from_the_code(run: Run, acme: Plugins) -> None:
    env = run("info", "acme/Walk-v0", "--json", "-").json["environment"]
    assert env["observation_space"] == "Box(0.0, 100.0, (1,), float32)"
    assert env["action_space"] == "Discrete(2)"
    assert env["rules"] == "A walk to the right."
    assert env["options"] == [
        {"name": "stride", "type": "int", "required": False, "default": 1},
        {"name": "render_mode", "type": "str | None", "required": False, "default": None},
    ]


def test_the_table_shows_everything(run: Run, acme: Plugins) -> None:
    shown = run("info", "acme/Walk-v0").out
    for text in ("hub:acme/Walk-v0", "Box(0.0", "stride", "A walk to the right.", "acme-dist"):
        assert text in shown


def test_an_absent_environment_shows_its_card_reason_and_fix(run: Run, acme: Plugins) -> None:
    shown = run("info", "acme/Gone-v0")
    assert shown.status == 0
    assert "pip install ./native/gone" in shown.out
    assert "size=3" in shown.out
    env = run("info", "acme/Gone-v0", "--json", "-").json["environment"]
    assert (env["available"], env["observation_space"], env["rules"]) == (False, None, "")


def test_an_id_of_gymnasium_is_told_from_an_unknown_one(run: Run, acme: Plugins) -> None:
    shown = run("info", "CartPole-v1")
    assert shown.status == 2
    assert shown.err.startswith("hub: CartPole-v1 is no id of the hub")
    assert "`hub play`" in shown.err


def test_the_level_reached_is_shown_and_that_a_change_made_it_stale(run: Run, strip: Path) -> None:
    def status() -> str:
        shown: str = run("info", "toystrip/Strip-v0", "--json", "-").json["environment"][
            "fidelity_status"
        ]
        table = run("info", "toystrip/Strip-v0").out
        assert shown in next(line for line in table.splitlines() if "fidelity status" in line)
        return shown

    assert status() == "L1 verified"
    (strip / "engine.py").write_text((strip / "engine.py").read_text() + "\n")
    assert status() == "L1 stale"
