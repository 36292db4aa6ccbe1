"""The agent that knows the fix and applies it as a person would, through the tools."""

from __future__ import annotations

import shlex

from hub.dialogue import Agent, Script, act
from hub.errors import TaskError
from hub_agents.swe.instance import Instance

_PATCH = "/tmp/fix.patch"


def oracle(instance: Instance) -> Agent:
    """Return the agent that looks, applies the real fix, runs what tests there are and finishes.

    Raises:
        TaskError: No fix is known.
    """
    if not instance.gold_patch:
        raise TaskError(f"instance {instance.id}: it has no 'gold_patch' to validate it by")
    files = sorted(
        line.partition(" b/")[2] for line in instance.gold_patch.splitlines()
        if line.startswith("diff --git ")
    )  # fmt: skip

    def agent() -> Script:
        yield act("bash", command=f"cd {shlex.quote(instance.workdir)} && git log --oneline && ls")
        yield act("bash", command=f"wc -l {' '.join(map(shlex.quote, files[:10]))}")
        yield act("str_replace_editor", command="create", path=_PATCH,
                  file_text=instance.gold_patch)  # fmt: skip
        yield act("bash", command=f"git apply --whitespace=nowarn {_PATCH} && git diff --stat")
        if instance.base.get("kind") != "image":
            yield act("bash", command="python3 -m pytest -q -x 2>&1 | tail -n 5")
        yield act("finish")

    return agent
