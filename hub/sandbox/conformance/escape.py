"""Attacks that reach for the host, other processes, or the helper itself; each must fail."""

from __future__ import annotations

import errno
import os
import secrets
import socket
import tempfile
from contextlib import suppress
from pathlib import Path, PurePosixPath

from hub.errors import SandboxFileError
from hub.sandbox.conformance.check import Broken, Make, Suite, expect
from hub.sandbox.types import Mount

SUITE = Suite()

_CONNECT = """
import socket, sys
def attempt(family, address):
    s = socket.socket(family)
    s.settimeout(2)
    try:
        s.connect(address)
        print("CONNECTED", address)
    except OSError:
        pass
attempt(socket.AF_INET, ("127.0.0.1", {port}))
attempt(socket.AF_UNIX, "\\0{abstract}")
attempt(socket.AF_INET, ("1.1.1.1", 53))
try:
    print("RESOLVED", socket.getaddrinfo("example.com", 80))
except OSError:
    pass
try:
    socket.socket(40, socket.SOCK_STREAM)
    print("VSOCK")
except OSError:
    pass
print(open("/proc/net/tcp").read().count("\\n"), "lines")
"""


@SUITE.add("S5")
def _the_network_is_out_of_reach(make: Make) -> None:
    name = f"hub-{secrets.token_hex(8)}"
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        abstract.bind(f"\0{name}")
        abstract.listen()
        with make() as sandbox:
            code = _CONNECT.format(port=server.getsockname()[1], abstract=name)
            result = sandbox.python(code, timeout=30)
            expect(result.stdout == "1 lines\n", f"saw {result.stdout!r} {result.stderr!r}")
            expect(not result.network, "a result claims network access")


@SUITE.add("S7")
def _no_secret_of_the_host_is_inside(make: Make) -> None:
    canary = f"canary-{secrets.token_hex(16)}"
    os.environ["HUB_CONFORMANCE_CANARY"] = canary
    with tempfile.NamedTemporaryFile(prefix="hub-canary-") as file:
        file.write(canary.encode())
        file.flush()
        Path(file.name).chmod(0o644)
        try:
            with make() as sandbox:
                look = "env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline " + file.name
                seen = sandbox.exec(look)
                expect(canary not in seen.stdout, "found in an environment or file")
                host = str(Path.cwd())
                expect(len(host) < 4 or host not in seen.stdout, f"a path of the host: {host}")
        finally:
            del os.environ["HUB_CONFORMANCE_CANARY"]


@SUITE.add("S14")
def _links_and_special_files_give_nothing_away(make: Make) -> None:
    with tempfile.NamedTemporaryFile(prefix="hub-secret-") as secret, make() as sandbox:
        Path(secret.name).chmod(0o644)
        sandbox.exec(
            f"ln -s {secret.name} out; ln -s ../../../../..{secret.name} up; mkfifo fifo; "
            "ln -s /proc/self/environ env; ln -s /proc/1/root/etc/passwd root; "
            "ln -s /dev/zero zero; truncate -s 50M sparse"
        )
        paths = ["out", "up", "fifo", "env", "root", "zero", "/proc/1/environ", "/proc/self/mem"]
        for path in [*paths, "/proc/self/fd/1", "/dev/null", "."]:
            for action in (lambda p: sandbox.read(p), lambda p: sandbox.write(p, b"x")):
                _refused(action, path, unless_new=path in ("out", "up"))
        _refused(lambda p: sandbox.read(p, limit=1 << 20), "sparse")
        expect(sandbox.exec("echo still here").stdout == "still here\n", "the helper was disturbed")


@SUITE.add("S14")
def _a_hard_link_changes_no_file_of_the_host(make: Make) -> None:
    with tempfile.NamedTemporaryFile(prefix="hub-shared-") as shared:
        Path(shared.name).write_bytes(b"kept")
        Path(shared.name).chmod(0o666)
        hosts = [Path(path) for path in (shared.name, "/etc/passwd", "/usr/bin/env")]
        before = [path.read_bytes() for path in hosts]
        mount = Mount(Path(shared.name), PurePosixPath("/data/shared"))
        with make(mounts=(mount,)) as sandbox:
            sandbox.exec("i=0; for f in /data/shared /etc/passwd /usr/bin/env; do "
                         "i=$((i + 1)); ln $f link$i; echo changed >> link$i; done")  # fmt: skip
            for number in (1, 2, 3):
                with suppress(SandboxFileError):
                    sandbox.write(f"link{number}", b"changed")
            expect(sandbox.exec("echo fine").stdout == "fine\n", "the sandbox was disturbed")
        for path, content in zip(hosts, before, strict=True):
            expect(path.read_bytes() == content, f"{path} of the host was changed")


def _refused(action: object, path: str, unless_new: bool = False) -> None:
    try:
        action(path)  # type: ignore[operator] # a lambda of the check above
    except SandboxFileError as error:
        expect(error.errno != errno.ENOSYS, f"{path}: the kernel lacks openat2")
        return
    # Writing through a dangling link makes the file inside, which is no escape.
    if not unless_new:
        raise Broken(f"{path} was read or written")


@SUITE.add("S15")
def _there_is_no_terminal_to_inject_into(make: Make) -> None:
    code = """
import fcntl, os, termios
for open_ in (lambda: 0, lambda: os.open("/dev/tty", os.O_RDWR), lambda: os.openpty()[1]):
    try:
        fd = open_()
        fcntl.ioctl(fd, termios.TIOCSTI, b"x")
        print("INJECTED")
    except OSError:
        pass
"""
    with make() as sandbox:
        result = sandbox.python(code)
        expect(result.stdout == "" and result.exit_code == 0, f"saw {result}")


