"""`hub bench` over a real plugin distribution, in processes of its own."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.hub.bench.test_row import KEYS
from tests.hub.bench.toy import write_toy
from tests.plugin_site import PluginSite

FAST = ("--seconds", "0.01", "--rounds", "3")
GOAL = "make_vec lanes=4 over bare loop lanes=4"
BENCH = {
    "reference": "Acrobot-v1 sync",
    "peers": ["MountainCar-v0 sync", "toy_env:absent"],
    "layers": "toy_env:layers",
    "lanes": [1, 4],
    "goals": {GOAL: 1e-9},
}


class Run:
    """One run of `hub bench`, with its rows by case."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.status, self.stderr, self.stdout = done.returncode, done.stderr, done.stdout
        self.data: dict[str, Any] = json.loads(done.stdout)
        self.rows = {row["case"]: row for row in self.data["rows"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bench")


@pytest.fixture(scope="module")
def measured(folder: Path) -> Run:
    """The toy, measured once; its page and document lie in `folder`."""
    (folder / "site").mkdir()
    site = PluginSite(folder / "site")
    write_toy(site, BENCH)
    page = str(folder / "bench.html")
    run = Run(site.hub("bench", "--id", "toy/Toy-v0", *FAST, "--json", "-", "--html", page))
    (folder / "old.json").write_text(run.stdout)
    return run


def test_json_alone_stands_on_standard_output_with_every_case(measured: Run) -> None:
    assert measured.status == 0, measured.stderr
    assert measured.data["schema"] == "hub.bench/1"
    assert set(measured.data) == {"schema", "machine", "versions", "commit", "rows"}
    assert {row["id"] for row in measured.data["rows"]} == {"hub:toy/Toy-v0"}
    assert set(measured.rows) == {
        *(f"make_vec lanes={n}{o}" for n in (1, 4) for o in ("", " copy=false")),
        *(f"{case} lanes={n}" for n in (1, 4) for case in ("bare loop", "MountainCar-v0 sync")),
        *(f"{case} lanes={n}" for n in (1, 4) for case in ("Acrobot-v1 sync", "toy_env:absent")),
        "make",
        "Acrobot-v1 make",
        GOAL,
    }


def test_every_figure_has_quartiles_cpu_seconds_and_a_ratio_to_its_reference(
    measured: Run,
) -> None:
    row = measured.rows["make_vec lanes=4"]
    assert list(row) == KEYS
    assert row["low"] <= row["median"] <= row["high"]
    assert row["per_cpu_second"] > 0
    assert row["reference"] == "Acrobot-v1 sync lanes=4"
    assert row["ratio"] == pytest.approx(row["median"] / row["reference_median"])


def test_a_peer_that_is_not_installed_is_skipped_with_its_reason(measured: Run) -> None:
    absent = measured.rows["toy_env:absent lanes=1"]
    assert absent["skipped"] == "ImportError: no such engine here"
    assert (absent["median"], measured.status) == (None, 0)


def test_a_goal_is_a_row_with_both_medians(measured: Run) -> None:
    row = measured.rows[GOAL]
    assert (row["goal"], row["reference"]) == (1e-9, "bare loop lanes=4")
    assert row["reference_median"] == measured.rows["bare loop lanes=4"]["median"]


def test_the_page_is_one_file_with_a_plot(measured: Run, folder: Path) -> None:
    text = (folder / "bench.html").read_text(encoding="utf-8")
    assert measured.data["versions"]["gymhub"] in text
    assert "hub:toy/Toy-v0" in text
    assert "<svg" in text
    assert not re.search(r"(src|href)=|url\(|https?://", text)


def test_progress_names_what_is_measured_on_standard_error(measured: Run) -> None:
    assert measured.stderr == "measuring hub:toy/Toy-v0\n"


@pytest.mark.usefixtures("measured")
def test_missed_goals_and_comparisons_reach_table_and_status(
    site: PluginSite, folder: Path
) -> None:
    threads = "make_vec lanes=4 threads=4096 over make_vec lanes=4"
    write_toy(site, {**BENCH, "goals": {GOAL: 1e9, threads: 1.5}})
    old, new = folder / "old.json", folder / "new.json"
    arguments = ("--id", "toy/Toy-v0", *FAST, "--compare", str(old), "--json", str(new))
    done = site.hub("bench", *arguments)
    assert done.returncode == 1
    assert "missed: at least 1,000,000,000x" in done.stdout
    assert "not measured: make_vec lanes=4 threads=4096" in done.stdout
    assert "Against the earlier run" in done.stdout
    (change,) = [c for c in json.loads(new.read_text())["compare"] if c["case"] == "make"]
    was = {row["case"]: row["median"] for row in json.loads(old.read_text())["rows"]}
    assert change["old"] == was["make"]
    assert change["ratio"] == pytest.approx(change["new"] / change["old"])


def test_an_environment_that_breaks_is_a_row_and_stops_no_other(site: PluginSite) -> None:
    write_toy(site)
    ids = [word for name in ("Broken", "Crash", "Toy") for word in ("--id", f"toy/{name}-v0")]
    run = Run(site.hub("bench", *ids, "--lanes", "1", *FAST, "--json", "-"))
    errors = {row["id"]: row["error"] for row in run.data["rows"] if "error" in row}
    assert run.status == 1
    assert "RuntimeError: out of order" in errors["hub:toy/Broken-v0"]
    assert "killed by SIGSEGV" in errors["hub:toy/Crash-v0"]
    assert any(row["id"] == "hub:toy/Toy-v0" and row["median"] for row in run.data["rows"])


def test_an_absent_environment_is_skipped_with_the_fix(site: PluginSite) -> None:
    write_toy(site)
    run = Run(site.hub("bench", "--id", "toy/Absent-v0", "--json", "-"))
    (row,) = run.data["rows"]
    assert "no-such-program, not installed here. Fix: buy it" in row["skipped"]
    assert run.status == 0


def test_cartpole_through_make_is_as_fast_as_itself(site: PluginSite) -> None:
    run = Run(site.hub("bench", "--id", "CartPole-v1", "--lanes", "4", *FAST, "--json", "-"))
    assert run.status == 0, run.stderr
    # Both ends are the same code in the same rounds, on whatever machine.
    assert 0.2 < run.rows["make"]["ratio"] < 5
    assert run.rows["make_vec lanes=4"]["reference"] == "CartPole-v1 sync lanes=4"


def test_a_suite_of_a_plugin_keeps_its_rows_when_it_breaks(site: PluginSite) -> None:
    write_toy(site)
    run = Run(site.hub("bench", "toys", "--json", "-"))
    first, last = run.data["rows"]
    assert (first["id"], first["median"]) == ("shelf", 3.0)
    assert last["error"] == "OSError: the shelf broke"
    assert run.status == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["thruput"], "no suite 'thruput': did you mean throughput?"),
        (["--id", "hub:toy/Toi-v0"], "did you mean hub:toy/Toy-v0"),
        (["--compare", "absent.json"], "absent.json"),
        (["--html", "no/such/folder/page.html"], "no/such/folder"),
        (["--rounds", "0"], "--rounds"),
        (["--lanes", "10000000000"], "10000000000 is not in the range 1<=x<=16777216"),
    ],
)
def test_bad_usage_is_one_line_and_exit_status_2(
    site: PluginSite, arguments: list[str], said: str
) -> None:
    write_toy(site)
    done = site.hub("bench", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_help_lists_the_suites_of_plugins(site: PluginSite) -> None:
    write_toy(site)
    done = site.hub("bench", "--help")
    assert "toys: Counts toys." in done.stdout
    assert "throughput: Steps per second" in done.stdout


@pytest.mark.parametrize(
    ("env_id", "words"),
    [
        ("nope", "no environment hub:nope"),
        ("toy/Tou-v0", "did you mean hub:toy/Toy-v0,"),
        ("hub:toy/Tou-v0", "did you mean hub:toy/Toy-v0,"),
        ("no_such.module:X-v0", "no module no_such.module is installed"),
        ("CartPole-v9", "`CartPole`"),  # Gymnasium's own words, which name its versions
    ],
)
def test_an_unknown_id_is_a_usage_error_and_names_the_nearest(
    site: PluginSite, env_id: str, words: str
) -> None:
    write_toy(site, BENCH)
    ended = site.hub("bench", "--id", env_id, *FAST)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr
