"""The hash over an engine's sources: what a certificate is a certificate of."""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import importlib.util
import json
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from hub import plugins
from hub.errors import DeclarationError, MissingDependency, StaleBuildError
from hub.fidelity.declaration import Sources


def manifest_hash(files: Iterable[tuple[str, bytes]]) -> str:
    """SHA-256 over a manifest, one line "name, space, SHA-256 of content" a file.

    Lines end in a newline and are sorted by name. In CMake: `file(SHA256 ...)` for each file and
    `string(SHA256 ...)` over the lines.

    Args:
        files: `(name, content)`; for `Sources.compiled` the name is the base name.

    Returns:
        64 lower-case hexadecimal digits.
    """
    lines = sorted((name, hashlib.sha256(content).hexdigest()) for name, content in files)
    text = "".join(f"{name} {digest}\n" for name, digest in lines)
    return hashlib.sha256(text.encode()).hexdigest()


def package_folder(package: str) -> Path:
    """Folder of a top-level package, found without importing it.

    Raises:
        MissingDependency: It is not installed; the message has the fix.
        DeclarationError: It is a namespace package.
    """
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise absent(package)
    if spec.origin is None:
        raise DeclarationError(
            f"package {package!r} is a namespace package; expected a regular one"
        )
    return Path(spec.origin).parent


def absent(package: str) -> MissingDependency:
    """The error of a package that is not installed, with the fix of the cards that need it."""
    fixes = dict.fromkeys(
        card.fix()
        for card in plugins.PLUGINS.registry
        if card.missing()
        and package in (card.entry_point.partition(".")[0], card.fidelity.partition(".")[0])
    )
    fix = " or ".join(fixes) or "install the distribution that holds it"
    return MissingDependency(f"package {package} is not installed. Fix: {fix}")


def engine_hash(sources: Sources) -> str:
    """Hash of the engine: its files on disk and its compiled sources, or their embedded hash.

    Raises:
        MissingDependency: Its package is not installed.
        DeclarationError: A pattern matches no file, or the embedded hash cannot be read.
    """
    return _hash(package_folder(sources.package), sources)


def edited_tree(distribution: str, sources: Sources) -> Path | None:
    """The tree that `distribution` was copied from, when its sources are others than those here.

    None when it was installed in editable form or from no folder, when that folder is gone, and
    when the sources are the same (PEP 610 tells where a distribution came from).
    """
    try:
        text = importlib.metadata.distribution(distribution).read_text("direct_url.json")
    except importlib.metadata.PackageNotFoundError:
        return None
    origin = json.loads(text or "{}")
    url = urlsplit(origin.get("url", ""))
    if url.scheme != "file" or origin.get("dir_info", {}).get("editable", False):
        return None
    root = Path(unquote(url.path))
    for folder in (root / sources.package, *sorted(root.glob(f"*/{sources.package}"))):
        if (folder / "__init__.py").is_file():
            return None if _hash(folder, sources) == engine_hash(sources) else root
    return None


def _hash(folder: Path, sources: Sources) -> str:
    lines = [(name, (folder / name).read_bytes()) for name in matching(folder, sources.files)]
    if sources.compiled:
        compiled = compiled_hash(folder, sources) or embedded_hash(sources)
        lines.append((f"compiled:{sources.embedded}", compiled.encode()))
    return manifest_hash(lines)


def check_build(sources: Sources) -> None:
    """Refuse to verify a binary that was built from other sources than those beside it.

    Raises:
        StaleBuildError: The checkout's hash and the binary's differ.
    """
    if not sources.compiled:
        return
    on_disk = compiled_hash(package_folder(sources.package), sources)
    built = embedded_hash(sources)
    if on_disk is not None and on_disk != built:
        raise StaleBuildError(
            f"{sources.embedded} was built from sources {built[:12]}, the checkout has "
            f"{on_disk[:12]}; install the package again to rebuild it"
        )


def compiled_hash(folder: Path, sources: Sources) -> str | None:
    """`manifest_hash` of the compiled sources, or None where no checkout is at hand."""
    paths = [folder / name for name in sources.compiled]
    if not all(path.is_file() for path in paths):
        return None
    return manifest_hash((path.name, path.read_bytes()) for path in paths)


def embedded_hash(sources: Sources) -> str:
    """The hash that the build put into the binary.

    Raises:
        DeclarationError: The module or attribute is missing, or is no `str`.
    """
    module, _, name = sources.embedded.partition(":")
    try:
        value = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise DeclarationError(
            f"no embedded source hash at {sources.embedded!r}: {error}"
        ) from error
    if not isinstance(value, str):
        raise DeclarationError(f"{sources.embedded!r} is {value!r}; expected a str")
    return value


def matching(folder: Path, patterns: Iterable[str]) -> list[str]:
    """Names, relative to `folder`, of the files that the patterns match, in order.

    Raises:
        DeclarationError: A pattern matches none.
    """
    names: set[str] = set()
    for pattern in patterns:
        found = {path.relative_to(folder).as_posix() for path in folder.glob(pattern)}
        if not found:
            raise DeclarationError(f"source pattern {pattern!r} matches no file of the package")
        names |= found
    return sorted(names)
