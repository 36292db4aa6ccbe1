from __future__ import annotations

from pathlib import Path

from tests.hub.cli.conftest import Run


def test_the_command_writes_it_and_says_what_comes_next(run: Run, tmp_path: Path) -> None:
    wrote = run("new", "acme-new", "--in", str(tmp_path / "deep"))
    assert wrote.status == 0
    assert f"pip install -e '{tmp_path}/deep/acme-new[dev]'" in wrote.out
    assert run("new", "acme-new", "--in", str(tmp_path / "deep")).status == 2


def test_a_place_that_cannot_be_written_is_one_line_and_status_2(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ended = run("new", "acme-new", "--in", str(tmp_path / "file" / "deep"))
    assert ended.status == 2
    assert ended.err.startswith(f"hub: {tmp_path}/file/deep/acme-new cannot be written: ")
    assert ended.err.count("\n") == 1
