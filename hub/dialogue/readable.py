"""Turns for people's eyes: a tool call as its tool and arguments, not as one line of JSON."""

from __future__ import annotations

import re
from typing import Any

from hub.trajectory import ToolCall, Turn

LINES = 24  # of one argument; the middle of a longer one is left out
_JSON_CALL = re.compile(r"\s*<tool_call>.*?(?:</tool_call>|\Z)\s*", re.DOTALL)


def readable(turn: Turn) -> str:
    """Return the text of `turn` with its JSON tool calls written out; other texts verbatim.

    A call of one argument shows it below the tool's name. Of several, texts of more than one line
    stand below the others. What the model was sent and said word for word is `turn.content`.
    """
    if not turn.tool_calls or "<tool_call>" not in turn.content:
        return turn.content
    said = _JSON_CALL.sub("\n\n", turn.content).strip()
    return "\n".join([*([said] if said else []), *map(_call, turn.tool_calls)])


def _call(call: ToolCall) -> str:
    texts = {name: _text(value) for name, value in call.arguments.items()}
    if len(texts) == 1:
        (only,) = texts.values()
        return f"> {call.name}\n{_block(only)}" if only else f"> {call.name}"
    short = "".join(f"  {name}={text}" for name, text in texts.items() if "\n" not in text)
    blocks = [f"    {name}:\n{_block(text)}" for name, text in texts.items() if "\n" in text]
    return "\n".join([f"> {call.name}{short}", *blocks])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)


def _block(text: str) -> str:
    lines = text.rstrip("\n").split("\n")
    if len(lines) > LINES:
        half = LINES // 2
        left_out = f"[{len(lines) - LINES} lines left out]"
        lines = [*lines[:half], left_out, *lines[-half:]]
    return "\n".join(f"    {line}".rstrip() for line in lines)
