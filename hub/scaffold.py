"""A new plugin distribution, written from the template that ships with the hub."""

from __future__ import annotations

import importlib.util
import keyword
import re
import sys
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

from hub.errors import HubError
from hub.plugins import RESERVED_NAMESPACES

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
# Names that would hide the hub's own packages or be hidden by them.
_TAKEN = frozenset({"hub", "gymhub", "test", "tests"})


class ScaffoldError(HubError, ValueError):
    """A plugin of this name cannot be written here."""


def check_name(name: str) -> str:
    """Return the import package for plugin `name` (`my-envs`: `my_envs`).

    Raises:
        ScaffoldError: The name is no good as namespace, distribution or package.
    """
    package = name.replace("-", "_")
    if not _NAME.fullmatch(name):
        raise ScaffoldError(
            f"name {name!r}: expected lower-case letters, digits and single dashes (my-envs)"
        )
    if name in RESERVED_NAMESPACES:
        raise ScaffoldError(f"name {name!r} is a namespace of the hub's own; choose another")
    if name in _TAKEN or keyword.iskeyword(package) or package in sys.stdlib_module_names:
        raise ScaffoldError(f"name {name!r} is taken by Python or the hub; choose another")
    if importlib.util.find_spec(package) is not None:
        raise ScaffoldError(f"name {name!r}: a package {package} is installed; choose another")
    return package


def write(name: str, parent: Path) -> list[Path]:
    """Write the distribution `parent/name` and return its files.

    Raises:
        ScaffoldError: The name is no good, the directory exists or cannot be made.
    """
    package = check_name(name)
    root = parent / name
    try:
        root.mkdir(parents=True)
    except FileExistsError:
        raise ScaffoldError(f"{root} exists; nothing was written. Choose another place") from None
    except OSError as error:
        raise ScaffoldError(
            f"{root} cannot be written: {error.strerror}. Choose another place"
        ) from error
    values = {"name": name, "package": package}
    written = []
    for source, relative in _walk(files("hub").joinpath("_template"), Path()):
        inside = relative.parts[0] == "package"
        target = root / (Path(package, *relative.parts[1:]) if inside else relative)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = Template(source.read_text(encoding="utf-8")).substitute(values)
        target.write_text(text, encoding="utf-8")
        written.append(target)
    return written


def _walk(folder: Traversable, at: Path) -> list[tuple[Traversable, Path]]:
    found = []
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir() and item.name != "__pycache__":
            found += _walk(item, at / item.name)
        elif item.is_file():
            found.append((item, at / item.name))
    return found
