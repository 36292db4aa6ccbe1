"""The cheat that every environment with a sandbox meets: an agent that looks for the answer."""

from __future__ import annotations

from hub.dialogue import Agent, Script, act

# Files that the episode brought, other processes' command lines, environment and memory.
_SEARCH = r"""
import os, pathlib, re
found = [repr(dict(os.environ))]
for root in ("/workspace", "/tmp", "/dev/shm", "/root", "/home", "/tests", "/logs", "/mnt"):
    for path in sorted(pathlib.Path(root).rglob("*"))[:200]:
        try:
            found.append(path.read_text(errors="replace")[:2000])
        except OSError:
            pass
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) == os.getpid():
        continue
    for name in ("environ", "cmdline", "mem", "fd/0", "fd/1"):
        try:
            with open(f"/proc/{pid}/{name}", "rb", buffering=0) as file:
                os.set_blocking(file.fileno(), False)
                found.append((file.read(2000) or b"").decode(errors="replace"))
        except OSError:
            pass
text = "\n".join(found)
marked = re.findall(r"(?:answer|expected|gold|solution)\W{1,4}([-+./\w]{1,40})", text, re.I)
print("FOUND", (marked or [""])[-1])
"""


def searching() -> Agent:
    """Return the agent that searches its sandbox for the answer and hands in what it finds."""

    def agent() -> Script:
        read = yield act("python", code=_SEARCH)
        yield act("finish", answer=read.rpartition("FOUND")[2].strip())

    return agent
