"""Parsers: from what a model wrote to the tool calls in it.

A parser never raises on text: what it cannot read comes back as an error for the model to read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hub.trajectory import ToolCall

Schema = Mapping[str, Any]


@dataclass(frozen=True)
class Parsed:
    """What a parser found.

    Attributes:
        calls: The well-formed calls, in order.
        errors: One sentence for each malformed call, addressed to the model.
    """

    calls: tuple[ToolCall, ...] = ()
    errors: tuple[str, ...] = ()


class Parser(Protocol):
    """Turns a model's text into tool calls, and tells a model how to write them."""

    def instructions(self, tools: Sequence[Schema]) -> str:
        """Return the part of the system prompt that explains the call syntax for `tools`."""

    def parse(self, text: str, tools: Sequence[Schema]) -> Parsed:
        """Return the calls in `text`; never raises."""


class HermesParser:
    """Calls as `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`, any number of them."""

    _BLOCK = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)

    def instructions(self, tools: Sequence[Schema]) -> str:
        """Return the syntax and the JSON schemas of `tools`."""
        listed = "\n".join(json.dumps(tool, sort_keys=True) for tool in tools)
        return (
            "To call a tool, write a JSON object with its name and arguments between tags, "
            "for example\n"
            '<tool_call>{"name": "tool", "arguments": {"key": "value"}}</tool_call>\n'
            f"The tools are:\n{listed}"
        )

    def parse(self, text: str, tools: Sequence[Schema]) -> Parsed:
        """Return every call between the tags; an unclosed tag runs to the end of the text."""
        calls: list[ToolCall] = []
        errors: list[str] = []
        for number, match in enumerate(self._BLOCK.finditer(text)):
            try:
                calls.append(_call_of_json(match[1], f"call_{number}"))
            except ValueError as error:
                errors.append(f"tool call {number + 1}: {error}")
        return Parsed(tuple(calls), tuple(errors))


def _call_of_json(text: str, call_id: str) -> ToolCall:
    try:
        data = json.loads(text)
        # Refuses what Python reads and others cannot take: NaN, infinities, lone surrogates.
        json.dumps(data, allow_nan=False, ensure_ascii=False).encode("utf-8")
    # Deep nesting overflows the JSON scanner's recursion, which is the model's mistake too.
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not valid JSON ({error})") from error
    if not isinstance(data, dict) or not isinstance(data.get("name"), str):
        raise ValueError('expected a JSON object with a "name" and "arguments"')
    arguments = data.get("arguments", {})
    if not isinstance(arguments, dict):
        raise ValueError(f'"arguments" is {type(arguments).__name__}; expected a JSON object')
    return ToolCall(data["name"], arguments, call_id)


_OPENING = re.compile(r"```([\w+-]*)")


class FencedParser:
    """Each fenced block of code is a call of the tool that is named by the block's language.

    The block's body becomes the tool's single required argument. Blocks in other languages are
    text.
    """

    def instructions(self, tools: Sequence[Schema]) -> str:
        """Return the syntax, with the languages that `tools` give a meaning."""
        names = ", ".join(_bodies(tools))
        return (
            "To use a tool, write its input in a fenced block marked with the tool's name, "
            f"for example\n```{next(iter(_bodies(tools)), 'tool')}\n...\n```\n"
            f"The tools are: {names}"
        )

    def parse(self, text: str, tools: Sequence[Schema]) -> Parsed:
        """Return a call for every block whose language is a tool's name."""
        bodies = _bodies(tools)
        blocks, open_one = _fences(text)
        found = [(language, body) for language, body in blocks if language in bodies]
        calls = [ToolCall(name, {bodies[name]: body}, f"call_{n}")
                 for n, (name, body) in enumerate(found)]  # fmt: skip
        return Parsed(tuple(calls), _unclosed(open_one, bodies))


class BashBlockParser:
    """Exactly one fenced `bash` block is one call of the `bash` tool.

    Two blocks are an error, since the second would be written without having seen what the first
    one printed.
    """

    def instructions(self, tools: Sequence[Schema]) -> str:
        """Return the syntax."""
        return (
            "Write exactly one fenced block of bash commands in each message:\n"
            "```bash\n...\n```\nTo finish, run the command: finish"
        )

    def parse(self, text: str, tools: Sequence[Schema]) -> Parsed:
        """Return the one call; `finish` alone calls the `finish` tool."""
        fences, open_one = _fences(text)
        blocks = [body for language, body in fences if language in ("bash", "sh")]
        errors = _unclosed(open_one, ("bash", "sh"))
        if not blocks or errors:
            return Parsed(errors=errors)
        if len(blocks) > 1:
            return Parsed(errors=(f"{len(blocks)} bash blocks; write exactly one in a message",))
        if blocks[0].strip() == "finish":
            return Parsed((ToolCall("finish", {}, "call_0"),))
        return Parsed((ToolCall("bash", {"command": blocks[0]}, "call_0"),))


def _fences(text: str) -> tuple[list[tuple[str, str]], str | None]:
    """Return language and body of each fenced block, and the language of one left open.

    By lines, in linear time: what a model writes must not be able to keep us busy.
    """
    blocks: list[tuple[str, str]] = []
    language: str | None = None
    body: list[str] = []
    for line in text.split("\n"):
        bare = line.rstrip(" \t\r")
        if language is None:
            opening = _OPENING.fullmatch(bare)
            if opening:
                language, body = opening[1], []
        elif bare == "```":
            blocks.append((language, "".join(f"{part}\n" for part in body)))
            language = None
        else:
            body.append(line)
    return blocks, language


def _unclosed(language: str | None, known: Container[str]) -> tuple[str, ...]:
    if language is None or language not in known:
        return ()
    return (f"the {language} block is not closed by a line of ```",)


def _bodies(tools: Sequence[Schema]) -> dict[str, str]:
    """Map each tool's name to the argument that takes a block's body."""
    bodies = {}
    for tool in tools:
        parameters = tool["parameters"]
        names = parameters.get("required") or list(parameters.get("properties", {}))
        if len(names) == 1:
            bodies[tool["name"]] = names[0]
    return bodies
