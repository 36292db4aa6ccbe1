"""How a repository lies in a sandbox: one commit, no history, and the tests' wheels beside it."""

from __future__ import annotations

import posixpath
import shlex
from pathlib import Path

from hub.errors import SandboxError, TaskError
from hub.sandbox import ExecResult, Sandbox
from hub_agents.swe import sdists, trees
from hub_agents.swe.filter import sources
from hub_agents.swe.instance import Instance
from hub_agents.swe.trees import File, Tree

_TAR, _PATCH = "/tmp/.hub-files.tar", "/tmp/.hub.patch"
_LISTING = "/tmp/.hub-listing"
_SETUP_SECONDS = 600.0
# The interpreter's version, and where it looks for what a user has installed.
_PYTHON = "import site,sys;print('%d.%d' % sys.version_info[:2]);print(site.getusersitepackages())"
# Fixed names and times, so that the commit's id says nothing and is the same everywhere.
_GIT = {
    "GIT_AUTHOR_NAME": "hub", "GIT_AUTHOR_EMAIL": "hub@localhost",
    "GIT_COMMITTER_NAME": "hub", "GIT_COMMITTER_EMAIL": "hub@localhost",
    "GIT_AUTHOR_DATE": "2000-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2000-01-01T00:00:00Z",
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
}  # fmt: skip
_COMMIT = (
    "rm -rf .git && git init -q -b main && git config core.logAllRefUpdates false "
    "&& git config user.name agent && git config user.email agent@localhost "
    "&& git config gc.auto 0 && git add -A -f && git commit -q --no-verify --allow-empty -m base "
    "&& rm -rf .git/hooks .git/logs .git/description"
)
_LONGEST_LISTING = 32 << 20
_LARGEST = 64 << 20  # bytes of one file of a repository that is looked at
_MOST = 512 << 20  # bytes of all of them


def base(instance: Instance) -> Tree | None:
    """Return the repository before the fix; None where it is in the image.

    Raises:
        TaskError: It cannot be had, or `base` says something else.
    """
    given = instance.base
    kind = given.get("kind")
    if kind == "image":
        return None
    if kind == "directory":
        return trees.of_directory(Path(str(given["path"])))
    if kind == "sdist":
        archive = sdists.source(str(given["package"]), str(given["version"]), given["sha256"])
        return sources(trees.unpack_source(archive.read(), archive.name))
    raise TaskError(f"instance {instance.id}: base {dict(given)!r}: expected kind sdist, "
                    "directory or image")  # fmt: skip


def furnish(instance: Instance, sandbox: Sandbox, commit: bool) -> None:
    """Put the broken repository into a new sandbox, and the wheels that its tests need.

    Nothing of the package runs, but for `setup`, which datasets bring with their images.

    Args:
        instance: What to put there.
        sandbox: Fresh; nobody has run anything in it.
        commit: Make it a git repository of one commit.

    Raises:
        TaskError: The instance does not fit the image.
    """
    tree = base(instance)
    placed: dict[str, Tree] = {} if tree is None else {instance.workdir: tree}
    if tree is not None or instance.requires:
        placed |= _site(instance, sandbox, tree or {})
    if placed:
        place(sandbox, placed)
    if instance.bug_patch:
        apply(instance, sandbox, instance.bug_patch, "bug_patch")
    if commit and instance.hidden:
        done = sandbox.exec(["rm", "-rf", "--", *instance.hidden], cwd=instance.workdir)
        required(done, f"instance {instance.id}: its hidden files cannot be removed")
    if commit:
        done = sandbox.exec(_COMMIT, cwd=instance.workdir, env=_GIT, timeout=_SETUP_SECONDS)
        required(done, f"instance {instance.id}: git could not make the first commit")


def _site(instance: Instance, sandbox: Sandbox, tree: Tree) -> dict[str, Tree]:
    """Return what stands in for an installation: the wheels, and paths to the repository.

    The folder is that of the user's own packages, which Python finds without any variable, after
    its standard library.
    """
    done = required(sandbox.exec(["python3", "-c", _PYTHON]), "the image has no python3")
    python, folder = done.stdout.split()
    site: Tree = {}
    for wheel in sdists.wheels(instance.requires, python):
        site |= trees.unpack_wheel(wheel.read(), wheel.name)
    roots = [posixpath.join(instance.workdir, "src")] if _has_src(tree) else []
    roots.append(instance.workdir)
    site["hub-repository.pth"] = File("".join(f"{root}\n" for root in roots).encode())
    if info := tree.get("PKG-INFO"):
        # So that importlib.metadata knows the version, as after an installation.
        name = f"{instance.base['package']}-{instance.base['version']}".replace("-", "_", 1)
        site[f"{name}.dist-info/METADATA"] = info
    return {folder: site}


