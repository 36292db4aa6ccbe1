"""`python`: code in the sandbox's one Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hub.dialogue import Session, ToolResult
from hub_agents.tools.output import told


class Python:
    """Runs code; variables and imports are kept from call to call."""

    schema: Mapping[str, Any] = {
        "name": "python",
        "description": "Run Python code in a session that keeps its variables between calls. "
        "What is printed is shown, and the value of a last expression.",
        "parameters": {
            "type": "object",
            "properties": {"code": {"type": "string", "description": "What to run."}},
            "required": ["code"],
            "additionalProperties": False,
        },
    }

    def run(self, arguments: Mapping[str, Any], session: Session) -> ToolResult:
        """Run `code`, for as long as the budget allows.

        Raises:
            SandboxError: The sandbox failed as a whole.
        """
        sandbox = session.open_sandbox()
        return ToolResult(told(sandbox.python(arguments["code"], timeout=session.seconds())))
