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
BENCH = {
    "reference": "Acrobot-v1 sync",
    "peers": ["MountainCar-v0 sync", "toy_env:absent"],
    "layers": "toy_env:layers",
    "lanes": [1, 4],
    "goals": {"make_vec lanes=4 over bare loop lanes=4": 1e-9},
}


def toy_run(
    site: PluginSite, *arguments: str, name: str = "Toy", bench: dict[str, Any] | None = None
) -> subprocess.CompletedProcess[str]:
    write_toy(site, BENCH if bench is None else bench)
    return site.hub("bench", "--id", f"toy/{name}-v0", *FAST, *arguments)


def rows(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, Any]]:
    return {row["case"]: row for row in json.loads(done.stdout)["rows"]}


def test_json_alone_stands_on_standard_output_with_every_case(site: PluginSite) -> None:
    done = toy_run(site, "--json", "-")
    data = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert data["schema"] == "hub.bench/1"
    assert set(data) == {"schema", "machine", "versions", "commit", "rows"}
    assert {row["id"] for row in data["rows"]} == {"hub:toy/Toy-v0"}
    found = rows(done)
    assert set(found) >= {
        *(f"make_vec lanes={n}{o}" for n in (1, 4) for o in ("", " copy=false")),
        *(f"{case} lanes={n}" for n in (1, 4) for case in ("bare loop", "MountainCar-v0 sync")),
        "make",
        "Acrobot-v1 make",
        "make_vec lanes=4 over bare loop lanes=4",
    }


def test_every_figure_has_quartiles_cpu_seconds_and_a_ratio_to_its_reference(
    site: PluginSite,
) -> None:
    row = rows(toy_run(site, "--json", "-"))["make_vec lanes=4"]
    assert list(row) == KEYS
    assert row["low"] <= row["median"] <= row["high"]
    assert row["per_cpu_second"] > 0
    assert row["reference"] == "Acrobot-v1 sync lanes=4"
    assert row["ratio"] == pytest.approx(row["median"] / row["reference_median"])


def test_a_peer_that_is_not_installed_is_skipped_with_its_reason(site: PluginSite) -> None:
    done = toy_run(site, "--json", "-")
    absent = rows(done)["toy_env:absent lanes=1"]
    assert absent["skipped"] == "ImportError: no such engine here"
    assert (absent["median"], done.returncode) == (None, 0)


def test_a_goal_is_a_row_and_missing_it_is_exit_status_1(site: PluginSite) -> None:
    text = "make_vec lanes=4 over bare loop lanes=4"
    met = toy_run(site, "--json", "-")
    assert rows(met)[text]["goal"] == 1e-9
    (site.path / "toy_dist-1.0.dist-info").rename(site.path / "old")
    for path in (site.path / "old").iterdir():
        path.unlink()
    (site.path / "old").rmdir()
    missed = toy_run(site, bench={**BENCH, "goals": {text: 1e9}})
    assert (met.returncode, missed.returncode) == (0, 1)
    assert "missed" in missed.stdout


def test_more_threads_than_cores_skip_their_goal(site: PluginSite) -> None:
    text = "make_vec lanes=4 threads=4096 over make_vec lanes=4"
    done = toy_run(site, "--json", "-", bench={"lanes": [1], "goals": {text: 1.5}})
    assert done.returncode == 0
    assert "not measured: make_vec lanes=4 threads=4096" in rows(done)[text]["skipped"]


@pytest.mark.parametrize(
    ("name", "said"), [("Broken", "RuntimeError: out of order"), ("Crash", "killed by SIGSEGV")]
)
def test_an_environment_that_breaks_is_a_row_and_exit_status_1(
    site: PluginSite, name: str, said: str
) -> None:
    write_toy(site, BENCH)
    done = site.hub("bench", "--id", f"toy/{name}-v0", "--id", "toy/Toy-v0", *FAST, "--json", "-")
    found = json.loads(done.stdout)["rows"]
    assert done.returncode == 1
    assert any(said in row.get("error", "") for row in found)
    assert any(row["id"] == "hub:toy/Toy-v0" and row["median"] for row in found)


def test_cartpole_is_measured_beside_itself_with_ratios_near_one(site: PluginSite) -> None:
    done = site.hub("bench", "--id", "CartPole-v1", "--lanes", "4", *FAST, "--json", "-")
    assert done.returncode == 0, done.stderr
    # Both ends of the pair are the same code in the same rounds, on whatever machine.
    assert 0.2 < rows(done)["make"]["ratio"] < 5


def test_an_earlier_run_is_compared_with(site: PluginSite, tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    assert toy_run(site, "--json", str(old)).returncode == 0
    done = site.hub("bench", "--id", "toy/Toy-v0", *FAST, "--compare", str(old), "--json", "-")
    changes = {c["case"]: c for c in json.loads(done.stdout)["compare"]}
    was = {row["case"]: row["median"] for row in json.loads(old.read_text())["rows"]}
    assert changes["make"]["old"] == was["make"]
    assert changes["make"]["ratio"] == pytest.approx(changes["make"]["new"] / was["make"])


def test_a_suite_of_a_plugin_keeps_its_rows_when_it_breaks(site: PluginSite) -> None:
    write_toy(site)
    done = site.hub("bench", "toys", "--json", "-")
    first, last = json.loads(done.stdout)["rows"]
    assert (first["id"], first["median"]) == ("shelf", 3.0)
    assert last["error"] == "OSError: the shelf broke"
    assert done.returncode == 1


def test_the_page_is_one_file_with_a_plot(site: PluginSite, tmp_path: Path) -> None:
    page = tmp_path / "bench.html"
    assert toy_run(site, "--html", str(page)).returncode == 0
    text = page.read_text()
    assert "hub:toy/Toy-v0" in text
    assert "<svg" in text
    assert not re.search(r"(src|href)=|url\(|https?://", text)


def test_progress_names_what_is_measured_on_standard_error(site: PluginSite) -> None:
    done = toy_run(site, "--json", "-")
    assert "measuring hub:toy/Toy-v0" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["thruput"], "no suite 'thruput': did you mean throughput?"),
        (["--id", "hub:toy/Toi-v0"], "did you mean hub:toy/Toy-v0"),
        (["--compare", "absent.json"], "absent.json"),
        (["--rounds", "0"], "--rounds"),
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