def _has_src(tree: Tree) -> bool:
    return any(path.startswith("src/") and path.endswith(".py") for path in tree)


def place(sandbox: Sandbox, placed: dict[str, Tree]) -> None:
    """Write trees into the sandbox, each below its absolute folder, over what is there."""
    sandbox.write(_TAR, trees.packed(placed))
    folders = " ".join(map(shlex.quote, placed))
    command = f"mkdir -p {folders} && tar -xf {_TAR} -P --no-same-owner && rm {_TAR}"
    required(sandbox.exec(command, timeout=_SETUP_SECONDS), "files could not be put there")


def change(sandbox: Sandbox, workdir: str, changes: dict[str, File | None]) -> None:
    """Write changed files and remove the deleted ones (None)."""
    gone = [posixpath.join(workdir, path) for path, file in changes.items() if file is None]
    for start in range(0, len(gone), 500):
        required(sandbox.exec(["rm", "-f", "--", *gone[start : start + 500]]), "cannot remove")
    written = {path: file for path, file in changes.items() if file is not None}
    if written:
        place(sandbox, {workdir: written})


def apply(instance: Instance, sandbox: Sandbox, patch: str, what: str) -> None:
    """Apply a unified diff of the instance's in its repository.

    Raises:
        TaskError: It does not apply.
    """
    sandbox.write(_PATCH, patch if patch.endswith("\n") else f"{patch}\n")
    done = sandbox.exec(
        f"git apply --whitespace=nowarn {_PATCH}; s=$?; rm {_PATCH}; exit $s",
        cwd=instance.workdir,
        env={**_GIT, "GIT_CEILING_DIRECTORIES": posixpath.dirname(instance.workdir)},
        timeout=_SETUP_SECONDS,
    )
    required(done, f"instance {instance.id}: {what} does not apply")


def required(done: ExecResult, what: str) -> ExecResult:
    """Return `done`, a command of ours in a sandbox that nobody else has used.

    Raises:
        SandboxError: It was killed, as on a host without memory.
        TaskError: It failed.
    """
    if done.timed_out or done.exit_code == 137:
        raise SandboxError(f"{what}: it was killed", "infra")
    if done.exit_code:
        raise TaskError(f"{what} (exit status {done.exit_code}): {done.stderr.strip()[-800:]}")
    return done


def snapshot(sandbox: Sandbox, workdir: str) -> Tree:
    """Return the regular files below `workdir` as they are now, without `.git`.

    Nothing is believed that the agent may have tampered with but the list of names, which can
    only make it miss its own files: each file is read by the sandbox's own first process, and
    links, devices and pipes are left out. Files that are too large are, too.

    Raises:
        SandboxError: The files cannot be listed; in a used sandbox it is its user's doing.
    """
    listing = (
        f"find {shlex.quote(workdir)} -xdev -name .git -prune -o -type f "
        f"-printf '%s %m %P\\0' > {_LISTING}"
    )
    done = sandbox.exec(f"rm -rf {_LISTING}; {listing}", timeout=120.0)
    if done.exit_code not in (0, 1):  # 1: a folder cannot be entered
        raise SandboxError(f"the files cannot be listed: {done.stderr.strip()[-300:]}", "agent")
    tree: Tree = {}
    total = 0
    for line in sandbox.read(_LISTING, limit=_LONGEST_LISTING).split(b"\0"):
        size, _, rest = line.partition(b" ")
        mode, _, raw = rest.partition(b" ")
        if not raw or not size.isdigit() or int(size) > _LARGEST or total + int(size) > _MOST:
            continue
        path = raw.decode("utf-8", "surrogateescape")
        data = _read(sandbox, posixpath.join(workdir, path))
        if data is not None and trees.is_safe(path):
            total += len(data)
            tree[path] = File(data, _executable(mode))
    return tree


def _executable(mode: bytes) -> bool:
    return mode.isdigit() and bool(int(mode, 8) & 0o100 if set(mode) <= set(b"01234567") else 0)


def _read(sandbox: Sandbox, path: str) -> bytes | None:
    """Return a file, or None where it is gone, closed or no regular file by now."""
    from hub.errors import SandboxFileError

    try:
        return sandbox.read(path, limit=_LARGEST)
    except SandboxFileError:
        return None
