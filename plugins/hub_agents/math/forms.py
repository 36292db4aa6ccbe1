"""Forms of an answer: what it may look like, so that a question's own words are no answer.

math-verify computes: it takes "4 - 1 - 7" for -4 and an integral for its value. So a task says in
which form its answer must stand, and everything else is wrong before it is computed.
"""

from __future__ import annotations

import re

_SPACES = re.compile(r"\\[,;:! ]|~|\s+")
_WRAPPERS = (("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))
_NAMED = re.compile(r"^[A-Za-z](\([A-Za-z]\))?=")
_NUMBER = re.compile(
    r"[+-]?(\d{1,3}(,\d{3})+|\d+)?(\.\d+)?(\\?%)?"
    r"|[+-]?\d+/\d+|[+-]?\\frac\{[+-]?\d+\}\{\d+\}"
)
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_EXPANDED = re.compile(r"[A-Za-z0-9+\-*/^{}.\\]+")
_SUM_IN_BRACES = re.compile(r"\{[^{}]+[+-]")
_WORD = re.compile(r"[A-Za-z]{2,}")
_PYTHON_POWER = re.compile(r"\*\*\s*(\d+|\([+-]?\d+\))")


def tidy(answer: str) -> str:
    """Return `answer` as LaTeX without dollar signs, `x =` and Python's `**`."""
    text = answer.strip().rstrip(".").strip()
    for left, right in _WRAPPERS:
        if text.startswith(left) and text.endswith(right) and len(text) > len(left + right):
            text = text[len(left) : -len(right)].strip()
    text = _PYTHON_POWER.sub(lambda m: "^{" + m[1].strip("()") + "}", text)
    text = text.replace("\\dfrac", "\\frac").replace("\\tfrac", "\\frac")
    return text.replace("\\left", "").replace("\\right", "")


def fits(form: str, answer: str) -> bool:
    """Tell whether a tidy answer stands in `form`.

    Args:
        form: `number` (one literal: whole, decimal, percentage or fraction), `expanded` (a sum of
            monomials, nothing left to multiply out) or `closed` (no sum, product, limit or
            integral left to compute).
        answer: What `tidy` returned.
    """
    bare = _SPACES.sub("", answer)
    commands = set(_COMMAND.findall(bare))
    if form == "closed":
        return not commands & {"int", "iint", "oint", "sum", "prod", "lim"}
    bare = _NAMED.sub("", bare)
    if form == "number":
        return any(c.isdigit() for c in bare) and _NUMBER.fullmatch(bare) is not None
    return (
        commands <= {"frac", "cdot", "times"}
        and _EXPANDED.fullmatch(bare) is not None
        and _SUM_IN_BRACES.search(bare) is None
        and _WORD.search(_COMMAND.sub("", bare)) is None
    )


FORMS = ("number", "expanded", "closed")
