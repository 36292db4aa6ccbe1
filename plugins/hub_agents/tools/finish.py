"""`finish`: hand in and end the episode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hub.dialogue import Session, ToolResult


class Finish:
    """Ends the episode; what stands in `answer` is the final answer."""

    schema: Mapping[str, Any] = {
        "name": "finish",
        "description": "End the task. Give the final answer if the task asks for one.",
        "parameters": {
            "type": "object",
            "properties": {"answer": {"type": "string", "description": "The final answer."}},
            "additionalProperties": False,
        },
    }

    def run(self, arguments: Mapping[str, Any], session: Session) -> ToolResult:
        """Keep the answer, if there is one, and end the episode."""
        session.answer = arguments.get("answer", session.answer)
        return ToolResult("done", done=True)
