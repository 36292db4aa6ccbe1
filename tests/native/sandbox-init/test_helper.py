"""The helper by itself, without a container (`--local`): frames that no host would send."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hub.sandbox import frames
from hub.sandbox.frames import HEADER, Kind
from tests import need

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "native" / "sandbox-init" / "src"


@pytest.fixture(scope="module")
def helper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The helper built with the address and undefined-behaviour sanitizers."""
    path = tmp_path_factory.mktemp("helper") / "init"
    flags = "-std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -g -O1"
    sanitizers = "-fsanitize=address,undefined -fno-sanitize-recover=all"
    sources = [str(source) for source in SOURCES.glob("*.c")]
    command = [need.program("gcc"), *flags.split(), *sanitizers.split(), "-o", str(path), *sources]
    subprocess.run(command, check=True)
    return path


def config(*, cap: int = 64, env: tuple[bytes, ...] = (b"PATH=/usr/bin:/bin",)) -> bytes:
    return frames.frame(
        Kind.CONFIG,
        1,
        frames.u32(frames.VERSION),
        frames.u64(20_000),
        frames.u32(cap),
        frames.u64(1 << 20),
        frames.string(b"/"),
        frames.strings(env),
        frames.u32(0),
        frames.strings([b"/bin/sh", b"/no/such"]),
    )


def talk(helper: Path, data: bytes) -> tuple[int, list[frames.Frame], str]:
    """Send bytes, close the pipe, and return exit status, replies, and what it complained of."""
    run = subprocess.run(
        [str(helper), "init", "--local"],
        input=data,
        capture_output=True,
        timeout=60,
        # It drops the capabilities and calls that leak checking needs.
        env={"ASAN_OPTIONS": "detect_leaks=0"},
    )
    buffer = frames.Buffer()
    buffer.feed(run.stdout)
    replies = []
    while (frame := buffer.next()) is not None:
        replies.append(frame)
    complaint = run.stderr.decode(errors="replace")
    assert "Sanitizer" not in complaint, complaint
    assert "runtime error" not in complaint, complaint
    return run.returncode, replies, complaint


def test_it_answers_what_the_image_has_and_leaves_with_the_host(helper: Path) -> None:
    status, (ready,), _ = talk(helper, config())
    assert status == 0
    _, uid, found = frames.parse_ready(ready.payload)
    assert (uid, found) == (os.getuid(), [True, False])


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "no settings"),
        (frames.frame(Kind.EXEC, 1), "no settings"),
        (frames.frame(Kind.CONFIG, 1, frames.u32(99)), "another protocol version"),
        (frames.frame(Kind.CONFIG, 1, frames.u32(frames.VERSION)), "malformed settings"),
        (config(cap=1), "malformed settings"),
        (config() + HEADER.pack(1 << 31, Kind.EXEC, 2), "frame too long"),
    ],
)
def test_a_broken_conversation_ends_with_its_reason(
    helper: Path, data: bytes, complaint: str
) -> None:
    status, _, said = talk(helper, data)
    assert status == 76
    assert complaint in said


REQUESTS = st.lists(
    st.tuples(
        st.sampled_from([Kind.EXEC, Kind.OPEN, Kind.RUN, Kind.READ, Kind.WRITE, Kind.CANCEL, 77]),
        st.one_of(
            st.binary(max_size=60),
            # Huge counts and lengths where a list or string is expected.
            st.lists(st.sampled_from([0, 1, 2, 0xFFFFFFFF, 0x7FFFFFFF]), max_size=12).map(
                lambda words: b"".join(frames.u32(word) for word in words)
            ),
        ),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(requests=REQUESTS)
def test_malformed_requests_are_answered_and_never_crash_it(
    helper: Path, requests: list[tuple[int, bytes]]
) -> None:
    data = b"".join(
        HEADER.pack(len(payload), kind, seq) + payload
        for seq, (kind, payload) in enumerate(requests, 2)
    )
    status, replies, complaint = talk(helper, config() + data)
    # 76: a request came while a command of an earlier one still ran.
    assert status in (0, 76), complaint
    assert replies[0].kind == Kind.CONFIG | frames.REPLY


@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, 63, 64, 65, 200, 100_000])
def test_head_and_tail_of_any_length_are_kept_exactly(helper: Path, size: int) -> None:
    text = bytes(65 + i % 26 for i in range(size))
    request = frames.frame(
        Kind.EXEC,
        2,
        frames.u64(20_000),
        frames.string(b""),
        frames.strings([b"/bin/sh", b"-c", b"cat; exec sleep 0.05"]),
        frames.strings([]),
        frames.string(text),
    )
    process = subprocess.Popen(
        [str(helper), "init", "--local"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"ASAN_OPTIONS": "detect_leaks=0"},
        bufsize=0,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(config(cap=64) + request)
    buffer, found = frames.Buffer(), []
    while len(found) < 2:
        buffer.feed(process.stdout.read(65536))
        while (frame := buffer.next()) is not None:
            found.append(frame)
    process.communicate(timeout=20)
    done = frames.parse_done(found[1].payload)
    assert done.out_total == size
    assert done.out == (text if size <= 64 else text[:32] + text[-32:])


def test_header_and_python_agree_on_kinds_and_flags() -> None:
    header = (SOURCES / "wire.h").read_text()
    kinds = dict(re.findall(r"KIND_(\w+) = (\d+),", header))
    assert kinds == {k.name: str(int(k)) for k in Kind if k is not Kind.ERROR}
    for name, value in re.findall(r"FLAG_(\w+) = (\d+)", header):
        assert getattr(frames, name) == int(value)
    assert f"WIRE_VERSION {frames.VERSION}u" in header
    assert "WIRE_MAX_PAYLOAD (8u << 20)" in header
    assert frames.MAX_PAYLOAD == 8 << 20


def test_the_installed_helper_is_static_and_runs_in_no_container_of_its_own() -> None:
    path = need.module("hub_sandbox_init").path()
    command = [need.program("readelf"), "--program-headers", str(path)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "LOAD" in shown.stdout
    assert "INTERP" not in shown.stdout
    refused = subprocess.run([str(path), "init"], stdin=subprocess.DEVNULL, capture_output=True)
    assert refused.returncode == 74
    assert b"not PID 1" in refused.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has a user to leave")
def test_launch_leaves_root_for_good(tmp_path: Path) -> None:
    path = need.module("hub_sandbox_init").path()
    script = "id -u; id -g; id -G; grep -c . /proc/self/status >/dev/null; cat /proc/self/status"
    command = [path, "launch", "--user", "65534", "65534", "--", "/bin/sh", "-c", script]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert shown.splitlines()[:3] == ["65534", "65534", "65534"]
    assert re.search(r"CapEff:\s+0{16}", shown)
    missing = [path, "launch", "--user", "65534", "65534", "--", str(tmp_path / "none")]
    failed = subprocess.run(missing, capture_output=True, text=True)
    assert failed.returncode == 71
    assert "cannot run" in failed.stderr
