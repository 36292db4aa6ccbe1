"""`bash`: commands in the sandbox's one shell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hub.dialogue import Session, ToolResult
from hub.errors import ToolMisuse
from hub_agents.tools.output import told


class Bash:
    """Runs commands; directory, variables and background jobs are kept from call to call."""

    schema: Mapping[str, Any] = {
        "name": "bash",
        "description": "Run commands in a bash shell that keeps its directory and variables "
        "between calls. There is no network.",
        "parameters": {
            "type": "object",
            "properties": {"command": {"type": "string", "description": "What to run."}},
            "required": ["command"],
            "additionalProperties": False,
        },
    }

    def run(self, arguments: Mapping[str, Any], session: Session) -> ToolResult:
        """Run `command`, for as long as the budget allows.

        Raises:
            ToolMisuse: The command cannot be one.
            SandboxError: The sandbox failed as a whole.
        """
        if "\0" in arguments["command"]:
            raise ToolMisuse("bash: a command cannot hold a NUL; write such data with printf")
        sandbox = session.open_sandbox()
        return ToolResult(told(sandbox.shell(arguments["command"], timeout=session.seconds())))
