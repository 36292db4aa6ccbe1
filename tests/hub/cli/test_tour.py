from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from hub.cli.tour import _print
from hub.tour import Stop
from tests import need
from tests.hub.cli.conftest import Run

PONG = "hub:native/Pong-v0"
FIELDS = {
    "id", "backend", "available", "reason", "fix", "check", "unreached", "findings", "fidelity",
    "lanes", "steps_per_second", "reference", "ratio", "solved",
}  # fmt: skip


@pytest.mark.slow
def test_the_tour_prints_a_table_and_saves_a_picture_and_its_result(
    run: Run, tmp_path: Path
) -> None:
    need.module("hub_pong")
    result = tmp_path / "tour.json"
    shown = run("tour", "--id", "native/Pong-v0", "--out", str(tmp_path), "--json", str(result))
    assert shown.status == 0, shown.out + shown.err
    assert PONG in shown.out
    # A game that somebody played to its end, and not against a random agent (that ends at -20).
    told = re.search(rf"played {PONG}: terminated after ([\d,]+) steps, return (\S+);", shown.out)
    assert told is not None
    assert int(told[1].replace(",", "")) > 3_000
    assert float(told[2]) > 0
    assert (tmp_path / "pong.png").read_bytes().startswith(b"\x89PNG")
    written = json.loads(result.read_text())
    assert written.keys() == {"schema", "environments", "picture"}
    assert written["schema"] == "hub.tour/1"
    assert [stop.keys() for stop in written["environments"]] == [FIELDS]


@pytest.mark.parametrize("unreached", [0, 22])
def test_what_was_not_reached_is_explained_under_the_table(unreached: int) -> None:
    screen = Console(width=80, file=StringIO())
    _print([Stop("hub:a/B-v0", "python", True, check="pass", unreached=unreached)], screen)
    assert isinstance(screen.file, StringIO)
    shown = screen.file.getvalue()
    assert (f"{unreached} not reached" in shown) is bool(unreached)
    assert ("To reach more: hub check ID --seconds " in shown) is bool(unreached)
