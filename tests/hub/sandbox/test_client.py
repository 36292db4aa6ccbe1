import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath

import pytest

from hub.errors import ClosedError, ForkedError, ImageError, SandboxError, SandboxUnavailable
from hub.sandbox import Limits, Mount, Sandbox, create, state
from tests import need


def test_an_unknown_provider_is_named_with_those_that_there_are() -> None:
    with pytest.raises(SandboxUnavailable, match=r"'none'; there are apptainer, bubblewrap"):
        create(provider="none")


def test_an_unknown_image_is_named_with_those_that_there_are(provider: str) -> None:
    with pytest.raises(ImageError, match=r"'none'; there are host"):
        create("none", provider=provider)


def test_local_runs_only_when_allowed_and_marks_its_results(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("HUB_UNSAFE_LOCAL", raising=False)
    with pytest.raises(SandboxUnavailable, match="HUB_UNSAFE_LOCAL=1"):
        create(provider="local")
    monkeypatch.setenv("HUB_UNSAFE_LOCAL", "1")
    with create(provider="local") as sandbox:
        result = sandbox.shell("echo $HOME; (setsid sleep 515151 &)")
        assert result.unsafe
        assert result.network
        assert sandbox.exec("sleep 616161", timeout=0.3).timed_out
        home = Path(result.stdout.strip())
        assert home.is_dir()
    assert not home.exists()
    texts = [p.read_bytes() for p in Path("/proc").glob("[0-9]*/cmdline")]
    assert not [t for t in texts if b"515151" in t or b"616161" in t]


def test_mounts_appear_read_only_unless_writable(provider: str, open_tmp: Path) -> None:
    for name in ("ro", "rw"):
        (open_tmp / name).mkdir(mode=0o777)
        (open_tmp / name).chmod(0o777)
        (open_tmp / name / "file").write_text(name)
    mounts = [
        Mount(open_tmp / "ro", PurePosixPath("/data/ro")),
        Mount(open_tmp / "rw", PurePosixPath("/data/rw"), writable=True),
    ]
    with create(provider=provider, mounts=mounts) as sandbox:
        assert sandbox.exec("cat /data/ro/file /data/rw/file").stdout == "rorw"
        assert sandbox.exec("echo x > /data/ro/new").exit_code != 0
        assert sandbox.exec("echo x > /data/rw/new").exit_code == 0
    assert (open_tmp / "rw" / "new").read_text() == "x\n"


def test_network_is_shared_only_when_asked_for_and_then_recorded(provider: str) -> None:
    with create(provider=provider, network=True) as sandbox:
        result = sandbox.exec(["readlink", "/proc/self/ns/net"])
        assert result.network
        assert result.stdout.strip() == str(Path("/proc/self/ns/net").readlink())
        assert sandbox.read("/etc/resolv.conf") == Path("/etc/resolv.conf").read_bytes()


def test_a_timeout_must_be_positive(sandbox: Sandbox) -> None:
    with pytest.raises(ValueError, match="more than 0"):
        sandbox.exec("true", timeout=0)


def test_a_nul_byte_in_a_command_is_refused_and_harms_nothing(sandbox: Sandbox) -> None:
    for run in (sandbox.exec, sandbox.shell):
        with pytest.raises(ValueError, match="NUL"):
            run("echo \0")
    assert sandbox.exec(["echo", "on"]).stdout == "on\n"


def test_commands_that_upset_prompt_parsers_work(sandbox: Sandbox) -> None:
    awk = 'awk \'BEGIN {\n  print "$ "\n  print "# >>> bash-5.2$ "\n}\''
    assert sandbox.shell(awk).stdout == "$ \n# >>> bash-5.2$ \n"
    assert sandbox.shell("PS1='> '; PS2='? '; echo \"$PS1\"").stdout == "> \n"
    assert sandbox.shell("# only a comment").exit_code == 0
    assert sandbox.shell("").exit_code == 0
    assert sandbox.shell("cat").stdout == ""
    assert sandbox.shell('read x; echo "got:$x"').stdout == "got:\n"
    assert sandbox.shell("echo a; echo b >&2; exec 2>&1; echo c >&2").stdout == "a\nc\n"


@pytest.fixture
def interruptible() -> Iterator[None]:
    """SIGINT raises: a shell starts background jobs with it ignored, and Python keeps it so."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_call_ends_its_command(sandbox: Sandbox) -> None:
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        sandbox.shell("sleep 30")
    assert time.monotonic() - begin < 10
    assert "sleep" not in sandbox.shell("cat /proc/[0-9]*/comm").stdout


def test_pkill_and_kill_all_reach_neither_server_nor_sibling(provider: str) -> None:
    with create(provider=provider) as attacker, create(provider=provider) as sibling:
        attacker.shell("pkill -9 -f python; pkill -9 -f hub; sh -c 'kill -TERM -1'")
        assert sibling.shell("echo alive").stdout == "alive\n"
        assert attacker.exec("echo alive").stdout == "alive\n"


def test_the_lifetime_holds_while_nobody_reads(provider: str) -> None:
    with create(provider=provider, limits=Limits(lifetime=1.0)) as sandbox:
        sandbox.shell("sleep 717171 &")
        time.sleep(2.0)
        texts = [p.read_bytes() for p in Path("/proc").glob("[0-9]*/cmdline")]
        assert not [t for t in texts if b"717171" in t]
        with pytest.raises(SandboxError, match=r"lifetime of 1 s is over") as caught:
            sandbox.exec("true")
        assert caught.value.attribution == "budget"


def test_a_dead_sandbox_keeps_saying_so_until_closed(sandbox: Sandbox) -> None:
    sandbox.kill()
    for _ in range(2):
        with pytest.raises(SandboxError, match="ended with status"):
            sandbox.exec("true")
    assert not sandbox.alive()
    sandbox.close()
    with pytest.raises(ClosedError, match="create another one"):
        sandbox.exec("true")


# JAX warns of every fork once an earlier test has loaded it; nothing of it is used here.
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")
def test_a_forked_child_may_neither_use_nor_end_it(sandbox: Sandbox) -> None:
    child = os.fork()
    if child == 0:
        try:
            sandbox.exec("true")
        except ForkedError:
            sandbox.close()
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert sandbox.exec("echo alive").stdout == "alive\n"


def distribution_files(name: str, seen: set[str]) -> Iterator[tuple[Path, str]]:
    """The files of a distribution and of all that it needs: (place, name below site-packages)."""
    if name.lower() in seen:
        return
    seen.add(name.lower())
    found = distribution(name)
    for file in found.files or ():
        if ".." not in file.parts and not file.name.endswith(".pyc"):
            yield Path(str(file.locate())), str(file)
    for need_ in found.requires or ():
        wanted = re.match(r"[A-Za-z0-9._-]+", need_)
        if wanted and "extra ==" not in need_:
            with suppress(PackageNotFoundError):
                yield from distribution_files(wanted[0], seen)


def test_python_is_ipython_where_the_image_has_it(open_tmp: Path, provider: str) -> None:
    need.module("IPython")
    for source, name in distribution_files("ipython", set()):
        (open_tmp / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, open_tmp / name)
    mounts = [Mount(open_tmp, PurePosixPath("/packages"))]
    env = {"PYTHONPATH": "/packages"}
    with create(provider=provider, mounts=mounts, env=env) as sandbox:
        assert sandbox.python("x = 41").exit_code == 0
        assert "42" in sandbox.python("x + 1").stdout
        assert sandbox.python("!echo from a shell").stdout.split() == ["from", "a", "shell"]
        assert sandbox.python("import asyncio; await asyncio.sleep(0); print('a')").stdout == "a\n"
        failed = sandbox.python("1 / 0")
        assert failed.exit_code == 1
        assert "\x1b" not in failed.stdout + failed.stderr
        assert "ZeroDivisionError" in failed.stdout + failed.stderr


def test_a_forgotten_sandbox_is_ended() -> None:
    sandbox = create(provider="bubblewrap")
    sandbox.shell("sleep 818181 &")
    del sandbox
    texts = [p.read_bytes() for p in Path("/proc").glob("[0-9]*/cmdline")]
    assert not [t for t in texts if b"818181" in t]


def test_an_interrupt_while_it_ends_leaves_nothing(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {record.id for record in state.records()}
    sandbox = create(provider=provider)
    process = sandbox._container._process
    wait, calls = process.wait, [KeyboardInterrupt]

    def interrupted(timeout: float | None = None) -> int:
        if calls:
            raise calls.pop()
        return wait(timeout)

    monkeypatch.setattr(process, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sandbox.close()
    assert process.returncode is not None
    assert {record.id for record in state.records()} <= before


def test_an_interrupt_while_it_starts_leaves_nothing(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {record.id for record in state.records()}
    started: list[int] = []

    def interrupted(thread: threading.Thread) -> None:
        started.extend(set(state.descendants(os.getpid())) - known)
        raise KeyboardInterrupt

    known = set(state.descendants(os.getpid()))
    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        create(provider=provider)
    assert started
    assert {record.id for record in state.records()} <= before
    assert not [pid for pid in started if state.start_time(pid)]
