"""The two persistent sessions of a sandbox: what is started, and how one command is put to it.

A session reads commands from a control descriptor and answers ` SEQUENCE EXIT-STATUS` on a status
descriptor. Neither is open in the commands that it runs.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class Session:
    """How one kind of session works.

    Attributes:
        name: As in notices to the agent.
        slot: Its number in the helper.
        argv: What is started.
        control: Descriptor that it reads commands from, and `status`: that it answers on.
        interrupt: Signal that asks it to give up a command but stay; 0 for none.
        encode: (sequence number, command) -> the bytes for its control descriptor.
        prelude: Bytes written before the first command.
        lost: What is lost when it is restarted.
    """

    name: str
    slot: int
    argv: tuple[str, ...]
    control: int
    status: int
    interrupt: int
    encode: Callable[[int, str], bytes]
    prelude: bytes
    lost: str


def _shell(program: str, plain: str, control: int, status: int) -> Session:
    # `plain` runs the shell's own builtin whatever functions the agent has defined, the backslash
    # keeps its aliases off, the quotes its IFS. No group in braces, though `set -x` would then not
    # show the second line: after an unfinished command bash does not know a brace there.
    before = f"\\{plain} eval '"
    after = f"' {status}>&-\n\\{plain} echo ' "
    end = f' \'"$?">&{status}\n'

    def encode(seq: int, command: str) -> bytes:
        if "\0" in command:
            raise ValueError("a shell command cannot hold a NUL byte; write the data to a file")
        # eval keeps a syntax error from ending the shell; the redirection keeps the status
        # descriptor out of whatever the command starts. Short, because a shell reads its commands
        # from a pipe byte by byte. The space before the status parts it from whatever somebody
        # wrote to that pipe through /proc.
        quoted = command.replace("'", "'\\''")
        return f"{before}{quoted}{after}{seq}{end}".encode("utf-8", "surrogateescape")

    options = ("--noprofile", "--norc") if program.endswith("bash") else ()
    return Session(
        name="shell",
        slot=0,
        argv=(program, *options, f"/dev/fd/{control}"),
        control=control,
        status=status,
        interrupt=0,
        encode=encode,
        # In bash the assignment renames $0, which begins its error messages.
        prelude=f"exec {control}<&-\nBASH_ARGV0={program.rpartition('/')[2]}\n".encode(),
        lost="working directory, variables and functions",
    )


# Only bash can name descriptors above 9, and low numbers belong to the agent's own scripts.
BASH = _shell("/bin/bash", "builtin", 198, 199)
SH = _shell("/bin/sh", "command", 8, 9)


def _encode_python(seq: int, code: str) -> bytes:
    data = code.encode("utf-8", "surrogateescape")
    return f"{seq} {len(data)}\n".encode() + data


PYTHON = Session(
    name="Python",
    slot=1,
    argv=("python3", "-c", files("hub.sandbox").joinpath("python_driver.py").read_text("utf-8")),
    control=198,
    status=199,
    interrupt=signal.SIGINT,
    encode=_encode_python,
    prelude=b"",
    lost="variables and imports",
)
