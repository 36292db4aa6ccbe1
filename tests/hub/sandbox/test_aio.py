import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from hub.errors import ClosedError, SandboxError
from hub.sandbox import AsyncSandbox, ExecResult, Limits, create_async, state


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 60))


def test_the_operations_are_those_of_the_synchronous_client(provider: str) -> None:
    async def test() -> None:
        async with await create_async(provider=provider) as sandbox:
            assert (await sandbox.exec("echo hi")).stdout == "hi\n"
            await sandbox.shell("cd /tmp")
            assert (await sandbox.shell("pwd")).stdout == "/tmp\n"
            assert (await sandbox.python("6 * 7")).stdout == "42\n"
            data = bytes(range(256)) * 40_000
            await sandbox.write("big", data)
            assert await sandbox.read("big") == data

    run(test())


def test_cancelling_a_call_ends_its_command_and_keeps_the_session(provider: str) -> None:
    async def test() -> None:
        async with await create_async(provider=provider) as sandbox:
            task = asyncio.create_task(sandbox.shell("X=kept; sleep 30"))
            await asyncio.sleep(0.3)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            result = await sandbox.shell("echo $X; cat /proc/[0-9]*/comm")
            assert result.stdout.startswith("kept\n")
            assert "sleep" not in result.stdout

    run(test())


def test_cancelling_twice_does_not_mix_up_replies() -> None:
    async def test() -> None:
        async with await create_async(provider="bubblewrap") as sandbox:
            for _ in range(5):
                task = asyncio.create_task(sandbox.shell("sleep 30"))
                await asyncio.sleep(0.05)
                task.cancel()
                await asyncio.sleep(0)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert (await sandbox.shell("echo mine")).stdout == "mine\n"

    run(test())


def test_closing_during_a_command_fails_that_call() -> None:
    async def test() -> None:
        sandbox = await create_async(provider="bubblewrap")
        task = asyncio.create_task(sandbox.exec("sleep 30"))
        await asyncio.sleep(0.1)
        await sandbox.close()
        with pytest.raises(ClosedError):
            await task
        with pytest.raises(ClosedError):
            await sandbox.exec("true")

    run(test())


def test_the_end_of_the_sandbox_fails_the_waiting_call() -> None:
    async def test() -> None:
        limits = Limits(lifetime=0.5)
        async with await create_async(provider="bubblewrap", limits=limits) as sandbox:
            with pytest.raises(SandboxError, match="lifetime") as caught:
                await sandbox.exec("sleep 30")
            assert caught.value.attribution == "budget"
            assert not sandbox.alive()

    run(test())


def test_cancelling_many_rollouts_leaves_no_sandbox() -> None:
    async def rollout() -> None:
        async with await create_async(provider="bubblewrap") as sandbox:
            await sandbox.shell("sleep 30")

    async def test() -> None:
        tasks = [asyncio.create_task(rollout()) for _ in range(12)]
        await asyncio.sleep(0.4)
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(result, asyncio.CancelledError) for result in results)

    run(test())
    assert not [record.id for record in state.records() if record.owner == os.getpid()]


def test_calls_of_several_tasks_take_turns() -> None:
    async def test() -> None:
        async with await create_async(provider="bubblewrap") as sandbox:
            results = await asyncio.gather(*(sandbox.shell(f"echo {i}") for i in range(20)))
            assert [result.stdout for result in results] == [f"{i}\n" for i in range(20)]

    run(test())


def test_a_coroutine_of_short_calls_lets_the_others_of_its_loop_go_on() -> None:
    async def test() -> None:
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        async with await create_async(provider="bubblewrap") as sandbox:
            await sandbox.shell(":")
            look = sandbox._look

            def answered(seq: int) -> Any:  # as where a reply is always there at once
                while (frame := look(seq)) is None:
                    pass
                return frame

            sandbox._look = answered  # type: ignore[method-assign]
            task = asyncio.create_task(other())
            for _ in range(400):
                await sandbox.shell(":")
            task.cancel()
        assert turns > 50  # a few calls fall into one turn

    run(test())


def test_short_calls_of_many_sandboxes_share_one_standstill() -> None:
    async def test() -> None:
        sandboxes = [await create_async(provider="bubblewrap") for _ in range(6)]
        await asyncio.gather(*(sandbox.shell("N=0") for sandbox in sandboxes))
        looks: list[int] = []
        turn = 0

        def counted(sandbox: AsyncSandbox) -> Callable[[int], Any]:
            look = sandbox._look

            def counting(seq: int) -> Any:
                looks.append(turn)
                time.sleep(0.0002)  # as if the reply took so long
                return look(seq)

            return counting

        async def turning() -> None:
            nonlocal turn
            while True:
                turn += 1
                await asyncio.sleep(0)

        for sandbox in sandboxes:
            sandbox._look = counted(sandbox)  # type: ignore[method-assign]
        task = asyncio.create_task(turning())

        async def calls(sandbox: AsyncSandbox) -> str:
            for _ in range(10):
                await sandbox.shell("N=$((N+1))")
            return (await sandbox.shell("echo $N")).stdout

        found = await asyncio.gather(*map(calls, sandboxes))
        task.cancel()
        assert found == ["10\n"] * 6
        assert max(Counter(looks).values()) <= 2
        await asyncio.gather(*(sandbox.close() for sandbox in sandboxes))

    run(test())


def test_closing_between_two_exchanges_of_one_call_sends_nothing_more() -> None:
    async def test() -> None:
        for pause in range(8):
            sandbox = await create_async(provider="bubblewrap")
            # The first command opens the shell and then runs in it: two exchanges.
            task = asyncio.create_task(sandbox.shell("echo hi"))
            for _ in range(pause):
                await asyncio.sleep(0.0005)
            await sandbox.close()
            done = await asyncio.gather(task, return_exceptions=True)
            assert isinstance(done[0], ClosedError | ExecResult)

    run(test())


def test_cancelling_a_call_of_a_closed_sandbox_is_a_cancellation() -> None:
    async def test() -> None:
        sandbox = await create_async(provider="bubblewrap")
        task = asyncio.create_task(sandbox.exec("sleep 30"))
        await asyncio.sleep(0.1)
        closing = asyncio.create_task(sandbox.close())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await closing

    run(test())


def test_closing_while_a_cancelled_command_ends_is_still_a_cancellation() -> None:
    async def test() -> None:
        sandbox = await create_async(provider="bubblewrap")
        task = asyncio.create_task(sandbox.exec("sleep 30"))
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.sleep(0)  # the request to end it is on its way
        await sandbox.close()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(test())
