"""Runs tests of a repository in a sandbox, with the same settings everywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from hub.dialogue import SandboxOptions
from hub.errors import SandboxError
from hub.sandbox import ExecResult, Limits, Sandbox, create
from hub.sandbox.types import MIB
from hub_agents.host import hidden
from hub_agents.swe import report, room, transfer
from hub_agents.swe.instance import Instance
from hub_agents.swe.places import image_name
from hub_agents.swe.report import Report
from hub_agents.swe.trees import File

Changes = Mapping[str, File | None]
"""Files of a repository that differ, by path; None where one is deleted."""

SLACK = 300.0  # seconds of a sandbox beside its tests
# Which variables change what Python and pytest do; the sandbox's environment has no others.
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONSAFEPATH": "1",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
}
# The report goes out by descriptor 3, the command's own output; what pytest says is for people.
_SCRIPT = 'exec 3>&1 1>&2; exec python3 -c "$1"'
_ARGUMENTS = (
    *("-c", "/dev/null", "--rootdir", ".", "-o", "addopts=", "-W", "ignore"),
    *("-p", "no:cacheprovider", "-q"),
)


class Broken(Exception):
    """A run of tests gave no whole report: code under test ended it, or the machine did.

    So ends a run whose process is killed or stopped from outside, SIGINT (which pytest takes for
    the user's Ctrl-C) included. What cannot be told from a failure of the code under test:

    - A process that the tests started, and not they themselves, is killed: a test sees another
      output or exit status, as it would of wrong code.
    - Code under test or a test catches the KeyboardInterrupt, and goes on to fail.
    - A machine so slow that a time limit inside a test passes.
    """


@dataclass(frozen=True)
class Run:
    """One process of pytest that ended: what it claims, and its exit status, which nobody forges.

    Attributes:
        report: Its claims.
        status: As the sandbox's first process saw it.
        output: What pytest said, for people.
    """

    report: Report
    status: int
    output: str

    def passed(self, name: str) -> bool:
        """Tell whether test `name`, which ran alone, passed.

        Raises:
            Broken: It claims so, and the exit statuses tell of something else.
        """
        if self.claims(name) and not self.status == 0 == self.report.ended:
            raise Broken(
                f"{name} is said to have passed, and pytest to have ended with "
                f"{self.report.ended}; its process ended with {self.status}"
            )
        return self.claims(name)

    def claims(self, name: str) -> bool:
        """Tell whether it claims that test `name` passed, whatever became of the others."""
        found = self.report.results.get(name)
        return found is not None and found.outcome == "passed"

    def error(self, name: str) -> str:
        """Return why test `name` did not pass, in one line."""
        found = self.report.results.get(name)
        if found is not None:
            return found.error.partition("\n")[0] or found.outcome
        path = name.partition("::")[0]
        why = self.report.uncollected.get(path, "it did not run")
        return (why.strip().splitlines() or [""])[-1]


@contextmanager
def workshop(
    instance: Instance,
    options: SandboxOptions,
    changes: Changes | None = None,
    overlay: Mapping[str, str] | None = None,
    runs: int = 1,
    patch: str = "",
) -> Iterator[Sandbox]:
    """Give a fresh sandbox with the pristine repository, changed, and hidden tests written over it.

    Args:
        instance: The repository.
        options: How sandboxes are made; the network is always off.
        changes: Files that differ, None for deleted ones.
        overlay: Texts of hidden files by path; they go over everything else.
        runs: How often the tests will be run, for the sandbox's lifetime.
        patch: The real fix, for controls.
    """
    given = {"memory": 2048 * MIB, "output": 16 * MIB, **options.limits}
    limits = Limits(**{**given, "lifetime": instance.seconds * runs + SLACK})
    image = image_name(instance.image)
    with create(image, provider=options.provider, limits=limits, mounts=hidden(image)) as sandbox:
        room.furnish(instance, sandbox, commit=False)
        if patch:
            room.apply(instance, sandbox, patch, "gold_patch")
        transfer.change(sandbox, instance.workdir, changes or {})
        if instance.test_patch:
            room.apply(instance, sandbox, instance.test_patch, "test_patch")
        lay(sandbox, instance, overlay or {})
        yield sandbox


def lay(sandbox: Sandbox, instance: Instance, overlay: Mapping[str, str]) -> None:
    """Write hidden files over whatever is there."""
    texts = {path: File(text.encode()) for path, text in overlay.items()}
    transfer.place(sandbox, {instance.workdir: texts})


def renew(sandbox: Sandbox, instance: Instance, overlay: Mapping[str, str]) -> None:
    """End what the last run left running, and write again what it may have changed."""
    sandbox.exec("kill -9 -1")  # all but the sandbox's first process; it ends itself, too
    lay(sandbox, instance, overlay)


def run(
    sandbox: Sandbox,
    instance: Instance,
    names: Sequence[str],
    plugins: Sequence[str] = (),
    seed: int = 0,
) -> Run:
    """Run tests in one process, to its end.

    Args:
        sandbox: Of `workshop`.
        instance: Whose tests they are.
        names: Test files or node ids.
        plugins: Modules of pytest plugins that the tests need.
        seed: Of the hashes of texts, which the order of sets hangs on.

    Raises:
        Broken: It took too long, was interrupted, or ended without a report.
        SandboxError: The sandbox failed.
    """
    loaded = [word for plugin in plugins for word in ("-p", plugin)]
    done = sandbox.exec(
        ["sh", "-c", _SCRIPT, "sh", report.SOURCE],
        cwd=instance.workdir,
        env={**ENVIRONMENT, "PYTHONHASHSEED": str(seed)},
        stdin=json.dumps([*_ARGUMENTS, *loaded, *names]).encode() + b"\n",
        timeout=instance.seconds,
    )
    found = report.parse(done.stdout)
    if done.timed_out or found.ended is None:
        raise Broken(_why(done, instance))
    return Run(found, done.exit_code, done.stderr)


def _why(done: ExecResult, instance: Instance) -> str:
    if done.timed_out:
        return f"the tests took more than {instance.seconds:g} s"
    said = done.stderr.strip().splitlines()[-1:] or [""]
    return f"no report (exit status {done.exit_code}; {said[0][:200]})"


def is_ours(error: SandboxError) -> bool:
    """Tell whether a sandbox's loss can only be the machine's doing."""
    return error.attribution == "infra"
