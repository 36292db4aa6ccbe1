"""How a repository lies in a sandbox: one commit, no history, and the tests' wheels beside it."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from hub.errors import TaskError
from hub.sandbox import Sandbox
from hub_agents.swe import sdists, sites, trees
from hub_agents.swe.filter import sources
from hub_agents.swe.instance import Instance
from hub_agents.swe.transfer import SECONDS, place, required
from hub_agents.swe.trees import File, Tree

_PATCH = "/tmp/.hub.patch"
# The interpreter's version, and where it looks for what a user has installed.
_PYTHON = "import site,sys;print('%d.%d' % sys.version_info[:2]);print(site.getusersitepackages())"
# Fixed names and times, so that the commit's id says nothing and is the same everywhere.
_GIT = {
    "GIT_AUTHOR_NAME": "hub", "GIT_AUTHOR_EMAIL": "hub@localhost",
    "GIT_COMMITTER_NAME": "hub", "GIT_COMMITTER_EMAIL": "hub@localhost",
    "GIT_AUTHOR_DATE": "2000-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2000-01-01T00:00:00Z",
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
}  # fmt: skip
# Files go and folders stay: where an image lies below an overlay without attributes, a folder of it
# can be neither removed for good nor made again.
_EMPTY = (
    'find "$@" ! -type d -delete 2>/dev/null; '
    'test -z "$(find "$@" ! -type d -print -quit 2>/dev/null)"'
)
_COMMIT = (
    "find . -path '*/.git/*' ! -type d -delete && find . -name .git ! -type d -delete "
    "&& git init -q -b main && git config core.logAllRefUpdates false "
    "&& git config user.name agent && git config user.email agent@localhost "
    "&& git config gc.auto 0 && git add -A -f && git commit -q --no-verify --allow-empty -m base "
    f"&& {{ set -- .git/hooks .git/logs .git/description; {_EMPTY}; }}"
)


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
    if tree is None and sandbox.exec('test -d "$PLACE"', env={"PLACE": instance.workdir}).exit_code:
        raise TaskError(
            f"instance {instance.id}: the image has no {instance.workdir} (image {instance.image})"
        )
    if instance.bug_patch:
        apply(instance, sandbox, instance.bug_patch, "bug_patch")
    if commit and instance.hidden:
        done = sandbox.exec(["sh", "-c", _EMPTY, "sh", *instance.hidden], cwd=instance.workdir)
        required(done, f"instance {instance.id}: its hidden files cannot be removed")
    if commit:
        done = sandbox.exec(_COMMIT, cwd=instance.workdir, env=_GIT, timeout=SECONDS)
        required(done, f"instance {instance.id}: git could not make the first commit")


def _site(instance: Instance, sandbox: Sandbox, tree: Tree) -> dict[str, Tree]:
    """Return what stands in for an installation: the wheels, and paths to the repository.

    The folder is that of the user's own packages, which Python finds without any variable, after
    its standard library.
    """
    done = required(sandbox.exec(["python3", "-c", _PYTHON]), "the image has no python3")
    python, folder = done.stdout.split()
    site = dict(sites.site(instance.requires, python, sandbox))
    roots = [posixpath.join(instance.workdir, "src")] if _has_src(tree) else []
    roots.append(instance.workdir)
    site["hub-repository.pth"] = File("".join(f"{root}\n" for root in roots).encode())
    if info := tree.get("PKG-INFO"):
        site[f"{_named(info)}.dist-info/METADATA"] = info
    return {folder: site}


def _named(info: File) -> str:
    """Return NAME-VERSION of a release, so that importlib.metadata finds what it says."""
    text = info.data.decode("utf-8", "replace")
    name, version = (
        (re.findall(rf"^{field}: *([\w.+!-]+)", text, re.MULTILINE) or ["unknown"])[0]
        for field in ("Name", "Version")
    )
    return f"{re.sub('[-_.]+', '_', name)}-{version}"


def _has_src(tree: Tree) -> bool:
    return any(path.startswith("src/") and path.endswith(".py") for path in tree)


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
        timeout=SECONDS,
    )
    required(done, f"instance {instance.id}: {what} does not apply")
