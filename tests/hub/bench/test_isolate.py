from __future__ import annotations

import os

import pytest

from hub.bench import Plan, Row, isolated
from tests.plugin_site import PluginSite

CODE = """
import os, signal, sys, time
from hub.bench import Row

def rows(plan, argument):
    print("noise on standard output", flush=True)
    for number in range(argument):
        plan.progress("counting", number, argument)
        yield Row("s", "i", str(number), plan.lanes and "lanes" or "n", float(number))

def crash(plan, argument):
    yield from rows(plan, 1)
    os.kill(os.getpid(), getattr(signal, argument))

def fail(plan, argument):
    yield from rows(plan, 1)
    raise ValueError("no such argument")

def leave(plan, argument):
    sys.stderr.write("first\\nlast words\\n")
    os._exit(3)

def hang(plan, argument):
    yield Row("s", str(os.getpid()), "pid", "n", 1.0)
    time.sleep(600)
"""


@pytest.fixture
def code(site: PluginSite) -> None:
    site.module("isolated_code", CODE)


def run(name: str, argument: object = 1, plan: Plan | None = None) -> list[Row]:
    target = f"isolated_code:{name}"
    return list(isolated(plan or Plan(), target, argument, suite="s", env_id="i"))


@pytest.mark.usefixtures("code")
def test_rows_and_progress_come_from_another_process_whatever_it_prints() -> None:
    heard: list[tuple[str, int, int]] = []
    plan = Plan(lanes=(1, 4), progress=lambda *said: heard.append(said))
    found = run("rows", 3, plan)
    assert [(row.case, row.unit) for row in found] == [
        ("0", "lanes"),
        ("1", "lanes"),
        ("2", "lanes"),
    ]
    assert heard == [("counting", n, 3) for n in range(3)]


@pytest.mark.usefixtures("code")
@pytest.mark.parametrize("signal", ["SIGSEGV", "SIGKILL"])
def test_a_crash_is_a_row_with_an_error_and_loses_no_row_before_it(signal: str) -> None:
    first, last = run("crash", signal)
    assert first.median == 0.0
    assert (last.suite, last.id, last.median) == ("s", "i", None)
    assert f"killed by {signal}" in last.error


@pytest.mark.usefixtures("code")
def test_an_exception_is_a_row_with_its_words() -> None:
    assert run("fail")[-1].error == "ValueError: no such argument"


@pytest.mark.usefixtures("code")
def test_a_process_that_leaves_is_a_row_with_its_status_and_last_words() -> None:
    (row,) = run("leave")
    assert row.error == "the measuring process died (exit status 3): last words"


@pytest.mark.usefixtures("code")
def test_a_silent_process_is_stopped() -> None:
    first, last = run("hang", plan=Plan(timeout=8.0))
    assert last.error == "no sign of life for 8 s; the process was stopped"
    with pytest.raises(ProcessLookupError):
        os.kill(int(first.id), 0)


@pytest.mark.usefixtures("code")
def test_leaving_early_stops_the_process() -> None:
    running = isolated(Plan(), "isolated_code:hang", 1, suite="s", env_id="i")
    pid = int(next(running).id)
    running.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.usefixtures("code")
def test_an_unknown_target_is_a_row_with_an_error() -> None:
    assert "TargetError: isolated_code:nothing cannot be loaded" in run("nothing")[0].error
