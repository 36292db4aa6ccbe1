"""What makes a repair task: the repository the agent sees, its changes, and who proves it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hub.dialogue import Agent, Grade, SandboxOptions, Submission, Task, TaskSource, Tool
from hub.errors import SandboxError, SandboxFileError, TaskError
from hub.trajectory import Outcome
from hub_agents.host import hidden
from hub_agents.swe import room, transfer, trees
from hub_agents.swe.cheats import cheats
from hub_agents.swe.filter import allowed, is_cache, told, unseen
from hub_agents.swe.grading import Grader
from hub_agents.swe.instance import Instance
from hub_agents.swe.oracle import oracle
from hub_agents.swe.places import image_name
from hub_agents.swe.transfer import Seen
from hub_agents.swe.trees import File

if TYPE_CHECKING:
    from hub.sandbox import Mount, Sandbox


class SweDomain:
    """A repository is repaired; hidden tests judge the changes in fresh sandboxes."""

    name = "swe"
    tools: Sequence[str | Tool] = ("bash", "python", "str_replace_editor", "finish")
    failure_reward = 0.0
    text_ends = False

    def __init__(self, source: TaskSource, sandbox: SandboxOptions) -> None:
        self.source = source
        self._grader = Grader(sandbox)
        # Of the task that was prepared last: the repository before the agent came.
        self._pristine: tuple[str, Seen] = ("", Seen())

    def system(self, task: Task) -> str:
        """Return the system prompt."""
        workdir = _instance(task).workdir
        return (
            f"Repair the repository in {workdir}. Change its sources there until the described "
            "behaviour is right and nothing else breaks, then call finish. Hidden tests judge the "
            "files as they are at the end, committed or not. Links, and changes of tests, of their "
            "settings and of compiled files, are dropped. There is no network."
        )

    def image(self, task: Task) -> str:
        """Return the sandbox image that the instance names, built on first use."""
        return image_name(_instance(task).image)

    def mounts(self, task: Task) -> Sequence[Mount]:
        """Return what hides the host's own Python packages, the one under repair among them."""
        return hidden(self.image(task))

    def prepare(self, task: Task, sandbox: Sandbox) -> None:
        """Lay the broken repository into the sandbox, as one commit without any history."""
        instance = _instance(task)
        room.furnish(instance, sandbox, commit=True)
        if self._pristine[0] != task.id:
            self._pristine = (task.id, transfer.look(sandbox, instance.workdir))

    def collect(self, task: Task, answer: str | None, sandbox: Sandbox | None) -> Submission:
        """Return the changes that count, whatever git says of them, and why others do not.

        `patch` is for people; `files` is what is graded: path -> text or base64, or None where
        the file is deleted. `dropped` names up to 100 of the `not_graded` changes that do not
        count, with the reason.
        """
        instance = _instance(task)
        if sandbox is None:
            return {"files": {}, "dropped": {}, "not_graded": 0, "patch": ""}
        name, pristine = self._pristine
        assert name == task.id, "a sandbox was prepared before it is collected from"
        try:
            now = transfer.look(sandbox, instance.workdir)
        except SandboxFileError as error:
            raise SandboxError(f"the files cannot be listed: {error}", "agent") from error
        changes, dropped = allowed(pristine.tree, now.tree, instance.reserved)
        dropped = {p: why for p, why in dropped.items() if not is_cache(p)}
        dropped |= {p: why for p, why in unseen(pristine, now).items() if not is_cache(p)}
        kept = {path: pristine.tree[path] for path in changes if path in pristine.tree}
        after = {path: file for path, file in changes.items() if file is not None}
        files = {path: _packed(file) for path, file in changes.items()}
        shown = {_shown(path): why for path, why in list(dropped.items())[:100]}
        patch = trees.diff(kept, after)
        return {"files": files, "dropped": shown, "not_graded": len(dropped), "patch": patch}

    def grade(self, task: Task, submission: Submission) -> Grade:
        """Run the hidden tests on the pristine repository with the submission's files.

        The reason ends with what of the changes is not graded, and `parts` counts it.
        """
        instance = _instance(task)
        try:
            changes = {str(p): _unpacked(f) for p, f in dict(submission["files"]).items()}
        except (KeyError, TypeError, ValueError, binascii.Error) as error:
            raise TaskError(f"submission of {task.id}: {error!r}: expected 'files'") from error
        grade = self._grader.grade(instance, changes)
        if grade.outcome is Outcome.COMPLETED and not changes and grade.reward == 0.0:
            grade = replace(grade, reason=f"nothing that counts was changed; {grade.reason}")
        dropped = submission.get("dropped", {})
        count = int(submission.get("not_graded", len(dropped)))
        parts = {**grade.parts, "not_graded": float(count)}
        reason = "; ".join(filter(None, [grade.reason, told(dropped, count)]))
        return replace(grade, parts=parts, reason=reason)

    def oracle(self, task: Task) -> Agent:
        """Return the agent that applies the real fix through its tools.

        Raises:
            TaskError: None is known.
        """
        return oracle(_instance(task))

    def cheats(self, task: Task) -> Mapping[str, Agent]:
        """Return agents that attack the grader in place of the bug."""
        return cheats(_instance(task))


def _instance(task: Task) -> Instance:
    return Instance.from_json(task.data)


def _shown(path: str) -> str:
    return path.encode("utf-8", "replace").decode("utf-8")


def _packed(file: File | None) -> dict[str, Any] | None:
    if file is None:
        return None
    text = file.text
    body = {"base64": base64.b64encode(file.data).decode()} if text is None else {"text": text}
    return {**body, "executable": file.executable}


def _unpacked(value: Mapping[str, Any] | None) -> File | None:
    if value is None:
        return None
    if "text" in value:
        data = str(value["text"]).encode()
    else:
        data = base64.b64decode(value["base64"], validate=True)
    return File(data, bool(value["executable"]))
