import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from hub import InvalidAction
from hub.arguments import INT32_MAX, autoreset, cast_actions, switch, whole, whole_or_none


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3), np.array(3)])
def test_every_kind_of_integer_becomes_a_python_int(value):
    assert whole("lanes", value) == 3
    assert type(whole("lanes", value)) is int


@pytest.mark.parametrize("value", [True, np.True_, 1.0, "1", None, 0, -1, 9, [1]])
def test_anything_else_is_named_with_what_was_expected(value):
    with pytest.raises(ValueError, match=r"^lanes .*: expected a whole number from 1 to 8$"):
        whole("lanes", value, 8)


def test_the_largest_number_is_named_as_a_power():
    with pytest.raises(ValueError, match=r"from 1 to 2\*\*31 - 1$"):
        whole_or_none("threads", 2**31, INT32_MAX)
    assert whole_or_none("threads", INT32_MAX, INT32_MAX) == INT32_MAX
    assert whole_or_none("threads", None) is None


@pytest.mark.parametrize("value", [True, np.True_])
def test_a_switch_is_a_bool_of_python_or_numpy(value):
    assert switch("copy", value) is True


@pytest.mark.parametrize("value", ["no", 0, 1, None])
def test_a_switch_refuses_what_is_no_bool(value):
    with pytest.raises(ValueError, match=r"^copy .*: expected True or False$"):
        switch("copy", value)


@pytest.mark.parametrize(
    ("value", "given", "wanted"),
    [(256, np.int64, np.int8), (-129, np.int64, np.int8), (2**63, np.uint64, np.int64)],
)
def test_no_whole_number_changes_in_the_cast(value, given, wanted):
    with pytest.raises(InvalidAction, match=f"action {value} of lane 1: expected int"):
        cast_actions(np.array([1, value], given), np.dtype(wanted))
    cast = cast_actions(np.array([0, 1], given), np.dtype(wanted))
    assert (cast.dtype, cast.tolist()) == (wanted, [0, 1])


@pytest.mark.parametrize("mode", AutoresetMode)
def test_an_autoreset_mode_goes_by_member_value_and_name(mode):
    assert [autoreset(one) for one in (mode, mode.value, mode.name)] == [mode] * 3


@pytest.mark.parametrize("mode", ["next_step", "samestep", "", None, 1])
def test_what_is_no_autoreset_mode_is_refused_with_every_spelling(mode):
    with pytest.raises(ValueError, match=r"'NextStep', .* or its name \(NEXT_STEP, "):
        autoreset(mode)
