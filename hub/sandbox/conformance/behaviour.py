"""What every sandbox must do for its user: commands, sessions, files."""

from __future__ import annotations

import errno
import os
import threading
import time

from hub.errors import ClosedError, SandboxError, SandboxFileError
from hub.sandbox.client import Sandbox
from hub.sandbox.conformance.check import Broken, Make, Suite, expect
from hub.sandbox.types import Limits

SUITE = Suite()
BINARY = bytes(range(256)) * 8


@SUITE.add()
def _a_command_gives_its_output_and_status(make: Make) -> None:
    with make() as sandbox:
        result = sandbox.exec("echo out; echo err >&2; exit 7")
        seen = (result.exit_code, result.stdout, result.stderr)
        expect(seen == (7, "out\n", "err\n"), f"saw {seen}")
        result = sandbox.exec(["printf", "%s|", "a b", "$HOME", "'"])
        expect(result.stdout == "a b|$HOME|'|", f"an argv went through a shell: {result.stdout!r}")
        expect(sandbox.exec(["no-such-program"]).exit_code == 127, "a missing program is not 127")
        expect(sandbox.exec("kill -9 $$").exit_code == 137, "death by signal 9 is not 137")


@SUITE.add()
def _output_and_input_are_any_bytes(make: Make) -> None:
    with make() as sandbox:
        result = sandbox.exec(["cat"], stdin=BINARY * 100)
        expect(result.stdout_bytes == BINARY * 100, "cat changed binary data")
        result = sandbox.shell("printf '\\0\\377é'")
        expect(result.stdout_bytes == b"\0\xff\xc3\xa9", f"saw {result.stdout_bytes!r}")
        expect(sandbox.shell("echo '\N{SNOWMAN}'").stdout == "\N{SNOWMAN}\n", "lost a snowman")


@SUITE.add()
def _directory_and_variables_of_a_command_can_be_set(make: Make) -> None:
    with make(env={"GIVEN": "at creation"}) as sandbox:
        result = sandbox.exec("pwd; echo $GIVEN; echo $NOW", cwd="/tmp", env={"NOW": "x y"})
        expect(result.stdout == "/tmp\nat creation\nx y\n", f"saw {result.stdout!r}")
        expect(sandbox.exec(["true"], cwd="/none").exit_code == 126, "a missing cwd is not 126")


@SUITE.add()
def _the_shell_keeps_its_state(make: Make) -> None:
    with make() as sandbox:
        sandbox.shell("cd /tmp; X='a b'; f() { echo f$1; }; set -o pipefail")
        result = sandbox.shell('pwd; echo "$X"; f 2; false | true; echo $?')
        expect(result.stdout == "/tmp\na b\nf2\n1\n", f"saw {result.stdout!r}")
        sandbox.shell("sleep 60 & echo started")
        expect("sleep 60" in sandbox.shell("jobs").stdout, "lost a background job")
        result = sandbox.shell("cat <<'E'\n$X `pwd`\n$ \nE\n")
        expect(result.stdout == "$X `pwd`\n$ \n", f"a here-document became {result.stdout!r}")


@SUITE.add()
def _a_shell_that_ends_is_replaced_with_a_notice(make: Make) -> None:
    with make() as sandbox:
        result = sandbox.shell("cd /tmp; exit 3")
        expect(result.exit_code == 3 and "shell ended" in result.notice, f"saw {result}")
        result = sandbox.shell("pwd")
        expect(result.exit_code == 0 and result.notice == "", f"saw {result}")
        for wrong in ("if then", "echo 'abc", "echo $(", "cat <<E", "}", "f() {"):
            expect(sandbox.shell(wrong).notice == "", f"{wrong!r} ended the shell")
            expect(sandbox.shell("echo on").stdout == "on\n", f"{wrong!r} broke the shell")


# What agents do to a shell without meaning any harm to it, and what `echo hi` then gives.
_HABITS = (
    ("IFS=0123456789", "hi\n"),
    ("set -x", "hi\n"),
    ("set -u; set -C", "hi\n"),
    ("echo() { printf hacked; }", "hacked"),
    ("alias eval=false printf=false; shopt -s expand_aliases 2>/dev/null", "hacked"),
    ("unset -f echo; alias echo='echo -n'", "hi"),
    ("unalias eval echo\neval() { :; }", "hi\n"),
)


