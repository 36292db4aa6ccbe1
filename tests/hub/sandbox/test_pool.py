import asyncio
import time

import pytest

from hub.errors import ClosedError, SandboxError, SandboxUnavailable
from hub.sandbox import Limits, Pool
from tests.hub.sandbox.test_state import wait


def test_a_pool_hands_out_fresh_sandboxes_and_refills(provider: str) -> None:
    with Pool(2, provider=provider) as pool:
        ids = set()
        for _ in range(4):
            with pool.take() as sandbox:
                assert sandbox.exec("ls /workspace").stdout == ""
                sandbox.write("mine", "x")
                ids.add(sandbox.id)
        assert len(ids) == 4
        assert wait(lambda: pool.ready() == 2, 20)


def test_the_lifetime_counts_from_the_taking() -> None:
    with Pool(1, provider="bubblewrap", limits=Limits(lifetime=1.0)) as pool:
        assert wait(lambda: pool.ready() == 1)
        time.sleep(1.2)
        with pool.take() as sandbox:
            assert sandbox.exec("echo on").stdout == "on\n"
            time.sleep(1.3)
            with pytest.raises(SandboxError, match="lifetime of 1 s is over"):
                sandbox.exec("true")


def test_a_sandbox_that_died_on_the_shelf_is_not_handed_out() -> None:
    with Pool(1, provider="bubblewrap") as pool:
        assert wait(lambda: pool.ready() == 1)
        pool._ready[0].kill()
        assert wait(lambda: not pool._ready[0].alive())
        with pool.take() as sandbox:
            assert sandbox.exec("echo fine").stdout == "fine\n"


def test_a_closed_pool_leaves_nothing_and_gives_nothing() -> None:
    pool = Pool(2, provider="bubblewrap")
    pool.take().close()
    pool.close()
    pool.close()
    assert pool.ready() == 0
    with pytest.raises(ClosedError, match="closed"):
        pool.take()


def test_a_pool_that_cannot_work_says_so_at_once() -> None:
    with pytest.raises(SandboxUnavailable):
        Pool(1, provider="none")
    for size in (0, "x", True):
        with pytest.raises(ValueError, match=f"pool size {size!r}: expected a whole number"):
            Pool(size)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="limits 5: expected hub"):
        Pool(1, limits=5)  # type: ignore[arg-type]


def test_a_pool_serves_an_event_loop_too(provider: str) -> None:
    async def use(pool: Pool) -> None:
        for _ in range(2):
            async with await pool.take_async() as sandbox:
                assert (await sandbox.shell("cd /tmp; pwd")).stdout == "/tmp\n"
                assert (await sandbox.shell("pwd")).stdout == "/tmp\n"

    with Pool(1, provider=provider) as pool:
        asyncio.run(use(pool))
