"""Mining, end to end, on a package of our own and on one of the catalogue."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hub.dialogue import SandboxOptions
from hub.errors import TaskError
from hub_agents.swe import mine, releases
from hub_agents.swe.decoys import SAYS, Decoy
from hub_agents.swe.instance import Instance
from hub_agents.swe.releases import Unminable
from hub_agents.swe.report import Report, Result
from tests.hub.cli.conftest import Run
from tests.plugins.hub_agents.swe.conftest import NEW, OLD, PACKAGE, release, sdist

TESTS = "tests/test_spans.py"


def test_what_the_newer_release_mends_is_found(mined: Instance) -> None:
    assert mined.fail_to_pass == (
        f"{TESTS}::Reading::test_one_number",
        f"{TESTS}::test_what_is_read[1-2-numbers1]",
        f"{TESTS}::test_what_is_read[7-numbers0]",
    )
    assert len(mined.pass_to_pass) == 7
    assert "+ 1)" in mined.gold_patch
    assert "test_one_number" in mined.problem
    assert "+ 1" not in mined.problem
    assert not Path("/tmp/hub-spans-was-built").exists()


def test_every_mended_function_has_forms_that_hold_and_fail(mined: Instance) -> None:
    said: dict[str, list[str]] = {}
    for decoy in map(Decoy.from_json, mined.decoys):
        said.setdefault(decoy.function.rpartition("::")[2], []).append(decoy.says)
        assert decoy.tests
    for name in ("test_one_number", "test_what_is_read"):
        assert said[name] == list(SAYS)
    assert mined.meta["without_decoy"] == []


@pytest.mark.slow
def test_mining_twice_gives_the_same(
    mined: Instance, pins: list[str], options: SandboxOptions
) -> None:
    both = releases.pair(PACKAGE, OLD, NEW)
    again = mine.Miner(options, 1, print).verified(mine.Material.of(both, pins))
    assert again.to_json() == mined.to_json()


def runs(*results: dict[str, str]) -> list[Report]:
    return [Report({k: Result(v) for k, v in r.items()}, {}, 0) for r in results]


def test_what_differs_from_run_to_run_is_neither_mended_nor_kept() -> None:
    before = runs(
        {"a": "failed", "b": "passed", "c": "failed", "d": "passed"},
        {"a": "failed", "b": "passed", "c": "passed", "d": "failed"},
    )
    always = {"a": "passed", "b": "passed", "c": "passed", "d": "passed"}
    after = runs({**always, "e": "passed"}, {**always, "e": "skipped"})
    assert mine.sorted_out(before, after) == (["a"], ["b"])


def test_releases_that_differ_in_metadata_alone_are_no_task(
    archives: Path, pins: list[str], options: SandboxOptions
) -> None:
    spans = Path(__file__).with_name("spans")
    files = {"spans.py": (spans / "spans_1_0.py.txt").read_text(),
             "tests/test_spans.py": (spans / "tests_1_1.py.txt").read_text()}  # fmt: skip
    sdist(archives, "hub_spans-1.2", {**release("1.2", "", ""), **files})
    both = releases.pair(PACKAGE, OLD, "1.2")
    with pytest.raises(Unminable, match="differ in nothing but tests and metadata"):
        mine.Material.of(both, pins)


def test_a_release_that_is_not_there_is_named(archives: Path) -> None:
    with pytest.raises(TaskError, match=r"hub-spans 9\.9: the index has none"):
        releases.pair(PACKAGE, OLD, "9.9")


def test_another_checksum_is_refused(archives: Path) -> None:
    with pytest.raises(TaskError, match="was asked for"):
        releases.pair(PACKAGE, OLD, NEW, ("0" * 64, None))


def test_a_module_that_the_tests_lack_is_named_with_the_fix(
    archives: Path, pins: list[str], run: Run, tmp_path: Path
) -> None:
    spans = Path(__file__).with_name("spans")
    tests = "import no_such_part\n" + (spans / "tests_1_1.py.txt").read_text()
    source = (spans / "spans_1_1.py.txt").read_text()
    sdist(archives, "hub_spans-1.3", release("1.3", source, tests))
    ended = run("swe", "mine", PACKAGE, OLD, "1.3", "--out", str(tmp_path), "-k", "1",
                "--provider", "bubblewrap", "--json", "-")  # fmt: skip
    assert ended.status == 1
    assert (ended.json["schema"], ended.json["mined"]) == ("hub.swe.mine/1", False)
    assert "give it with --need (no_such_part)" in ended.json["reason"]
    assert not list(tmp_path.iterdir())


BARE = "\n\ndef test_the_first_number():\n    spans.parse('7')[0]\n"


def test_a_fix_that_only_tests_without_a_decoy_tell_of_is_no_task(
    archives: Path, pins: list[str], options: SandboxOptions
) -> None:
    spans = Path(__file__).with_name("spans")
    tests = (spans / "tests_1_0.py.txt").read_text() + BARE
    source = (spans / "spans_1_1.py.txt").read_text()
    sdist(archives, "hub_spans-1.4", release("1.4", source, tests))
    both = releases.pair(PACKAGE, OLD, "1.4")
    with pytest.raises(Unminable, match=r"no decoy can be made of .*::test_the_first_number"):
        mine.Miner(options, 1, print).verified(mine.Material.of(both, pins))


def test_tests_without_a_decoy_are_left_out_and_named(mined: Instance) -> None:
    found = [Decoy.from_json(one) for one in mined.decoys]
    draft = replace(mined, fail_to_pass=(*mined.fail_to_pass, f"{TESTS}::test_bare[a]"))
    told = mine.told_apart(draft, found)
    assert told.fail_to_pass == mined.fail_to_pass
    assert told.meta["without_decoy"] == [f"{TESTS}::test_bare"]
    holding = [one for one in found if one.holds]
    with pytest.raises(Unminable, match="no decoy can be made of"):
        mine.told_apart(draft, holding)


@pytest.mark.slow
def test_hub_register_commands_brings_hub_swe_which_mines_a_real_package(
    pins: list[str], run: Run, tmp_path: Path
) -> None:
    ended = run("swe", "mine", "xmltodict", "0.14.1", "0.14.2", "--out", str(tmp_path), "-k", "1",
                "--json", "-")  # fmt: skip
    assert ended.status == 0, ended.err
    assert (ended.json["fail_to_pass"], ended.json["pass_to_pass"]) == (2, 58)
    assert ended.json["without_decoy"] == []
    written = json.loads(Path(ended.json["path"]).read_text())
    assert Instance.from_json(written).base["version"] == "0.14.1"