@SUITE.add()
def _a_session_without_its_output_is_replaced_with_a_notice(make: Make) -> None:
    with make() as sandbox:
        for closing in ("exec 1>&-", "echo x; exec 2>&-", "exec >/tmp/log 2>&1; echo y"):
            sandbox.shell(closing)
            result = sandbox.shell("echo hi; echo no >&2")
            expect((result.stdout, result.stderr) == ("hi\n", "no\n"), f"{closing!r}: {result}")
            expect("shell had closed its output" in result.notice, f"no notice: {result}")
        sandbox.shell("exec 5>&1 >/tmp/kept")
        sandbox.shell("echo kept; exec >&5 5>&-")
        result = sandbox.shell("cat /tmp/kept")
        expect(result.stdout == "kept\n" and not result.notice, f"lost a redirection: {result}")
        sandbox.python("import os; os.close(1); os.close(0)")
        result = sandbox.python("print('hi')")
        expect(result.stdout == "hi\n" and "had closed" in result.notice, f"saw {result}")


@SUITE.add()
def _functions_aliases_and_settings_do_not_spoil_the_shell(make: Make) -> None:
    with make() as sandbox:
        for habit, answer in _HABITS:
            sandbox.shell(habit, timeout=10)
            failed = sandbox.shell("false", timeout=10)
            expect(failed.exit_code == 1 and not failed.notice, f"after {habit!r}: {failed}")
            said = sandbox.shell("echo hi", timeout=10)
            expect(said.stdout == answer, f"after {habit!r}: {said}")


@SUITE.add()
def _python_keeps_its_state(make: Make) -> None:
    with make() as sandbox:
        sandbox.python("import math\nx = 40")
        expect(sandbox.python("print('p'); x + 2").stdout == "p\n42\n", "no value of x + 2")
        failed = sandbox.python("1 / 0")
        expect(failed.exit_code == 1 and "ZeroDivisionError" in failed.stderr, f"saw {failed}")
        stopped = sandbox.python("while True: pass", timeout=0.5)
        expect(stopped.timed_out and stopped.notice == "", f"saw {stopped}")
        expect(sandbox.python("x").stdout == "40\n", "an interrupted cell lost the state")


@SUITE.add()
def _a_timeout_ends_the_command_and_all_that_it_started(make: Make) -> None:
    with make() as sandbox:
        for run in (sandbox.exec, sandbox.shell):
            begin = time.monotonic()
            result = run("(setsid sleep 4242 &); sleep 4242 & sleep 4242", timeout=0.5)
            expect(result.timed_out, f"not timed out: {result}")
            expect(time.monotonic() - begin < 3.0, "the timeout came late")
            left = sandbox.exec(["/bin/sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"])
            expect("sleep 4242" not in left.stdout, f"left behind: {left.stdout}")


@SUITE.add()
def _an_earlier_background_job_survives_a_later_timeout(make: Make) -> None:
    with make() as sandbox:
        sandbox.shell("sleep 60 & echo $! > pid")
        time.sleep(0.05)  # start times have a resolution of 10 ms
        expect(sandbox.shell("sleep 30", timeout=0.3).timed_out, "no timeout")
        expect(sandbox.shell("kill -0 $(cat pid)").exit_code == 0, "the earlier job is gone")


@SUITE.add()
def _a_finished_command_is_not_waited_for_by_its_children(make: Make) -> None:
    with make() as sandbox:
        result = sandbox.exec("sleep 30 & echo done")
        expect(result.stdout == "done\n" and result.seconds < 5, f"saw {result}")


@SUITE.add()
def _files_go_in_and_out_unchanged(make: Make) -> None:
    with make() as sandbox:
        for data in (b"", b"x", BINARY, b"0123456789abcdef" * 600_000):
            sandbox.write("deep/er/file.bin", data)
            expect(
                sandbox.read("/workspace/deep/er/file.bin") == data, f"{len(data)} bytes changed"
            )
        sandbox.write("text", "é\n")
        expect(sandbox.exec(["cat", "text"]).stdout == "é\n", "text changed")
        sandbox.exec(["chmod", "755", "text"])
        sandbox.write("text", "shorter")
        mode = sandbox.exec(["stat", "-c", "%a %s", "text"]).stdout
        expect(mode == "755 7\n", f"overwriting changed mode or left a tail: {mode}")


def _refused(action: object, number: int) -> None:
    try:
        action()  # type: ignore[operator] # a lambda of the checks below
    except SandboxFileError as error:
        expect(error.errno == number, f"errno {error.errno}, expected {number}")
    else:
        raise Broken(f"no error, expected errno {number}")


