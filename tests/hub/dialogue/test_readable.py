from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hub.dialogue import act, spoken
from hub.dialogue.readable import LINES, readable
from hub.trajectory import ToolCall, Turn


def turn(*calls: ToolCall, text: str = "") -> Turn:
    content = "\n".join([*([text] if text else []), *map(spoken, calls)])
    return Turn("assistant", content, tool_calls=calls)


def test_a_call_of_one_argument_shows_it_below_the_tool() -> None:
    shown = readable(turn(act("bash", command="cd x\nls"), text="I look."))
    assert shown == "I look.\n> bash\n    cd x\n    ls"


def test_short_arguments_stand_beside_the_tool_and_long_ones_below() -> None:
    call = act("editor", command="create", path="a.py", file_text="x = 1\ny = 2\n")
    assert readable(turn(call)) == (
        "> editor  command=create  path=a.py\n    file_text:\n    x = 1\n    y = 2"
    )


def test_a_call_without_arguments_is_its_tool() -> None:
    assert readable(turn(act("finish"))) == "> finish"


def test_the_middle_of_a_long_argument_is_left_out_and_said_so() -> None:
    shown = readable(turn(act("bash", command="\n".join(map(str, range(100))))))
    assert f"[{100 - LINES} lines left out]" in shown
    assert shown.endswith("    99")
    assert len(shown.split("\n")) == LINES + 2


def test_texts_without_json_calls_stay_as_they_are() -> None:
    for content in ("plain\n", "```bash\nls\n```", "<tool_call>broken"):
        assert readable(Turn("assistant", content)) == content


@given(st.text(), st.dictionaries(st.text(min_size=1, max_size=5), st.text(), max_size=3))
def test_any_call_is_shown_with_its_tool(text: str, arguments: dict[str, str]) -> None:
    call = ToolCall("tool", arguments)
    content = f"{text}{spoken(call)}"
    shown = readable(Turn("assistant", content, tool_calls=(call,)))
    assert "> tool" in shown
    assert "</tool_call>" not in shown
