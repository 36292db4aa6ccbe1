"""`str_replace_editor`: view, create and edit text files in the sandbox."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

from hub.dialogue import Session, ToolResult
from hub.errors import ToolMisuse
from hub.sandbox import Sandbox

NAME = "str_replace_editor"
COMMANDS = ("view", "create", "str_replace", "insert", "undo")
NEEDS = {
    "create": ("file_text",),
    "str_replace": ("old_str",),
    "insert": ("insert_line", "new_str"),
}
CONTEXT = 4  # lines shown around an edit
SHOWN = 20  # places named where a text is not unique
LARGEST = 4 << 20  # bytes of a file that can be edited

# What each edited file was before each edit, the oldest first; None where it was not there.
History = dict[str, list[str | None]]


def _text(what: str) -> dict[str, Any]:
    return {"type": "string", "description": what}


class Editor:
    """Edits of files by exact replacement, each of which can be undone."""

    schema: Mapping[str, Any] = {
        "name": NAME,
        "description": "View, create and edit text files. `view` shows a file with line numbers, "
        "or what a directory holds; `str_replace` replaces `old_str`, which must occur exactly "
        "once; `insert` puts `new_str` after line `insert_line`; `undo` takes back the last edit "
        "of the file.",
        "parameters": {
            "type": "object",
            "properties": {
                "command": {"type": "string", "enum": list(COMMANDS)},
                "path": _text("File or directory; a relative one is below the working directory."),
                "file_text": _text("create: the content."),
                "old_str": _text("str_replace: what to replace, white space included."),
                "new_str": _text("str_replace, insert: the new text; default: none."),
                "insert_line": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "insert: 0 is top.",
                },
                "view_range": {
                    "type": "array",
                    "items": {"type": "integer"},
                    "minItems": 2,
                    "maxItems": 2,
                    "description": "view: first and last line, from 1 on; -1 is the end.",
                },
            },
            "required": ["command", "path"],
            "additionalProperties": False,
        },
    }

    def run(self, arguments: Mapping[str, Any], session: Session) -> ToolResult:
        """Run one command.

        Raises:
            ToolMisuse: It cannot be done; the message says what to do instead.
            SandboxError: The sandbox failed as a whole.
        """
        command, path = arguments["command"], posixpath.normpath(arguments["path"])
        missing = [name for name in NEEDS.get(command, ()) if name not in arguments]
        if missing:
            raise ToolMisuse(f"{NAME}: {command} needs {' and '.join(missing)}")
        if "\0" in path:
            raise ToolMisuse(f"{NAME}: path {path!r} holds a NUL")
        history: History = session.memory.setdefault(NAME, {})
        sandbox = session.open_sandbox()
        if command == "view":
            return ToolResult(_view(sandbox, path, arguments.get("view_range")))
        if command == "create":
            return ToolResult(_create(sandbox, path, arguments["file_text"], history))
        if command == "undo":
            return ToolResult(_undo(sandbox, path, history))
        before = _read(sandbox, path)
        if command == "str_replace":
            old, new = arguments["old_str"], arguments.get("new_str", "")
            after, line = replaced(before, old, new, path)
            count = new.count("\n") + 1
        else:
            after, line = inserted(before, arguments["new_str"], arguments["insert_line"], path)
            count = arguments["new_str"].count("\n") + 1
        sandbox.write(path, after)
        history.setdefault(path, []).append(before)
        shown = numbered(after, max(1, line - CONTEXT), line + count - 1 + CONTEXT)
        return ToolResult(f"{path} is edited:\n{shown}")


def replaced(text: str, old: str, new: str, path: str) -> tuple[str, int]:
    """Return `text` with its one `old` replaced, and the line where that is.

    Raises:
        ToolMisuse: `old` does not occur exactly once.
    """
    if not old:
        raise ToolMisuse(f"{NAME}: old_str is empty; use insert to add text")
    at = text.find(old)
    if at < 0:
        raise ToolMisuse(f"{NAME}: old_str does not occur in {path}; view it and copy it exactly")
    if text.find(old, at + 1) >= 0:
        lines: list[str] = []
        start = at
        while start >= 0 and len(lines) < SHOWN:
            lines.append(str(text.count("\n", 0, start) + 1))
            start = text.find(old, start + 1)
        raise ToolMisuse(
            f"{NAME}: old_str is not unique in {path}: lines {', '.join(lines)}"
            f"{'' if start < 0 else ', ...'}; make it longer until it is"
        )
    return text[:at] + new + text[at + len(old) :], text.count("\n", 0, at) + 1


def inserted(text: str, new: str, line: int, path: str) -> tuple[str, int]:
    """Return `text` with `new` after line `line` (0: at the top), and its first line's number.

    Raises:
        ToolMisuse: There is no such line.
    """
    lines = text.split("\n")
    ends = lines[-1] == ""  # the text ends its last line
    count = len(lines) - ends
    if line > count:
        raise ToolMisuse(f"{NAME}: insert_line {line}: {path} has {count} lines")
    if text and not ends and line == count:
        return f"{text}\n{new}", line + 1
    return "\n".join([*lines[:line], new.removesuffix("\n"), *lines[line:]]), line + 1


def numbered(text: str, first: int, last: int) -> str:
    """Return lines `first` to `last` (from 1 on) of `text`, each with its number."""
    lines = text.split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    shown = enumerate(lines[first - 1 : last], first)
    return "\n".join(f"{number:6}\t{line}" for number, line in shown)


def _read(sandbox: Sandbox, path: str) -> str:
    try:
        return sandbox.read(path, limit=LARGEST).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ToolMisuse(f"{NAME}: {path} is no UTF-8 text ({error.reason}); use bash") from error


def _is(sandbox: Sandbox, test: str, path: str) -> bool:
    return sandbox.exec(["test", test, path]).exit_code == 0


def _view(sandbox: Sandbox, path: str, view_range: list[int] | None) -> str:
    if _is(sandbox, "-d", path):
        found = sandbox.exec(["find", path, "-maxdepth", "2", "-not", "-path", "*/.*"])
        return f"{path} and what it holds, two levels deep:\n" + "\n".join(
            sorted(found.stdout.splitlines())
        )
    text = _read(sandbox, path)
    count = text.count("\n") + (not text.endswith("\n") and bool(text))
    first, last = view_range or (1, -1)
    last = count if last == -1 else last
    if view_range and not 1 <= first <= last <= count:
        raise ToolMisuse(f"{NAME}: view_range {view_range}: {path} has {count} lines")
    return numbered(text, first, last) or f"{path} is empty"


def _create(sandbox: Sandbox, path: str, text: str, history: History) -> str:
    if _is(sandbox, "-e", path):
        raise ToolMisuse(f"{NAME}: {path} exists; edit it with str_replace, or remove it with bash")
    sandbox.write(path, text)
    history.setdefault(path, []).append(None)
    return f"{path} is created"


def _undo(sandbox: Sandbox, path: str, history: History) -> str:
    if not history.get(path):
        raise ToolMisuse(f"{NAME}: there is no edit of {path} to undo")
    before = history[path][-1]
    if before is None:
        sandbox.exec(["rm", "-f", "--", path])
    else:
        sandbox.write(path, before)
    history[path].pop()
    return f"the last edit of {path} is undone"
