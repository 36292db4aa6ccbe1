"""Tests that are Python code (`check(candidate)`): run apart from the program they judge.

In a trusted sandbox the tests run once with the task's own solution, and the calls that they make
are recorded; the program under test answers those calls in another sandbox; then the tests run in
a third, where `candidate` gives the recorded answers. So no process that says whether the tests
passed has ever loaded the program. Tests must make the same calls whatever the answers are.
"""

from __future__ import annotations

from hub_agents.code.driver import CALLER

_TESTS = (
    CALLER
    + r"""
import random

class Differs(Exception):
    pass

def run(job, candidate):
    random.seed(0)
    space = {"__name__": "tests", **{}}
    exec(compile(job["reference"], "reference.py", "exec"), space)
    target = candidate(space[job["entry"]])
    exec(compile(job["test"], "tests.py", "exec"), space)
    try:
        space["check"](target)
    except KeyboardInterrupt:  # SIGINT from outside is no verdict
        raise
    except BaseException as error:
        return f"{type(error).__name__}: {error}"[:200]
    return ""

job = json.load(sys.stdin)
out = os.dup(1)
os.dup2(2, 1)
"""
)
RECORD = (
    _TESTS
    + r"""
calls = []

def recording(solution):
    def candidate(*args):
        calls.append(encode(list(args)))
        return solution(*args)
    return candidate

failed = run(job, recording)
os.write(out, json.dumps({"calls": calls, "failed": failed}).encode())
"""
)
JUDGE = (
    _TESTS
    + r"""
answers = iter(zip(job["calls"], job["answers"]))
passed = 0

def replaying(_):
    def candidate(*args):
        global passed
        call, answer = next(answers, (None, None))
        if call != encode(list(args)):
            raise Differs("the tests make other calls than with the task's own solution")
        if "failed" in answer:
            raise RuntimeError("the program " + answer["failed"])
        value = answer["value"]
        passed += 1
        return object() if isinstance(value, dict) and "other" in value else decode(value)
    return candidate

failed = run(job, replaying)
os.write(out, json.dumps({"failed": failed, "passed": passed}).encode())
"""
)
