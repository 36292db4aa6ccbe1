"""What makes a science task: its grader, and the agents that prove it."""

from __future__ import annotations

from collections.abc import Mapping

from hub.dialogue import Agent, Grade, Task, answering
from hub_agents.answers import AnswerDomain, scored
from hub_agents.cheats import searching
from hub_agents.science.units import judged

CONSTANTS = ("0", "1", "42", "0.5", "100")
# Units that no family answers in, so a right number with one of them is wrong.
WRONG_UNIT = "lux"


class ScienceDomain(AnswerDomain):
    """The answer is a value with a unit, compared in that unit within the stated tolerance."""

    name = "science"
    asks = "Solve the problem; the answer needs its unit."

    def judge(self, task: Task, answer: str) -> Grade:
        """Grade one answer; the right value in any unit of the dimension scores 1."""
        data = task.data
        return scored(
            *judged(answer, float(data["answer"]), str(data["unit"]), float(data["rtol"]))
        )

    def oracle(self, task: Task) -> Agent:
        """Return the agent that hands in the task's own answer."""
        return answering(f"\\boxed{{{task.data['answer']:.10g} {task.data['unit']}}}")

    def cheats(self, task: Task) -> Mapping[str, Agent]:
        """Return agents that guess, leave the unit wrong, list guesses, or look for the answer."""
        gold, unit = task.data["answer"], str(task.data["unit"])
        constants = {f"constant {text}": f"{text} {unit}".strip() for text in CONSTANTS}
        return {
            **{
                name: answering(text)
                for name, text in constants.items()
                if self.judge(task, text).reward == 0.0
            },
            "wrong unit": answering(f"{gold:.10g} {WRONG_UNIT}"),
            "two boxes": answering(f"\\boxed{{{gold:.10g} {unit}}} \\boxed{{0 {unit}}}"),
            "interval": answering(f"{gold * 0.5:.10g} to {gold * 2:.10g} {unit}"),
            "not a number": answering(f"nan {unit}"),
            "exploding unit": answering(f"{gold:.10g} {unit or 'm'}^9^9^9^9"),
            "python": answering("__import__('os')._exit(0)"),
            "search the sandbox": searching(),
        }
