"""Every command that takes an id refuses what no environment could be called."""

from __future__ import annotations

import pytest

from tests.hub.cli.conftest import Run

COMMANDS = (
    ("info",),
    ("check",),
    ("play",),
    ("verify",),
    ("verify", "--check"),
    ("tasks", "validate"),
    ("bench", "--quick", "--id"),
    ("tour", "--id"),
)
ILL_FORMED = (
    "", " ", "\t", "\n", "hub:", ":", "x:y:z", "a/b/c", "../etc", "native/", "/Pong-v0",
    "hub:native/Pong-v0 ", " CartPole-v1", "hub:native/Pong\u2011v0", "\u202eabc", "\udcff",
    "\U0001f3ae/X-v0", "Pong-v0\x00", "\x1b[31mPong-v0", "-.-",
)  # fmt: skip
UNKNOWN = (
    "\u00e9",
    "x/\u00e9-v0",
    "\u0130/X-v0",
    "Nope-v0",
    "hub:native/Nope-v0",
    "nope_nope:X-v0",
)


def ran(run: Run, command: tuple[str, ...], env_id: str) -> tuple[int, str]:
    options = command if command[-1].startswith("--id") else (*command, "--")
    shown = run(*options, env_id)
    assert shown.out == ""
    assert "Traceback" not in shown.err
    return shown.status, shown.err


@pytest.mark.parametrize("command", [*COMMANDS, ("train",)], ids=" ".join)
@pytest.mark.parametrize("env_id", ILL_FORMED, ids=ascii)
def test_an_ill_formed_id_is_a_usage_error_that_shows_it(
    run: Run, command: tuple[str, ...], env_id: str
) -> None:
    status, told = ran(run, command, env_id)
    assert status == 2
    assert f"{env_id!r} is no environment's id: expected [module:][namespace/]Name-vN" in told
    assert "`hub list` shows every id" in told


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("env_id", UNKNOWN, ids=ascii)
def test_an_unknown_id_is_one_line_that_names_it(
    run: Run, command: tuple[str, ...], env_id: str
) -> None:
    status, told = ran(run, command, env_id)
    assert status == 2
    module, _, name = env_id.rpartition(":")
    assert name in told or module in told
    assert told.count("\n") == 1
