"""The built-in instances: nothing of the packages is committed, all of it can be fetched."""

from __future__ import annotations

import gymnasium
import pytest

from hub.dialogue import DialogueEnv, find_tasks, read_rows
from hub.dialogue.validate import play
from hub.errors import TaskError, UnknownOption
from hub_agents.swe import catalogue, decoys
from hub_agents.swe.instance import Instance
from tests import need
from tests.hub.sandbox.conftest import require

ROWS = read_rows(catalogue.ROWS)
IDS = [str(row["id"]) for row in ROWS]


def fetched(row: dict[str, object]) -> Instance:
    try:
        return catalogue.built(row)
    except TaskError as error:
        need.missing(f"package index: {error}")


def test_there_are_five_in_two_splits_and_no_source_among_them() -> None:
    assert len(set(IDS)) == len(IDS) >= 5
    assert {row["split"] for row in ROWS} == set(catalogue.SPLITS)
    for row in ROWS:
        assert "tests" not in row
        assert "gold_patch" not in row
        assert row["fail_to_pass"]
        assert row["pass_to_pass"]
        assert all(len(digest) == 64 for _, digest in (row["old"], row["new"]))


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_each_is_built_of_its_archives_and_goes_back_into_its_row(row: dict[str, object]) -> None:
    instance = fetched(row)
    found = {**catalogue.row_of(instance), "split": row["split"]}
    assert found == row
    assert Instance.from_json(instance.to_json()).to_json() == instance.to_json()
    # The prompt gives neither the fix nor a hidden test away.
    added = [line[1:].strip() for line in instance.gold_patch.splitlines() if line[:1] == "+"]
    assert not [line for line in added if len(line) > 25 and line in instance.problem]
    functions = {decoys.function_of(test).rpartition("::")[2] for test in instance.fail_to_pass}
    assert not [name for name in functions if name in instance.problem]


def test_a_split_is_a_source_and_another_is_refused() -> None:
    fetched(ROWS[0])
    source = find_tasks("swe", "train")
    assert [source.get(i).id for i in range(len(source))] == [
        row["id"] for row in ROWS if row["split"] == "train"
    ]
    with pytest.raises(IndexError):
        source.get(len(source))
    with pytest.raises(UnknownOption, match="expected one of train, test"):
        find_tasks("swe", "dev")


def test_a_row_that_fits_no_archive_is_refused() -> None:
    fetched(ROWS[0])
    row = {**ROWS[0], "new": [ROWS[0]["new"][0], "0" * 64]}
    with pytest.raises(TaskError, match="was asked for"):
        catalogue.built(row)
    function = ROWS[0]["decoys"][0][0]
    with pytest.raises(TaskError, match="has no decoy 999"):
        catalogue.built({**ROWS[0], "decoys": [[function, 999, []]]})


@pytest.mark.slow
def test_a_catalogued_bug_is_repaired_by_its_oracle() -> None:
    fetched(ROWS[0])
    env = gymnasium.make("hub:agent/SWE-v0", sandbox={"provider": require("apptainer")}).unwrapped
    assert isinstance(env, DialogueEnv)
    oracle = env.domain.oracle(env.domain.source.get(0))  # type: ignore[attr-defined]  # Probed
    assert play(env, 0, oracle)[0] == 1.0
    env.close()


def test_an_instance_is_found_by_its_id_without_its_archives() -> None:
    source = catalogue.Catalogue("test")
    ids = [row["id"] for row in read_rows(catalogue.ROWS) if row["split"] == "test"]
    assert [source.find(name) for name in ids] == list(range(len(source)))
    assert source.find("xmltodict-0.1") is None
