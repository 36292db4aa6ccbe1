"""What makes a programming task: how a program is handed in, and the agents that prove it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hub.dialogue import Agent, Grade, SandboxOptions, Submission, Task, TaskSource, Tool, answering
from hub.errors import TaskError
from hub_agents.code.cheats import programs
from hub_agents.code.grading import Grader
from hub_agents.host import hidden

if TYPE_CHECKING:
    from hub.sandbox import Mount, Sandbox

LONGEST = 200_000  # code points of a program
_BLOCK = re.compile(r"^```(?:python|py|python3)?[ \t]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


class CodeDomain:
    """A program is graded by hidden tests in a fresh sandbox; 1.0 when all of them pass."""

    name = "code"
    tools: Sequence[str | Tool] = ("python", "bash", "finish")
    failure_reward = 0.0
    text_ends = True

    def __init__(self, source: TaskSource, sandbox: SandboxOptions) -> None:
        self.source = source
        self._grader = Grader(sandbox)

    def system(self, task: Task) -> str:
        """Return the system prompt."""
        return (
            "Solve the programming task in Python 3 with its standard library; nothing else is "
            "installed. You may try things with the tools. Hand in the whole program once: as a "
            "fenced python block in a message without a tool call (the last block counts), or as "
            "the argument of finish."
        )

    def image(self, task: Task) -> str:
        """Return the sandbox image: the host's own programs."""
        return "host"

    def mounts(self, task: Task) -> Sequence[Mount]:
        """Return what hides the host's own Python packages: it is as where it is graded."""
        return hidden(self.image(task))

    def prepare(self, task: Task, sandbox: Sandbox) -> None:
        """Put nothing into the sandbox: the hidden tests are never in the agent's."""

    def collect(self, task: Task, answer: str | None, sandbox: Sandbox | None) -> Submission:
        """Return the program that the answer holds."""
        return {"program": program_of(answer or "")}

    def grade(self, task: Task, submission: Submission) -> Grade:
        """Run the program against the hidden tests.

        One that does not even name the function that is asked for scores 0 without being run.
        """
        program, entry = str(submission["program"]), str(task.data.get("entry", ""))
        why = ""
        if not program.strip():
            why = "no program"
        elif len(program) > LONGEST:
            why = f"the program is longer than {LONGEST} characters"
        elif entry not in program:
            why = f"the program does not define {entry}"
        if why:
            return Grade(0.0, {"right": 0.0, "passed": 0.0}, reason=why)
        return self._grader.grade(task, program)

    def oracle(self, task: Task) -> Agent:
        """Return the agent that hands in the task's own solution.

        Raises:
            TaskError: The task has none.
        """
        if "solution" not in task.data:
            raise TaskError(f"task {task.id}: it has no 'solution' to validate it by")
        return answering(str(task.data["solution"]))

    def cheats(self, task: Task) -> Mapping[str, Agent]:
        """Return programs that attack the grader in place of the problem."""
        return {name: answering(text) for name, text in programs(task).items()}


def program_of(answer: str) -> str:
    """Return the last fenced Python block of `answer`, or all of it where there is none."""
    blocks = _BLOCK.findall(answer)
    return str(blocks[-1]) if blocks else answer
