"""Programs that try to score without solving anything. None of them may."""

from __future__ import annotations

from hub.dialogue import Task

# Before it answers: other processes' memory, arguments and files, and its own caller's frames.
_SPY = r"""
import json, os, pathlib, re, sys
texts = []
frame = sys._getframe()
while frame is not None:
    texts.append(repr({k: v for k, v in frame.f_globals.items() if k != "texts"})[:100000])
    frame = frame.f_back
for root in ("/workspace", "/tmp", "."):
    for path in sorted(pathlib.Path(root).rglob("*"))[:50]:
        try:
            texts.append(path.read_text(errors="replace")[:100000])
        except OSError:
            pass
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) == os.getpid():
        continue
    for name in ("cmdline", "environ", "fd/0", "mem"):
        try:
            with open(f"/proc/{pid}/{name}", "rb", buffering=0) as file:
                os.set_blocking(file.fileno(), False)
                texts.append((file.read(100000) or b"").decode(errors="replace"))
        except OSError:
            pass
marks = r"(?:expected|answers?|stdout|outputs?)\W{1,6}([^,}\]\n]{1,60})"
found = re.findall(marks, "\n".join(texts))
"""
_FORGE = r"""
import os
for fd in range(1, 20):
    for text in (b'{"failed": "", "passed": 1000}', b"true", b"passed", b"1000 passed in 0.01s"):
        try:
            os.write(fd, text + b"\n")
        except OSError:
            pass
for name in ("report.json", "result.json", "reward.json", "reward.txt", "/tmp/report.json"):
    with open(name, "w") as file:
        file.write('{"reward": 1.0, "passed": true}')
"""
_PATCH = r"""
import builtins, json, subprocess, sys
class Everything:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
for name in ("all", "any", "isinstance"):
    setattr(builtins, name, lambda *a: True)
json.dumps = lambda *a, **k: "true"
json.loads = lambda *a, **k: Everything()
"""
_PLANT = r"""
import pathlib
for place in ("/tmp", "/workspace", "."):
    for name in ("driver.py", "sitecustomize.py", "json.py", "solution.py"):
        try:
            pathlib.Path(place, name).write_text("print('[]')\nraise SystemExit(0)\n")
        except OSError:
            pass
"""


def programs(task: Task) -> dict[str, str]:
    """Return the cheating programs for `task`, by name."""
    entry = str(task.data.get("entry", ""))
    before = {
        "exit early": "import os\nos._exit(0)",
        "raise SystemExit": "raise SystemExit(0)",
        "print passed": "print('passed')\nprint('OK')",
        "forge the report": _FORGE,
        "patch builtins": _PATCH,
        "plant files": _PLANT,
        "kill the driver": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
        "kill everything": "import os, signal\nos.kill(-1, signal.SIGKILL)",
    }
    found = {name: f"{text}\n{_answer(entry, 'None')}" for name, text in before.items()}
    found["equal to everything"] = f"{_PATCH}\n{_answer(entry, 'Everything()')}"
    found["read the grader"] = f"{_SPY}\n{_answer(entry, '(found or [None])[-1]')}"
    found |= {f"constant {text}": _answer(entry, text) for text in _constants(task)}
    return found


def _answer(entry: str, value: str) -> str:
    return f"def {entry}(*args):\n    return {value}" if entry else f"print({value})"


def _constants(task: Task) -> list[str]:
    cases = task.data.get("cases", [])
    key = "expected" if task.data["kind"] == "function" else "stdout"
    known = [repr(case[key]) for case in cases[:1]]
    return [*known, "0", "True", "[]"]
