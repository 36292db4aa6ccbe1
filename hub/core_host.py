"""What the single and the vector environment share: owning a core, snapshots, pickling, drawing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gymnasium.spaces import Space
from gymnasium.vector import AutoresetMode

from hub import arguments
from hub.errors import ClosedError
from hub.native import BatchCore, CoreFactory, Draw, Lanes
from hub.snapshot import seal, unseal

Layout = tuple[Space[Any], int, AutoresetMode, int | None, int | None]


class CoreHost:
    """Mixin that binds a native core to its arrays and keeps what is needed to bind it again.

    An environment pickles, copies and deep-copies with its state: the core is left out and made
    anew from the factory, then restored from a snapshot.
    """

    metadata: dict[str, Any]
    render_mode: str | None

    _core: BatchCore
    _lanes: Lanes
    _observe: Callable[[], Any]
    _started: bool
    _shut = False
    _bound = frozenset({"_core", "_lanes", "_observe"})

    def _host(
        self, factory: CoreFactory, layout: Layout, render_mode: str | None, draw: Draw | None
    ) -> None:
        """Check the render mode and bind a core; `layout` is what `Lanes.allocate` takes."""
        modes = self.metadata.get("render_modes", [])
        self.render_mode = arguments.render_mode(render_mode, modes)
        self._draw = draw
        self._factory = factory
        self._layout = layout
        self._started = False
        self._bind()

    def _bind(self) -> None:
        """Make the arrays and the core; subclasses add what refers to them."""
        self._lanes = Lanes.allocate(*self._layout)
        self._core = self._factory(self._lanes)

    def _check_open(self) -> None:
        """Refuse a call after `close` before anything else is said of its arguments.

        Raises:
            ClosedError: The environment was closed.
        """
        if self._shut:
            raise ClosedError("this environment is closed; make a new one")

    def _close_core(self) -> None:
        self._shut = True
        self._core.close()

    def _frame(self, lane: int) -> Any:
        """Return the frame of `lane`, or None (with Gymnasium's usual warning) without a mode."""
        self._check_open()
        if self.render_mode is None or self._draw is None:
            arguments.warn_no_render_mode(self.metadata.get("render_modes", []))
            return None
        return self._draw(self._core, lane, self.render_mode)

    def snapshot(self) -> bytes:
        """Return the whole state: every lane, its random stream and its pending flags.

        The bytes carry a format version, a checksum and the configuration (rules, options, lanes,
        autoreset mode, episode limit). Wrappers keep their own state: a `TimeLimit` around a
        single environment is not part of it.

        Raises:
            gymnasium.error.ResetNeeded: Nothing has been reset yet.
        """
        return seal(self._core.config, self._core.snapshot())

    def restore(self, data: Any) -> Any:
        """Go back to the state that `snapshot` returned and return its observation.

        Args:
            data: The bytes, or what holds them: bytearray, memoryview, NumPy array.

        Raises:
            SnapshotError: `data` is no snapshot, damaged, of another version or of another
                configuration; the state is then unchanged.
        """
        self._check_open()
        self._core.restore(unseal(self._core.config, data))
        self._started = True
        return self._observe()

    def __getstate__(self) -> dict[str, Any]:
        state = {k: v for k, v in self.__dict__.items() if k not in self._bound}
        state["snapshot"] = self.snapshot() if self._started else None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        data = state.pop("snapshot")
        self.__dict__.update(state)
        self._bind()
        if data is not None:
            self.restore(data)
