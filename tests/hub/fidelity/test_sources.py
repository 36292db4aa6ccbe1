"""The hash over sources: a build system can make it, and a stale binary is refused."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.errors import DeclarationError, MissingDependency, StaleBuildError
from hub.fidelity import Sources, manifest_hash
from hub.fidelity.sources import check_build, engine_hash

COMPILED = Sources("toystrip", ("engine.py",), ("core/a.h", "core/b.c"), "toystrip.built:HASH")


@pytest.fixture
def package(strip: ModuleType) -> Path:
    path = Path(str(strip.__file__)).parent
    (path / "core").mkdir()
    (path / "core/a.h").write_text("int a;\n")
    (path / "core/b.c").write_text("int b;\n")
    files = [("a.h", b"int a;\n"), ("b.c", b"int b;\n")]
    (path / "built.py").write_text(f"HASH = {manifest_hash(files)!r}\n")
    return path


def test_the_manifest_is_what_a_build_system_would_make() -> None:
    digests = [hashlib.sha256(content).hexdigest() for content in (b"one", b"two")]
    text = f"a.h {digests[0]}\nb.c {digests[1]}\n"
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert manifest_hash([("b.c", b"two"), ("a.h", b"one")]) == expected


@given(st.dictionaries(st.text("abc.", min_size=1), st.binary(), min_size=1), st.randoms())
def test_the_order_of_files_changes_nothing_and_content_does(files: dict, random: object) -> None:
    shuffled = sorted(files.items(), key=lambda item: random.random())  # type: ignore[attr-defined]
    assert manifest_hash(shuffled) == manifest_hash(files.items())
    name = next(iter(files))
    assert manifest_hash({**files, name: files[name] + b"x"}.items()) != manifest_hash(
        files.items()
    )


def test_a_wheel_without_sources_has_the_checkouts_hash(package: Path) -> None:
    checkout = engine_hash(COMPILED)
    (package / "core/a.h").unlink()
    assert engine_hash(COMPILED) == checkout


def test_a_binary_older_than_its_sources_is_refused(package: Path) -> None:
    check_build(COMPILED)
    (package / "core/b.c").write_text("int c;\n")
    with pytest.raises(StaleBuildError, match="install the package again"):
        check_build(COMPILED)


def test_a_pattern_without_files_is_refused(package: Path) -> None:
    with pytest.raises(DeclarationError, match=r"'nothing\*\.py' matches no file"):
        engine_hash(Sources("toystrip", ("nothing*.py",)))


def test_a_missing_embedded_hash_is_refused(package: Path) -> None:
    (package / "core/a.h").unlink()
    with pytest.raises(DeclarationError, match="no embedded source hash"):
        engine_hash(replace(COMPILED, embedded="toystrip.built:NONE"))
    with pytest.raises(DeclarationError, match="expected 'module:attribute'"):
        replace(COMPILED, embedded="")


def test_a_package_that_is_not_there_is_named() -> None:
    with pytest.raises(MissingDependency, match=r"no_such_package is not installed\. Fix: "):
        engine_hash(Sources("no_such_package", ("x.py",)))
