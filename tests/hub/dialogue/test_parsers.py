from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.dialogue import BashBlockParser, FencedParser, HermesParser, Parser
from hub.trajectory import ToolCall


def tool(name: str, *required: str) -> dict[str, Any]:
    properties = {key: {"type": "string"} for key in required}
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": "Does it.", "parameters": parameters}


TOOLS = [tool("bash", "command"), tool("python", "code"), tool("edit", "path", "text")]
PARSERS: list[Parser] = [HermesParser(), FencedParser(), BashBlockParser()]
PIECES = st.sampled_from(
    ["<tool_call>", "</tool_call>", "```", "```bash\n", "```python\n", "\n```\n", "\n", "finish",
     '{"name": "bash", "arguments": {}}', '{"name":', "[", "\\ud800", "NaN", "<tool_response>"]
) | st.text(max_size=10)  # fmt: skip


@pytest.mark.parametrize("parser", PARSERS, ids=lambda p: type(p).__name__)
@given(pieces=st.lists(PIECES, max_size=12))
def test_no_text_makes_a_parser_raise_and_calls_are_json(parser: Parser, pieces: list[str]) -> None:
    parsed = parser.parse("".join(pieces), TOOLS)
    for call in parsed.calls:
        assert json.loads(json.dumps(dict(call.arguments), allow_nan=False)) == call.arguments
    assert all(isinstance(error, str) and error for error in parsed.errors)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["bash", "python"]),
            st.dictionaries(st.text(max_size=5), st.text(max_size=20) | st.integers(), max_size=3),
        ),
        max_size=4,
    )
)
def test_hermes_reads_back_every_call_in_its_order(calls: list[tuple[str, dict[str, Any]]]) -> None:
    text = "hm ".join(
        f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"
        for name, arguments in calls
    )
    if "</tool_call>" in "".join(map(str, calls)):
        return
    parsed = HermesParser().parse(text, TOOLS)
    assert [(c.name, c.arguments) for c in parsed.calls] == calls
    assert [c.id for c in parsed.calls] == [f"call_{n}" for n in range(len(calls))]
    assert parsed.errors == ()


def test_hermes_reads_an_unclosed_last_call_and_goes_on_after_a_bad_one() -> None:
    text = '<tool_call>{oops</tool_call><tool_call>{"name": "bash", "arguments": {"command": "ls"}}'
    parsed = HermesParser().parse(text, TOOLS)
    assert parsed.calls == (ToolCall("bash", {"command": "ls"}, "call_1"),)
    assert len(parsed.errors) == 1
    assert parsed.errors[0].startswith("tool call 1: not valid JSON")


def test_fenced_blocks_named_after_tools_are_calls_and_others_are_text() -> None:
    text = "First:\n```python\nx = 1\nprint(x)\n```\nthen\n```json\n{}\n```\n```bash\nls\n```"
    parsed = FencedParser().parse(text, TOOLS)
    assert [(c.name, c.arguments) for c in parsed.calls] == [
        ("python", {"code": "x = 1\nprint(x)\n"}),
        ("bash", {"command": "ls\n"}),
    ]
    assert FencedParser().parse("```python\ns = '```'\n```", TOOLS).errors == ()
    assert FencedParser().parse("```python\nx", TOOLS).errors == (
        "the python block is not closed by a line of ```",
    )


def test_a_bash_block_stands_alone_and_finish_ends() -> None:
    parse = BashBlockParser().parse
    assert parse("```bash\nls\n```", TOOLS).calls[0].arguments == {"command": "ls\n"}
    assert parse("```bash\nfinish\n```", TOOLS).calls[0].name == "finish"
    assert "2 bash blocks" in parse("```bash\na\n```\n```sh\nb\n```", TOOLS).errors[0]
    assert "is not closed" in parse("```bash\nls", TOOLS).errors[0]
    assert parse("nothing", TOOLS).calls == ()


@pytest.mark.parametrize("parser", PARSERS, ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("piece", ["```bash\n", "```\n", "<tool_call>", "<tool_call>{", "` ", "\n"])
def test_no_text_keeps_a_parser_busy(parser: Parser, piece: str) -> None:
    start = time.process_time()
    parser.parse(piece * (1_000_000 // len(piece)), TOOLS)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("parser", PARSERS, ids=lambda p: type(p).__name__)
def test_instructions_show_a_call_that_the_parser_itself_can_read(parser: Parser) -> None:
    shown = parser.instructions(TOOLS)
    assert "bash" in shown
    assert parser.parse(shown, TOOLS).errors == ()
