"""Builds altered copies of the C core and puts them in its place, for `hub verify --mutants`.

An altered copy is compiled from the checkout's C sources alone (no C++, no pybind11, well under
a second) and driven through ctypes.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from hub.errors import DeclarationError, MissingDependency
from hub.fidelity import patched

SOURCES = Path(__file__).parents[2] / "csrc"
FLAGS = ("-std=c11", "-O2", "-fPIC", "-shared", "-ffp-contract=off")
MODES = ("NextStep", "SameStep", "Disabled")
_POINTER = ctypes.c_void_p


class _Config(ctypes.Structure):
    _fields_ = (
        ("compat", ctypes.c_bool),
        ("frame_skip", ctypes.c_int),
        ("autoreset", ctypes.c_int),
        ("max_episode_steps", ctypes.c_uint64),
    )


class _Buffers(ctypes.Structure):
    _fields_ = tuple(
        (name, _POINTER)
        for name in (
            "observations",
            "final_observations",
            "rewards",
            "terminations",
            "truncations",
        )
    )


@contextmanager
def mutated(file: str, old: str, new: str) -> Iterator[None]:
    """Play with a core in which `old`, found once in `csrc/<file>`, reads `new`.

    Raises:
        DeclarationError: `old` is not there exactly once.
        MissingDependency: There is no checkout or no C compiler.
    """
    compiler = shutil.which("cc")
    if compiler is None or not SOURCES.is_dir():
        raise MissingDependency(
            "mutants of C Pong need its C sources (a checkout, installed with `pip install -e`) "
            "and a C compiler `cc`"
        )
    with tempfile.TemporaryDirectory(prefix="hub-pong-mutant-") as name:
        folder = Path(name)
        for source in (*SOURCES.glob("*.h"), SOURCES / "batch.c"):
            text = source.read_text(encoding="utf-8")
            if source.name == file:
                if text.count(old) != 1:
                    raise DeclarationError(
                        f"{old!r} is {text.count(old)} times in {file}, not once"
                    )
                text = text.replace(old, new)
            (folder / source.name).write_text(text, encoding="utf-8")
        target = folder / "core.so"
        subprocess.run([compiler, *FLAGS, "-o", target, folder / "batch.c"], check=True)
        core = partial(MutatedCore, _load(target))
        with patched("hub_pong.env:_core", SimpleNamespace(PongCore=core)):
            yield


def _load(path: Path) -> Any:
    library = ctypes.CDLL(str(path))
    size, pointer = ctypes.c_size_t, _POINTER
    signatures: dict[str, tuple[list[Any], Any]] = {
        "new": ([size, _Config, _Buffers], pointer),
        "free": ([pointer], None),
        "reset": ([pointer, size, size, pointer, pointer], None),
        "step": ([pointer, size, size, pointer], size),
        "snapshot_size": ([pointer], size),
        "snapshot": ([pointer, pointer], None),
        "restore": ([pointer, pointer], None),
    }
    functions = {name: library[f"pong_batch_{name}"] for name in signatures}
    for name, (arguments, result) in signatures.items():
        functions[name].argtypes, functions[name].restype = arguments, result
    return SimpleNamespace(**functions)


class MutatedCore:
    """What the environments and checks need of a `hub.native.BatchCore`, through ctypes.

    It has none of the real core's guards against misuse.
    """

    num_threads = 1
    config = "hub_pong mutant"

    def __init__(
        self,
        library: Any,
        *,
        observations: Any,
        final_observations: Any,
        rewards: Any,
        terminations: Any,
        truncations: Any,
        autoreset: str,
        max_episode_steps: int | None,
        num_threads: int | None,
        compat: bool,
        frame_skip: int,
    ) -> None:
        self._library = library
        self._keep = (observations, final_observations, rewards, terminations, truncations)
        pointers = [None if array is None else array.ctypes.data for array in self._keep]
        config = _Config(compat, frame_skip, MODES.index(autoreset), max_episode_steps or 0)
        self._lanes = len(rewards)
        self._batch = library.new(self._lanes, config, _Buffers(*pointers))
        if not self._batch:
            raise MemoryError(f"{self._lanes} lanes")

    def reset(self, seeds: Any, mask: Any) -> None:
        """See `hub.native.BatchCore.reset`."""
        given = None if seeds is None else np.ascontiguousarray(seeds, np.uint64)
        chosen = None if mask is None else np.ascontiguousarray(mask, np.uint8)
        pointers = [None if array is None else array.ctypes.data for array in (given, chosen)]
        self._library.reset(self._batch, 0, self._lanes, *pointers)

    def step(self, actions: Any) -> int:
        """See `hub.native.BatchCore.step`."""
        chosen = np.ascontiguousarray(actions, np.int64)
        return int(self._library.step(self._batch, 0, self._lanes, chosen.ctypes.data))

    def snapshot(self) -> bytes:
        """See `hub.native.BatchCore.snapshot`."""
        data = ctypes.create_string_buffer(self._library.snapshot_size(self._batch))
        self._library.snapshot(self._batch, data)
        return data.raw

    def restore(self, payload: bytes) -> None:
        """See `hub.native.BatchCore.restore`."""
        self._library.restore(self._batch, payload)

    def close(self) -> None:
        """See `hub.native.BatchCore.close`."""
        if self._batch:
            self._library.free(self._batch)
            self._batch = None
