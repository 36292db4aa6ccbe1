"""What recognisers of forms attain: no better than chance on what they can see."""

from __future__ import annotations

import pytest

from hub.dialogue import read_rows
from hub_agents.swe import catalogue, decoys, recognise
from hub_agents.swe.decoys import Decoy
from tests.plugins.hub_agents.swe.test_catalogue import IDS, ROWS, fetched

OLD = "def test_a(self):\n    self.assertEqual(f('known'), 'known')\n"


@pytest.mark.parametrize("guess", recognise.RECOGNISERS, ids=lambda g: g.__name__)
def test_a_recogniser_tells_crude_decoys(guess: recognise.Recogniser) -> None:
    crude = {
        "by_marks": "assert f('hello') == 'hellp'",
        "by_polarity": "assert not f('known') == 'known'",
        "by_exceptions": "with pytest.raises((KeyError, OSError)): f()",
    }.get(guess.__name__, "assert f('known') == 'qzx qzx'")
    plain = {"by_exceptions": "with pytest.raises((KeyError, Own)): f()"}.get(
        guess.__name__, "assert f('known') == 'known'"
    )
    source = "def test_a():\n    {}\n".format
    assert guess(source(plain), "test_a", OLD)
    assert not guess(source(crude), "test_a", OLD)


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_no_recogniser_tells_all_forms_of_a_catalogued_instance(row: dict[str, object]) -> None:
    instance = fetched(row)
    found = recognise.measured(row)
    assert [name for name, right, count in found if right == count] == []
    fixed = {decoys.function_of(test) for test in instance.fail_to_pass}
    covered = {one.function for one in map(Decoy.from_json, instance.decoys)}
    assert fixed <= covered
    assert len(read_rows(catalogue.ROWS)) == len(ROWS)
