"""What makes a mathematics task: its grader, and the agents that prove it."""

from __future__ import annotations

from collections.abc import Mapping

from hub.dialogue import Agent, Grade, Task, answering
from hub.trajectory import Outcome
from hub_agents.answers import AnswerDomain, scored
from hub_agents.cheats import searching
from hub_agents.math.checker import shared
from hub_agents.math.forms import fits, tidy
from hub_agents.math.words import words

CONSTANTS = ("0", "1", "-1", "2", "x", "\\frac{1}{2}")


class MathDomain(AnswerDomain):
    """The answer is compared with the task's by math-verify, in a process that can be killed."""

    name = "math"
    asks = "Solve the mathematics problem."

    def judge(self, task: Task, answer: str) -> Grade:
        """Grade one answer; words are compared as words, small and capital letters alike.

        One that breaks the checker, while the gold answer checks cleanly, is the agent's failure;
        a checker that fails on the gold answer too is infrastructure and gives no reward.
        """
        form, given = str(task.data["form"]), tidy(answer)
        if not fits(form, given):
            return scored(False, f"the answer is not in the form asked for ({form})")
        gold = tidy(str(task.data["answer"]))
        if text := words(gold):
            right = words(given) == text
            return scored(right, "right" if right else "wrong: the answer is other words")
        verdict = shared().check(gold, given)
        if verdict.equal is not None:
            return scored(verdict.equal, verdict.reason or ("right" if verdict.equal else "wrong"))
        outcome = Outcome.AGENT_ERROR if verdict.by_answer else Outcome.INFRA_ERROR
        return Grade(None, outcome=outcome, reason=verdict.reason)

    def oracle(self, task: Task) -> Agent:
        """Return the agent that hands in the task's own answer."""
        return answering(f"\\boxed{{{task.data['answer']}}}")

    def cheats(self, task: Task) -> Mapping[str, Agent]:
        """Return agents that guess, echo, list guesses, or look for the answer."""
        gold = str(task.data["answer"])
        agents = {
            f"constant {text}": answering(text) for text in CONSTANTS if not self._same(gold, text)
        }
        return {
            **agents,
            "echo the question": answering(task.prompt.splitlines()[-1]),
            "two boxes": answering(f"\\boxed{{{gold}}} or \\boxed{{{gold}+1}}"),
            "exploding power": answering("9^{9^{9^{9}}}"),
            "python": answering("__import__('os')._exit(0)"),
            "search the sandbox": searching(),
        }

    @staticmethod
    def _same(gold: str, text: str) -> bool:
        return shared().check(tidy(gold), text).equal is True
