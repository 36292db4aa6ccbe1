"""`Pool`: sandboxes started ahead of time, so that taking one costs milliseconds."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Self

from hub.arguments import whole
from hub.errors import ClosedError, SandboxError
from hub.sandbox import checks
from hub.sandbox.aio import AsyncSandbox
from hub.sandbox.api import order
from hub.sandbox.client import Sandbox
from hub.sandbox.images import HOST
from hub.sandbox.types import Limits, Mount

# Extra seconds that a sandbox may wait in the pool before it is taken; then it is replaced.
_SHELF_LIFE = 3600.0


class Pool:
    """Keeps `size` fresh sandboxes ready. A context manager.

    `take` hands out one and a background thread starts its replacement. Every sandbox is used
    once: the taker closes it. Its lifetime counts from the moment it is taken.
    """

    def __init__(
        self,
        size: int,
        image: str = HOST,
        provider: str | None = None,
        limits: Limits | None = None,
        network: bool = False,
        mounts: Iterable[Mount] = (),
        env: Mapping[str, str] | None = None,
    ) -> None:
        """Start the first sandboxes; arguments after `size` and errors as for `create`."""
        self._size = whole("pool size", size)
        limits = checks.limits(limits)
        self._lifetime = limits.lifetime
        waiting = replace(limits, lifetime=self._lifetime + _SHELF_LIFE)
        self._order = order(image, provider, waiting, network, mounts, env)
        self._ready: deque[Sandbox] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._failure: SandboxError | None = None
        self._thread = threading.Thread(target=self._keep_full, name="sandbox-pool", daemon=True)
        self._thread.start()

    def take(self, timeout: float = 60.0) -> Sandbox:
        """Return a ready sandbox, waiting for one if the pool is empty just now.

        Raises:
            SandboxError: None could be started, or none came within `timeout` seconds.
            ClosedError: After `close`.
        """
        timeout = checks.seconds("timeout", timeout)
        while True:
            with self._changed:
                there = self._changed.wait_for(
                    lambda: self._ready or self._failure or self._closed, timeout
                )
                if self._closed:
                    raise ClosedError("the sandbox pool is closed")
                if not self._ready and self._failure:
                    failure, self._failure = self._failure, None
                    self._changed.notify_all()
                    raise failure
                if not there:
                    raise SandboxError(f"no sandbox became ready within {timeout:g} s")
                sandbox = self._ready.popleft()
                self._changed.notify_all()
            if sandbox.alive():
                sandbox.renew(self._lifetime)
                return sandbox
            sandbox.close()  # it died on the shelf

    async def take_async(self, timeout: float = 60.0) -> AsyncSandbox:
        """Return a ready sandbox for the running event loop; see `take`."""
        if self._ready:
            return AsyncSandbox.adopt(self.take(timeout))
        return AsyncSandbox.adopt(await asyncio.to_thread(self.take, timeout))

    def ready(self) -> int:
        """Return how many sandboxes are waiting to be taken."""
        return len(self._ready)

    def close(self) -> None:
        """End the sandboxes that nobody took; safe to call again."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()
        while self._ready:
            self._ready.popleft().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _keep_full(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(
                    lambda: self._closed or (len(self._ready) < self._size and not self._failure)
                )
                if self._closed:
                    return
            self._add()

    def _add(self) -> None:
        try:
            sandbox = Sandbox(self._order)
        except SandboxError as error:
            with self._changed:
                self._failure = error  # told to the next taker, who may try again
                self._changed.notify_all()
            return
        with self._changed:
            self._ready.append(sandbox)
            self._changed.notify_all()
