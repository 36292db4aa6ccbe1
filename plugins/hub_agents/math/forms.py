"""Forms of an answer: what it may look like, so that a question's own words are no answer.

math-verify computes: it takes "4 - 1 - 7" for -4 and an integral for its value. So a task says in
in which form its answer must stand, and everything else is wrong before it is computed. So is what
would compute a number that nobody can write down.
"""

from __future__ import annotations

import math
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
LENGTH = 10_000  # characters of an answer that is read at all
DIGITS = 5  # of a literal exponent
FACTORIAL = 10_000  # the largest number whose factorial is taken
POWERS = 3  # one in another's exponent, e^{x^2} has two
MAGNITUDE = 6  # powers of ten of a literal power that is an exponent: 2^{10^6} can be computed
_FACTORIAL = re.compile(r"(?<!\d)(\d+)!|\(([^()]*)\)!")
_EXPONENT = re.compile(r"\^\{?[({+-]*(\d+)")
_LITERAL_POWER = re.compile(r"(?<![\d.])(\d+)[})]*(\^)(?=[{(+]*(\d+))")
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


def explodes(answer: str) -> str:
    """Return what makes a tidy answer too large to compute, or an empty text.

    Args:
        answer: What `tidy` returned.
    """
    if len(answer) > LENGTH:
        return f"more than {LENGTH} characters"
    bare = _SPACES.sub("", answer)
    if "!!!" in bare or any(map(_is_large, _FACTORIAL.finditer(bare))):
        return f"a factorial of a power, of a factorial, or of more than {FACTORIAL}"
    if any(len(m[1]) > DIGITS for m in _EXPONENT.finditer(bare)):
        return f"an exponent of more than {DIGITS} digits"
    depths = _depths(bare)
    if max(depths, default=0) >= POWERS:
        return f"{POWERS} powers in one another's exponents"
    inner = (m for m in _LITERAL_POWER.finditer(bare) if depths[m.start(2)] > 1)
    if any(_magnitude(m[1], m[3]) > MAGNITUDE for m in inner):
        return f"an exponent above 10^{MAGNITUDE}"
    return ""


def _magnitude(base: str, exponent: str) -> float:
    """Return the decimal logarithm of a power of literals; of a long base, its length at least."""
    # Python reads no number of 5,000 digits.
    power = math.log10(int(base) or 1) if len(base) < 20 else len(base)
    return int(exponent) * power


def _is_large(factorial: re.Match[str]) -> bool:
    number, group = factorial[1] or "", factorial[2] or ""
    too_long = len(number) > len(str(FACTORIAL))  # Python reads no number of 5,000 digits
    return too_long or int(number or 0) > FACTORIAL or "^" in group or "!" in group


def _depths(bare: str) -> list[int]:
    """Return for each character how many powers it belongs to: two for the 2 in `e^{x^2}`."""
    groups: list[int] = []  # of each open group: how many powers it is the exponent of
    below = chain = 0  # powers around this group; powers of `a^b^c` so far
    depths: list[int] = []
    for before, sign in zip(" " + bare, bare, strict=False):
        if sign == "^":
            chain += 1
        elif sign in "{(":
            groups.append(chain if before == "^" else 0)
            below, chain = below + groups[-1], 0
        elif sign in "})":
            chain = groups.pop() if groups else 0
            below -= chain
        elif before != "^" and not (sign.isdigit() and before.isdigit()):
            chain = 0  # an exponent without braces is one letter or number
        depths.append(below + chain)
    return depths


FORMS = ("number", "expanded", "closed")
