"""A grader of the tests' own, as `hub rescore --grader` takes one: programs must be documented."""

from __future__ import annotations

from typing import Any

from hub.dialogue import Grade, Task


def grade(task: Task, submission: dict[str, Any]) -> Grade:
    return Grade(float('"""' in submission["program"]))