# Numbers that are the same on x86_64 and aarch64 are few: the names are looked up inside.
_SYSCALLS = """
import ctypes, os, platform
libc = ctypes.CDLL(None, use_errno=True)
x86 = dict(unshare=272, setns=308, mount=165, ptrace=101, bpf=321, io_uring_setup=425, keyctl=250,
           perf_event_open=298, userfaultfd=323, open_by_handle_at=304, pivot_root=155, chroot=161,
           clone3=435, process_vm_readv=310, add_key=248, init_module=175, fsopen=430, syslog=103)
arm = dict(unshare=97, setns=268, mount=40, ptrace=117, bpf=280, io_uring_setup=425, keyctl=219,
           perf_event_open=241, userfaultfd=282, open_by_handle_at=265, pivot_root=41, chroot=51,
           clone3=435, process_vm_readv=270, add_key=217, init_module=105, fsopen=430, syslog=116)
numbers = x86 if platform.machine() == "x86_64" else arm
NEWUSER = 0x10000000
class Args(ctypes.Structure):
    _fields_ = [(n, ctypes.c_uint64) for n in
                "flags pidfd child parent exit stack size tls set_tid set_tid_size cgroup".split()]
args = Args(flags=NEWUSER, exit=17)
def call(name, *arguments):
    ctypes.set_errno(0)
    value = libc.syscall(numbers[name], *arguments)
    print(name, value, ctypes.get_errno())
for name in numbers:
    if name == "clone3":
        call(name, ctypes.byref(args), ctypes.sizeof(args))
    elif name == "unshare":
        call(name, NEWUSER)
    elif name == "ptrace":
        call(name, 0, 0, 0, 0)
    elif name == "chroot":
        call(name, b"/")
    else:
        call(name, 0, 0, 0, 0, 0, 0)
numbers["clone"] = 56 if platform.machine() == "x86_64" else 220
call("clone", NEWUSER | 17, 0, 0, 0, 0)
"""


@SUITE.add("S16")
def _the_kernel_is_out_of_reach_and_programs_still_work(make: Make) -> None:
    with make() as sandbox:
        result = sandbox.python(_SYSCALLS)
        expect(result.exit_code == 0, f"the probe failed: {result.stderr}")
        for line in result.stdout.splitlines():
            name, value, number = line.split()
            wanted = errno.ENOSYS if name == "clone3" else errno.EPERM
            expect(value == "-1" and int(number) == wanted, f"{name} gave {value}, errno {number}")
        status = sandbox.exec("grep -E 'Seccomp:|NoNewPrivs:' /proc/self/status").stdout
        expect(status.split() == ["NoNewPrivs:", "1", "Seccomp:", "2"], f"saw {status!r}")
        work = """
import subprocess, threading
t = threading.Thread(target=lambda: print("thread"))
t.start(); t.join()
print(subprocess.run(["echo", "child"], capture_output=True, text=True).stdout, end="")
"""
        worked = sandbox.python(work).stdout
        expect(worked == "thread\nchild\n", f"ordinary programs broke: {worked!r}")


_FORGE = r"""
import os, struct
fake = b"FORGED" * 10
frame = struct.pack("<IB3xI", len(fake), 0x84, 4) + fake
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) == os.getpid():
        continue
    for fd in range(0, 64):
        try:
            target = os.open(f"/proc/{pid}/fd/{fd}", os.O_WRONLY | os.O_NONBLOCK)
            if pid == "1":
                print("OPENED", fd)
            os.write(target, frame)
            os.close(target)
        except OSError:
            pass
    for name in ("mem", "environ", "maps", "auxv", "syscall"):
        try:
            open(f"/proc/{pid}/{name}", "rb").read(16)
            if pid == "1":
                print("READ", name)
        except OSError:
            pass
for fd in range(3, 300):
    try:
        print("INHERITED", fd, os.readlink(f"/proc/self/fd/{fd}"))
    except OSError:
        pass
"""


@SUITE.add("S21")
def _the_helpers_frames_cannot_be_forged_or_stolen(make: Make) -> None:
    with make() as sandbox:
        sandbox.shell("true")
        sandbox.write("forge.py", _FORGE)
        for run in (sandbox.exec, sandbox.shell):
            # Its own output it may spoil; the helper's pipes and memory it must not reach.
            result = run("python3 forge.py", timeout=20)
            reached = [w for w in ("OPENED", "READ", "INHERITED") if w in result.stdout]
            expect(result.exit_code == 0 and not reached, f"saw {reached} {result}")
            answer = run("echo true answer")
            expect(answer.stdout == "true answer\n", f"a forged reply came back: {answer}")


@SUITE.add("S22")
def _kill_everything_spares_the_helper(make: Make) -> None:
    with make() as sandbox:
        sandbox.shell("cd /tmp")
        result = sandbox.shell("kill -9 1; kill -TERM 1; sh -c 'kill -9 -1'")
        expect("shell ended" in result.notice, f"no notice: {result}")
        expect(sandbox.shell("pwd").stdout == "/workspace\n", "no new shell")
        again = sandbox.exec("sh -c 'kill -9 -1'; echo no")
        expect(again.exit_code == 137, f"saw {again}")
        sandbox.exec("pkill -9 python; pkill -f hub; kill -STOP 1")
        expect(sandbox.exec("echo here").stdout == "here\n", "the helper is gone")
