"""The import rules of CONTRIBUTING, held over every source file by its syntax tree."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.startup import cpu_seconds

ROOT = Path(__file__).resolve().parents[1]

# What stands higher may import what stands lower or beside it, never the reverse.
LAYERS = (
    {"errors", "hookspecs", "trajectory", "spaces", "wire", "rollout", "threefry", "seeds",
     "snapshot", "finding", "arguments", "settings", "card_fields"},
    {"registry", "catalogue", "plugins", "entry", "__init__"},
    {"native", "lane", "core_host", "vector", "functional", "dialogue", "sandbox", "infos",
     "picture", "adapters"},
    {"fidelity", "bench", "conformance", "play", "describe", "doctor", "scaffold", "docs",
     "tour"},
    {"cli", "__main__"},
)  # fmt: skip

# The only places that may import these, as path prefixes.
HEAVY = {
    "jax": ("hub/functional/", "plugins/hub_jax/", "plugins/hub_ppo/"),
    "torch": ("plugins/hub_dapo/", "plugins/hub_ppo/", "hub/adapters/"),
    "spython": ("hub/sandbox/",),
}


def sources() -> list[Path]:
    found = [*ROOT.glob("hub/**/*.py"), *ROOT.glob("plugins/*/**/*.py")]
    found += ROOT.glob("native/*/src/**/*.py")
    return sorted(p for p in found if "_template" not in p.parts)


def packages_outside_the_hub() -> set[str]:
    folders = [*ROOT.glob("plugins/*/"), *ROOT.glob("native/*/src/*/")]
    return {folder.name for folder in folders if any(folder.glob("*.py"))}


def imports(tree: ast.AST) -> Iterator[str]:
    """Names of what `tree` imports, `from a import b` as `a.b`; imports for types are left out."""
    if isinstance(tree, ast.If) and ast.unparse(tree.test) in ("TYPE_CHECKING",):
        return
    if isinstance(tree, ast.Import):
        yield from (alias.name for alias in tree.names)
    elif isinstance(tree, ast.ImportFrom):
        assert tree.level == 0, "imports are absolute"
        yield from (f"{tree.module}.{alias.name}" for alias in tree.names)
    for child in ast.iter_child_nodes(tree):
        yield from imports(child)


def imported(path: Path) -> list[str]:
    return list(imports(ast.parse(path.read_text(encoding="utf-8"))))


def package_of(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    return {"hub": "hub", "plugins": parts[1]}.get(parts[0], parts[min(3, len(parts) - 1)])


def layer_of(module: str) -> int:
    """Layer of `hub.<room>...`; what the package re-exports belongs to its second layer."""
    if module.endswith(".__main__"):
        return len(LAYERS) - 1  # a program of its own, like a command
    room = [*module.split("."), "__init__"][1]
    for number, rooms in enumerate(LAYERS):
        if room in rooms:
            return number
    if (ROOT / "hub" / room).exists() or (ROOT / "hub" / f"{room}.py").exists():
        pytest.fail(f"hub/{room} has no layer: add it to LAYERS in {Path(__file__).name}")
    return 1


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_source_file_imports_only_what_it_may(path: Path) -> None:
    names, own = imported(path), package_of(path)
    strangers = packages_outside_the_hub() - {own}
    crossing = [name for name in names if name.split(".")[0] in strangers]
    assert not crossing, f"{own} imports another package of this tree: {crossing}"
    if own != "hub":
        private = [n for n in names if n.startswith("hub.") and "._" in n]
        assert not private, f"{own} imports what the hub keeps private: {private}"
    for library, places in HEAVY.items():
        if not str(path.relative_to(ROOT)).startswith(places):
            heavy = [name for name in names if name.split(".")[0] == library]
            assert not heavy, f"{library} may be imported only in {', '.join(places)}"


@pytest.mark.parametrize(
    "path",
    [path for path in sources() if path.is_relative_to(ROOT / "hub")],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_no_layer_of_the_hub_imports_a_higher_one(path: Path) -> None:
    if path == ROOT / "hub" / "__init__.py":
        return  # it re-exports from wherever; others see it as part of the second layer
    own = layer_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
    names = [name for name in imported(path) if name.split(".")[0] == "hub"]
    higher = [name for name in names if layer_of(name) > own]
    assert not higher, f"layer {own} imports higher: {higher}"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import a.b, c", ["a.b", "c"]),
        ("from a.b import c, d", ["a.b.c", "a.b.d"]),
        ("def f():\n    import a", ["a"]),
        ("if TYPE_CHECKING:\n    import a\nimport b", ["b"]),
    ],
)
def test_imports_are_read_from_any_depth_but_not_for_types(code: str, expected: list[str]) -> None:
    assert list(imports(ast.parse(code))) == expected


def test_importing_the_hub_loads_nothing_heavy() -> None:
    code = "import sys, hub\nprint(*sorted({name.split('.')[0] for name in sys.modules}))"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    heavy = {"jax", "torch", "spython", "scipy", "mujoco", "matplotlib", "rich", "PIL", "hub_pong"}
    loaded = heavy & set(out.stdout.split())
    # An entry point's module may lie in a package; its `__init__` must then be light, too.
    assert loaded <= {"hub_pong"}


@pytest.mark.slow
def test_importing_the_hub_costs_at_most_150_ms_over_gymnasium(tmp_path: Path) -> None:
    reference = cpu_seconds(tmp_path, "-c", "import gymnasium")
    assert cpu_seconds(tmp_path, "-c", "import hub") <= reference + 0.150
