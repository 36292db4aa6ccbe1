"""How a rule says that it found something, or that it cannot run."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager


class Finding(Exception):
    """A rule is broken.

    Args:
        message: What was found, in one sentence.
        step: Step within the episode; 0 is the reset.
        field: Path of the offending field.
        seed: The seed given to `reset`.
    """

    def __init__(
        self,
        message: str,
        step: int | None = None,
        field: str | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.step, self.field, self.seed = message, step, field, seed


class Skipped(Exception):
    """A rule cannot or need not run here; the text says why."""


def describe(error: BaseException) -> str:
    """Return `ValueError: text (file.py:12)`, where the last frame is where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    text = " ".join(str(error).split())
    text = text if len(text) <= 300 else text[:297] + "..."
    place = f" ({frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {text}{place}"


@contextmanager
def blame(what: str, step: int | None = None, seed: int | None = None) -> Iterator[None]:
    """Turn an exception of the environment into a `Finding` that says `what` raised it."""
    try:
        yield
    except (Finding, Skipped):
        raise
    # Whatever an environment raises is a finding about it, and never the suite's own failure.
    except Exception as error:
        raise Finding(f"{what} raised {describe(error)}", step=step, seed=seed) from error


def brief(value: object, width: int = 90) -> str:
    """Return `repr(value)` on one line of at most `width` characters."""
    text = " ".join(repr(value).split())
    return text if len(text) <= width else text[: width - 3] + "..."
