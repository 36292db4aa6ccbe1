"""Rows of a user's own file, and of published sets of mathematics problems, as tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hub.dialogue import Task
from hub.errors import TaskError
from hub_agents.answers import AnswerError, stated
from hub_agents.math.forms import FORMS, fits, tidy
from hub_agents.math.words import MOST, words
from hub_agents.sources import SOLUTIONS, asked, check_fields, named, text_of


def math_row(row: Mapping[str, Any], where: str) -> Task:
    r"""Make a task of a row in one of these shapes.

    - One's own: `prompt` (or `problem`, `question`), `answer` in LaTeX or plain, `id`, `split` and
      `form` (see `forms.fits`; default `closed`) where it has them; no other field.
    - DeepScaleR: `problem`, `answer`, `solution`.
    - Eurus-2 (rows whose `ability` is `math`): `prompt` as chat messages and
      `reward_model["ground_truth"]`.
    - Where there is no answer, the one box in the solution (`sources.SOLUTIONS`).

    Published rows may have any other columns. An answer of one to three words (`even`,
    `\text{no solution}`) is compared literally; a longer text is prose and is refused, and so is an
    answer that does not stand in its own form. Small and capital letters are the same: `X` is `x`.

    Raises:
        TaskError: It is none of them; the message names the row and the field.
    """
    if row.get("ability", "math") != "math":
        raise TaskError(f"{where}: ability {row['ability']!r}: expected 'math'")
    check_fields(row, ("answer", "form", "ability"), where)
    form = row.get("form", "closed")
    if form not in FORMS:
        raise TaskError(f"{where}: form {form!r}: expected one of {', '.join(FORMS)}")
    answer = _answer(row, where)
    gold = tidy(answer)
    if len(words(gold)) > MOST:
        raise TaskError(
            f"{where}: answer {answer!r:.80}: expected mathematics, or at most {MOST} words"
        )
    if not fits(form, gold):
        raise TaskError(f"{where}: answer {answer!r:.80}: does not stand in the form {form!r}")
    return Task(named(row, where), asked(row, where), {"answer": answer, "form": form})


def _answer(row: Mapping[str, Any], where: str) -> str:
    model = row.get("reward_model")
    if isinstance(model, Mapping):
        text = text_of(model, ("ground_truth",), f"{where}: reward_model")
    elif row.get("answer") not in (None, ""):
        text = text_of(row, ("answer",), where)
    else:
        text = text_of(row, SOLUTIONS, where)
        if "\\boxed{" not in text:
            raise TaskError(f"{where}: no 'answer', and no boxed one in its solution")
    try:
        return stated(text)
    except AnswerError as error:
        raise TaskError(f"{where}: its answer: {error}") from error
