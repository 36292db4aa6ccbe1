from __future__ import annotations

from pathlib import Path

from tests.hub.cli.conftest import Run


def test_the_command_writes_it_and_says_what_comes_next(run: Run, tmp_path: Path) -> None:
    wrote = run("new", "acme-new", "--in", str(tmp_path / "deep"))
    assert wrote.status == 0
    assert f"pip install -e '{tmp_path}/deep/acme-new[dev]'" in wrote.out
    assert run("new", "acme-new", "--in", str(tmp_path / "deep")).status == 2
