"""Problems come from their number, in every process the same."""

from __future__ import annotations

import random
import subprocess
import sys

import gymnasium
import pytest

from hub.dialogue.validate import validate
from hub.errors import TaskError, UnknownOption
from hub_agents.math.domain import MathDomain
from hub_agents.math.forms import fits, tidy
from hub_agents.math.generators import DIFFICULTIES, GENERATORS, Generated
from tests import need

need.distribution("reasoning-gym")


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_every_generator_gives_answers_in_its_form(difficulty: str) -> None:
    source = Generated(difficulty=difficulty)
    for index in range(3 * len(GENERATORS)):
        task = source.get(index)
        assert task.data["generator"] == GENERATORS[index % len(GENERATORS)]
        assert fits(task.data["form"], tidy(task.data["answer"])), task


@pytest.mark.parametrize("generator", GENERATORS)
def test_the_gold_answer_of_every_generator_is_graded_right_and_another_wrong(
    generator: str,
) -> None:
    need.distribution("math-verify")
    for difficulty in DIFFICULTIES:
        domain = MathDomain(Generated(difficulty=difficulty, generators=[generator]))
        task = domain.source.get(0)
        gold = task.data["answer"]
        for answer, reward in ((f"\\boxed{{{gold}}}", 1.0), (f"{gold}", 1.0), (f"{gold}7", 0.0)):
            grade = domain.grade(task, {"answer": answer})
            assert grade.reward == reward, (task, answer, grade)


def test_a_number_gives_the_same_problem_in_another_process() -> None:
    indices = list(range(len(GENERATORS)))
    code = (
        "from hub_agents.math.generators import Generated; s = Generated('test', 3, 'hard');"
        f"print([(s.get(i).prompt, s.get(i).data['answer']) for i in {indices}])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    source = Generated("test", 3, "hard")
    here = [(source.get(i).prompt, source.get(i).data["answer"]) for i in indices]
    assert told.stdout.strip() == str(here)


def test_splits_and_seeds_give_other_problems_and_leave_the_global_stream_alone() -> None:
    random.seed(1)
    state = random.getstate()
    sources = [Generated("train", 0), Generated("test", 0), Generated("train", 1)]
    prompts = {source.get(0).prompt for source in sources}
    assert len(prompts) == 3
    assert random.getstate() == state


@pytest.mark.parametrize(
    "options",
    [{"difficulty": "impossible"}, {"split": "dev"}, {"generators": ["no"]}, {"generators": []},
     {"seed": -1}],
)  # fmt: skip
def test_a_name_that_there_is_not_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(UnknownOption, match="expected"):
        Generated(**options)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.timeout(20)  # of a million problems none is made to look for one
def test_a_problem_is_found_by_its_id_and_an_unknown_one_is_refused_at_once() -> None:
    source = Generated("test", 3, "hard")
    for place in (0, 17, 999_999):
        assert source.find(source.get(place).id) == place
    one = source.get(17).id
    assert [source.find(wrong) for wrong in ("zz", "", one + "0" * 5000)] == [None] * 3
    for old, new in (("-17", "-017"), ("-17", "-18"), ("hard", "easy")):
        assert source.find(one.replace(old, new)) is None
    env = gymnasium.make("hub:agent/Math-v0")
    with pytest.raises(TaskError, match=r"task 'zz': not among the 1000000"):
        env.reset(options={"task": "zz"})
    env.close()
    with pytest.raises(TaskError, match=r"task 'zz': not among the 1000000"):
        validate("hub:agent/Math-v0", tasks=["zz"])
