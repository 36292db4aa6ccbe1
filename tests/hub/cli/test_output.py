from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from hub.cli.output import write_json
from tests.hub.cli.conftest import Run


def in_a_terminal(*arguments: str, env: dict[str, str]) -> str:
    """Output of `hub ARGUMENTS` with a pseudo-terminal as standard output."""
    ours, theirs = pty.openpty()
    environ = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", **env}
    with subprocess.Popen(
        [sys.executable, "-m", "hub", *arguments], stdout=theirs, stderr=theirs, env=environ
    ) as process:
        os.close(theirs)
        read = b""
        while True:
            try:
                block = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not block:
                break
            read += block
        assert process.wait(timeout=60) == 0, read
    os.close(ours)
    return read.decode()


@pytest.mark.parametrize("command", ["doctor", "--help", "info hub:jax/Pong-v0"])
def test_no_color_means_no_escape_code_at_all(command: str) -> None:
    assert "\x1b" not in in_a_terminal(*command.split(), env={"NO_COLOR": "1"})


def test_a_terminal_gets_colours() -> None:
    assert "\x1b[32m" in in_a_terminal("doctor", env={})


def test_nan_is_refused_in_json() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json({"x": float("nan")}, "hub.x/1", "-")


@pytest.mark.parametrize(
    "arguments",
    [
        ("bench", "--seconds"),
        ("check", "CartPole-v1", "--seconds"),
        ("verify", "--all", "--sample"),
    ],
)
@pytest.mark.parametrize("value", ["nan", "inf"])
def test_a_number_that_is_not_finite_is_a_usage_error(
    run: Run, arguments: tuple[str, ...], value: str
) -> None:
    ended = run(*arguments, value)
    assert ended.status == 2
    assert value in ended.err
