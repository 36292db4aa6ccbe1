from __future__ import annotations

from pathlib import Path

from hub.tour import SCHEMA
from tests import need
from tests.hub.cli.conftest import Run

PONG = "hub:native/Pong-v0"
FIELDS = {
    "id", "backend", "available", "reason", "fix", "check", "findings", "fidelity", "lanes",
    "steps_per_second", "reference", "ratio", "solved",
}  # fmt: skip


def test_the_tour_prints_a_table_and_saves_a_picture(run: Run, tmp_path: Path) -> None:
    need.module("hub_pong")
    shown = run("tour", "--id", "native/Pong-v0", "--out", str(tmp_path))
    assert shown.status == 0, shown.out + shown.err
    assert PONG in shown.out
    assert f"played {PONG}" in shown.out
    assert (tmp_path / "pong.png").read_bytes().startswith(b"\x89PNG")


def test_json_has_the_documented_fields(run: Run, tmp_path: Path) -> None:
    need.module("hub_pong")
    shown = run("tour", "--id", PONG, "--out", str(tmp_path), "--json", "-")
    assert shown.json.keys() == {"schema", "environments", "picture"}
    assert shown.json["schema"] == SCHEMA
    assert [stop.keys() for stop in shown.json["environments"]] == [FIELDS]
