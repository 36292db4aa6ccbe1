"""The process that runs math-verify: one JSON line in, one out; started by `checker`.

It stands alone (no import of the hub). It loads everything once; each check then runs in a fork of
it, which is made to be killed: a check that is killed costs no new start, and leaves nothing
behind for the next. A fork may use a set time of CPU, counted by the kernel: when it is used up
the kernel ends the fork, whatever code runs. Answers are read by math-verify's LaTeX grammar only:
its expression reader hands text to `sympy.parse_expr`, which evaluates it as Python.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import resource
import signal
import sys
import warnings
from typing import Any

MEMORY = 2 << 30  # bytes of address space
FILES = 16  # descriptors; a checker opens nothing but pipes once it has started
# Each first use of a kind of comparison imports and caches for a second; not at an answer's cost.
WARM_UP = (
    ("x^{2} + 2*x + 1", "(x+1)^2"),
    ("-34*x^{8}/15 - 5*x/4 + C", "C - \\frac{5x}{4} - \\frac{34x^8}{15}"),
    ("\\{1,2\\}", "\\{2,1\\}"),
    ("1/2", "0.5"),
    ("2\\sqrt{2}", "3"),
)


def equal(gold: str, answer: str) -> bool:
    """Tell whether `answer` is `gold`, both LaTeX without dollar signs."""
    from math_verify import LatexExtractionConfig, parse, verify

    # Their own timeouts need signals of the main thread and end no C code; ours is the kernel's.
    read = [
        parse(f"${text}$", extraction_config=[LatexExtractionConfig()], parsing_timeout=None)
        for text in (gold, answer)
    ]
    return bool(read[0] and read[1] and verify(*read, timeout_seconds=None))


def confine() -> None:
    """Give up what a check does not need."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))


def checked(request: dict[str, Any]) -> bytes:
    """Check in a fork; return its JSON reply, or `{"status": ...}` where it ended without one."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _check(request, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        reply = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    # A fork that was ended while it wrote has said nothing.
    return reply if status == 0 else json.dumps({"status": status}).encode()


def _check(request: dict[str, Any], writer: int) -> None:
    """Compare under the limits, write the reply and exit; runs in the fork."""
    signal.setitimer(signal.ITIMER_PROF, request["cpu"])
    signal.setitimer(signal.ITIMER_REAL, request["wall"])
    try:
        reply: dict[str, object] = {"equal": equal(request["gold"], request["answer"])}
    except Exception as error:  # the caller decides whose fault it is, by controls
        reply = {"error": f"{type(error).__name__}: {error}"[:200]}
    try:
        os.write(writer, json.dumps(reply).encode())  # below the size that a pipe takes at once
    finally:
        os._exit(0)


def main() -> None:
    """Answer requests until standard input ends."""
    warnings.simplefilter("ignore")
    logging.disable()
    for pair in WARM_UP:
        equal(*pair)
    confine()
    gc.freeze()  # a fork's collector would write to, and so copy, every page of ours
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin.buffer:
        reply = checked(json.loads(line))
        print(reply.decode(), flush=True)


if __name__ == "__main__":
    main()
