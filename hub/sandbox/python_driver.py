r"""Runs inside a sandbox as `python3 -c`: executes cells in one namespace that lasts.

Reads `SEQUENCE LENGTH\n` and LENGTH bytes of code from descriptor 198, answers
` SEQUENCE STATUS\n` on descriptor 199. Must run on any Python from 3.6 on, alone.
"""

import ast
import linecache
import os
import sys
import traceback
import types
from typing import Any

CONTROL, STATUS = 198, 199


def read_exactly(count: int) -> bytes:
    """Return `count` bytes of the control pipe; ends the process when the helper is gone."""
    parts = []
    while count:
        part = os.read(CONTROL, min(count, 65536))
        if not part:
            os._exit(0)
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def read_line() -> bytes:
    """Return one line of the control pipe, without its end."""
    line = b""
    while not line.endswith(b"\n"):
        line += read_exactly(1)
    return line[:-1]


class Plain:
    """Cells without IPython: the last expression's value is shown, as at the prompt."""

    def __init__(self) -> None:
        self.module = types.ModuleType("__main__")
        self.module.__dict__["__builtins__"] = __builtins__
        sys.modules["__main__"] = self.module

    def run(self, code: str, number: int) -> int:
        """Execute one cell; return 0, or 1 after an exception, or what `exit` was given."""
        name = f"<cell {number}>"
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        try:
            tree = ast.parse(code, name)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, name, "exec"), self.module.__dict__)
            if last is not None:
                shown = ast.Interactive([last])
                exec(compile(shown, name, "single"), self.module.__dict__)
        except SystemExit as stop:
            return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        except BaseException as error:
            self.show(error)
            return 1
        return 0

    def show(self, error: BaseException) -> None:
        """Print the traceback without the frames of this file."""
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == "<string>":
            trace = trace.tb_next
        traceback.print_exception(type(error), error, trace)


class Interactive:
    """Cells through IPython: magics, `!commands`, top-level await."""

    def __init__(self) -> None:
        os.environ.setdefault("IPYTHONDIR", "/tmp/.ipython")
        # A package of the image: the host need not have it.
        from IPython.core.interactiveshell import InteractiveShell

        self.shell = InteractiveShell.instance()
        self.shell.run_line_magic("colors", "NoColor")
        self.shell.history_manager.enabled = False

    def run(self, code: str, number: int) -> int:
        """Execute one cell; return 0, or 1 after an exception."""
        return 0 if self.shell.run_cell(code, store_history=False).success else 1


def make() -> Any:
    """Return IPython's cells where the image has it, else plain ones."""
    try:
        return Interactive()
    except ImportError:
        return Plain()


def main() -> None:
    """Serve cells until the control pipe closes."""
    for descriptor in (CONTROL, STATUS):
        os.set_inheritable(descriptor, False)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # from Python 3.7 on
            stream.reconfigure(line_buffering=True, errors="backslashreplace")
    cells = make()
    number = 0
    while True:
        try:
            seq, length = read_line().split()
            code = read_exactly(int(length)).decode("utf-8", "surrogateescape")
            number += 1
            status = cells.run(code, number)
        except KeyboardInterrupt:  # came a moment too late or too early to be the cell's
            status = 130
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):  # the cell closed it
                continue
        os.write(STATUS, b" %s %d\n" % (seq, status))


main()