@SUITE.add()
def _file_errors_name_their_cause(make: Make) -> None:
    with make() as sandbox:
        sandbox.exec("echo x > locked; chmod 000 locked; mkdir d")
        sandbox.write("long", b"x" * 100)
        _refused(lambda: sandbox.read("absent"), errno.ENOENT)
        _refused(lambda: sandbox.read("d"), errno.EISDIR)
        _refused(lambda: sandbox.read("locked"), errno.EACCES)
        _refused(lambda: sandbox.read("long", limit=99), errno.EFBIG)
        _refused(lambda: sandbox.write("/usr/bin/absent-before", b""), errno.EROFS)


@SUITE.add()
def _a_nul_byte_in_a_path_is_refused(make: Make) -> None:
    with make() as sandbox:
        for action in (
            lambda: sandbox.write("safe\0.evil", b"1"),
            lambda: sandbox.read("/etc/passwd\0.txt"),
            lambda: sandbox.exec("pwd", cwd="/tmp\0x"),
        ):
            try:
                action()
            except ValueError as error:
                expect("NUL" in str(error), f"the error does not say why: {error}")
            else:
                raise Broken("a path with a NUL byte was cut short and taken")
        expect(sandbox.exec("ls").stdout == "", "a file was written")


@SUITE.add()
def _the_largest_limits_work(make: Make) -> None:
    most = Limits(memory=1 << 50, processes=1 << 22, disk=1 << 50, output=1 << 30, flood=1 << 50)
    with make(limits=most) as sandbox:
        for run in (sandbox.exec, sandbox.shell):
            expect(run("echo hi").stdout == "hi\n", "no answer under the largest limits")


@SUITE.add()
def _two_threads_take_turns(make: Make) -> None:
    with make() as sandbox:
        wrong: list[str] = []

        def work(number: int) -> None:
            for i in range(20):
                text = f"{number} {i}\n"
                seen = sandbox.shell(f"echo {text}").stdout
                if seen != text:
                    wrong.append(f"{seen!r} is not {text!r}")

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        expect(not wrong, "; ".join(wrong[:3]))


@SUITE.add()
def _closing_is_final_and_idempotent(make: Make) -> None:
    sandbox = make()
    sandbox.close()
    sandbox.close()
    try:
        sandbox.exec("true")
    except ClosedError:
        return
    raise Broken("a closed sandbox ran a command")


def _closed_beneath(sandbox: Sandbox, name: str) -> list[Exception]:
    """Close a sandbox while another thread runs a command; return what that thread is told."""
    seen: list[Exception] = []

    def work() -> None:
        try:
            getattr(sandbox, name)("sleep 60")
        except (ClosedError, SandboxError) as failure:
            seen.append(failure)

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.3)
    sandbox.close()
    thread.join(10.0)
    return seen


@SUITE.add()
def _closing_ends_a_command_of_another_thread_as_closed(make: Make) -> None:
    for name in ("exec", "shell"):
        seen = _closed_beneath(make(), name)
        expect([type(error) for error in seen] == [ClosedError], f"{name} saw {seen}")


@SUITE.add()
def _it_has_namespaces_of_its_own_and_an_ordinary_user(make: Make) -> None:
    with make() as sandbox:
        for kind in ("pid", "ipc", "uts", "mnt", "net"):
            inside = sandbox.exec(["readlink", f"/proc/self/ns/{kind}"]).stdout.strip()
            outside = os.readlink(f"/proc/self/ns/{kind}")  # noqa: PTH115 - the link's text
            expect(inside and inside != outside, f"shares the host's {kind} namespace")
        expect(sandbox.exec(["id", "-u"]).stdout != "0\n", "runs as root")
        expect(sandbox.exec("touch /workspace/a /tmp/a").exit_code == 0, "no writable workspace")
        first = sandbox.exec("cat /proc/1/cmdline | tr '\\0' ' '").stdout
        expect(first.endswith("init ") and "/" in first, f"PID 1 is {first!r}")


@SUITE.add()
def _the_lifetime_ends_it(make: Make) -> None:
    with make(limits=Limits(lifetime=1.0)) as sandbox:
        begin = time.monotonic()
        try:
            sandbox.exec("sleep 20", timeout=30)
        except SandboxError as error:
            expect(error.attribution == "budget", f"attribution {error.attribution}")
            expect(time.monotonic() - begin < 5.0, "the lifetime ended late")
            return
        raise Broken("the sandbox outlived its lifetime")
