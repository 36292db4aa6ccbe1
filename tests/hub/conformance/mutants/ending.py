"""Single environments that never return, or take their process down, or cannot be made here."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import gymnasium

from tests.hub.conformance.mutants.good import Good, Result


class Hangs(Good):
    def step(self, action: Any) -> Result:
        if self.t == 3:
            time.sleep(3600)
        return super().step(action)


class HangsAndSays(Good):
    def step(self, action: Any) -> Result:
        said = Path(os.environ["HANGS_PID_FILE"])
        part = said.with_suffix(".part")
        part.write_text(str(os.getpid()))
        part.rename(said)
        time.sleep(3600)
        return super().step(action)


class HangsInClose(Good):
    def close(self) -> None:
        time.sleep(3600)


class HangsInRender(Good):
    def render(self) -> Any:
        time.sleep(3600)


class LacksPart(Good):
    def __init__(self, render_mode: str | None = None) -> None:
        raise gymnasium.error.DependencyNotInstalled("Box3D is not installed, run `pip install b`")


class Exits(Good):
    def step(self, action: Any) -> Result:
        if self.t == 3:
            os._exit(3)
        return super().step(action)


class Crashes(Good):
    def render(self) -> Any:
        return os.kill(os.getpid(), signal.SIGSEGV)


class Toils(Good):
    """Good, but to make it takes one and a half seconds of a core."""

    def __init__(self, render_mode: str | None = None) -> None:
        until = time.process_time() + 1.5
        while time.process_time() < until:
            pass
        super().__init__(render_mode)


class ToilsForEver(Good):
    def __init__(self, render_mode: str | None = None) -> None:
        while True:
            pass
