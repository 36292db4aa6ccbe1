"""What callers hand over is checked once, before anything starts, for both clients alike."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from hub.sandbox import AsyncSandbox, Mount, Sandbox, create, create_async


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"image": None}, "image None: expected a text"),
        ({"provider": 5}, "provider 5: expected a text"),
        ({"limits": {}}, "limits {}: expected hub.sandbox.Limits"),
        ({"limits": 5}, "limits 5: expected hub.sandbox.Limits"),
        ({"network": "no"}, "network 'no': expected True or False"),
        ({"mounts": ["/tmp"]}, "mounts '/tmp': expected a list of Mount"),
        ({"mounts": "/tmp"}, "mounts '/tmp': expected a list of Mount"),
        ({"mounts": None}, "mounts None: expected a list of Mount"),
        ({"env": {"A": 1}}, "env 'A': 1: expected a text"),
        ({"env": ["A"]}, "env ['A']: expected a mapping"),
        ({"env": {1: "A"}}, "env 1: expected a name"),
        ({"env": {"A=": "B"}}, "env 'A=': expected a name"),
        ({"env": {"A": "\0"}}, "env 'A': '\\x00': expected a text without NUL"),
    ],
)
def test_a_sandbox_is_not_started_with_what_it_cannot_use(wrong: dict[str, Any], why: str) -> None:
    for make in (create, lambda **given: asyncio.run(create_async(**given))):
        with pytest.raises((TypeError, ValueError)) as caught:
            make(**wrong)
        assert str(caught.value).startswith(why)


CALLS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda s: s.exec(None), "command None: expected a text or a list of texts"),
    (lambda s: s.exec([1, 2]), "command[0] 1: expected a text"),
    (lambda s: s.exec(b"ls"), "command b'ls': expected a text or a list"),
    (lambda s: s.exec([]), "command []: expected a program"),
    (lambda s: s.exec("true", timeout="x"), "timeout 'x': expected seconds"),
    (lambda s: s.exec("true", timeout=float("nan")), "timeout nan: expected seconds"),
    (lambda s: s.exec("true", cwd=5), "cwd 5: expected a path"),
    (lambda s: s.exec("true", cwd="/tmp\0x"), "cwd '/tmp\\x00x': expected a text without NUL"),
    (lambda s: s.exec("echo \ud800"), "command 'echo \\ud800': expected a text that UTF-8 can"),
    (lambda s: s.exec(["\ud800"]), "command[0] '\\ud800': expected a text that UTF-8 can encode"),
    (lambda s: s.shell("\ud800"), "command '\\ud800': expected a text that UTF-8 can encode"),
    (lambda s: s.python("'\ud800'"), "code \"'\\ud800'\": expected a text that UTF-8 can encode"),
    (lambda s: s.write("f", "\ud800"), "data '\\ud800': expected a text that UTF-8 can encode"),
    (lambda s: s.read("\ud800"), "path '\\ud800': expected a text that UTF-8 can encode"),
    (lambda s: s.read("a\0b"), "path 'a\\x00b': expected a text without NUL"),
    (lambda s: s.write("a\0b", b""), "path 'a\\x00b': expected a text without NUL"),
    (lambda s: s.exec("true", env={"A": 1}), "env 'A': 1: expected a text"),
    (lambda s: s.exec("true", stdin="x"), "stdin 'x': expected bytes; a text needs .encode()"),
    (lambda s: s.shell(5), "command 5: expected a text"),
    (lambda s: s.python(None), "code None: expected a text"),
    (lambda s: s.python("1", timeout=True), "timeout True: expected seconds"),
    (lambda s: s.read(5), "path 5: expected a path"),
    (lambda s: s.read("a", limit="x"), "limit 'x': expected a whole number"),
    (lambda s: s.write("a", 5), "data 5: expected bytes"),
    (lambda s: s.write(None, b""), "path None: expected a path"),
]


def test_a_call_with_what_it_cannot_use_is_refused_and_harms_nothing(sandbox: Sandbox) -> None:
    for call, why in CALLS:
        with pytest.raises((TypeError, ValueError)) as caught:
            call(sandbox)
        assert str(caught.value).startswith(why)
    # What a model may write is no caller's mistake: Python itself answers.
    assert "null bytes" in sandbox.python("1\0").stderr
    sandbox.write(PurePosixPath("a"), bytearray(b"b"))  # type: ignore[arg-type]
    assert sandbox.exec(("cat", "a"), cwd=Path("/workspace")).stdout == "b"  # type: ignore[arg-type]


def test_so_is_one_of_an_event_loops(sandbox: Sandbox) -> None:
    async def use() -> None:
        async with AsyncSandbox.adopt(sandbox) as adopted:
            for call, why in CALLS:
                with pytest.raises((TypeError, ValueError)) as caught:
                    await call(adopted)
                assert str(caught.value).startswith(why)
            assert (await adopted.exec("echo on")).stdout == "on\n"

    asyncio.run(use())


@pytest.mark.parametrize("target", ["/usr/nope/x", "/bin/nope", "/proc/x", "/dev/nope"])
def test_a_mount_where_none_can_be_made_is_the_callers_error(provider: str, target: str) -> None:
    with pytest.raises(ValueError, match=rf"mount target '{target}': it cannot be made, as /"):
        create(provider=provider, mounts=[Mount(Path("/opt"), PurePosixPath(target))])


def test_a_mount_over_what_is_there_is_made(provider: str) -> None:
    for target in ("/usr/share", "/dev/shm/x", "/sys/x", "/data/x"):
        mount = Mount(Path("/opt"), PurePosixPath(target))
        with create(provider=provider, mounts=[mount]) as sandbox:
            assert sandbox.exec(["test", "-d", target]).exit_code == 0
