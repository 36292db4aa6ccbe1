"""What keeps an adapter from being used wrongly: closed, forked, or from two threads at once.

The compiled step consumes the buffers of the state before. A second thread that comes in meanwhile
would hand the same buffers to XLA again, so it is refused, as in the native environments.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from hub.errors import ClosedError, ConcurrentUseError
from hub.functional.compiled import check_process


class Turn:
    """Held by the one call that is inside an environment; a copy or a pickle of it is free."""

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise ConcurrentUseError(
                "another thread is inside this environment; "
                "give each thread its own, or guard it with a lock"
            )

    def __exit__(self, *raised: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[type[Turn], tuple[()]]:
        return Turn, ()


class Guarded:
    """What `guarded` methods need of their object."""

    _turn: Turn

    def _is_closed(self) -> bool:
        raise NotImplementedError


_Self = TypeVar("_Self", bound=Guarded)
_Taken = ParamSpec("_Taken")
_Given = TypeVar("_Given")


def guarded(
    method: Callable[Concatenate[_Self, _Taken], _Given],
) -> Callable[Concatenate[_Self, _Taken], _Given]:
    """Let one thread at a time into `method`, in the process that loaded JAX, before `close()`.

    A guarded method must not call another of the same object. What it raises besides its own:
    `ForkedError`, `ConcurrentUseError`, `ClosedError`.
    """

    @functools.wraps(method)
    def call(self: _Self, /, *args: _Taken.args, **kwargs: _Taken.kwargs) -> _Given:
        check_process()  # first: a lock that was held at the fork stays held in the child
        with self._turn:
            if self._is_closed():
                raise ClosedError("this environment is closed; make a new one")
            return method(self, *args, **kwargs)

    return call
