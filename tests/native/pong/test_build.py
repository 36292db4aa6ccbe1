"""The C sources by themselves, the type stub, and everything again under the sanitizers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests import need

ROOT = Path(__file__).parents[3]
SOURCES = ROOT / "native" / "pong" / "csrc"
HERE = Path(__file__).parent
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"]
SANITIZE = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def run(*command, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("header", ["threefry.h", "pong.h", "batch.h"])
def test_every_header_compiles_alone_without_a_warning(header, tmp_path):
    gcc = need.program("gcc")
    unit = tmp_path / "unit.c"
    unit.write_text(f'#include "{header}"\nint unit(void);\nint unit(void) {{ return 0; }}\n')
    run(gcc, *STRICT, "-O2", "-I", SOURCES, "-c", unit, "-o", tmp_path / "unit.o")


def test_the_c_core_is_clean_under_address_and_undefined_behaviour_sanitizers(tmp_path):
    gcc = need.program("gcc")
    program = tmp_path / "driver"
    units = [HERE / "driver.c", SOURCES / "batch.c"]
    run(gcc, *STRICT, *SANITIZE, "-O1", "-I", SOURCES, *units, "-o", program)
    assert run(program, timeout=120) == "clean\n"


@pytest.mark.slow
def test_the_type_stub_agrees_with_the_binary(tmp_path):
    need.module("hub_pong._core")
    need.module("mypy")
    allowed = tmp_path / "allowed"
    # pybind11 gives its classes a metaclass that no stub can name.
    allowed.write_text("hub_pong._core.PongCore\n")
    command = [sys.executable, "-m", "mypy.stubtest", "hub_pong._core", "--allowlist", allowed]
    assert "Success" in run(*command, cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD is Linux's")
def test_the_binding_is_clean_under_the_sanitizers(tmp_path):
    gcc, gxx = need.program("gcc"), need.program("g++")
    package = tmp_path / "hub_pong"
    shutil.copytree(ROOT / "native" / "pong" / "src" / "hub_pong", package)
    build_binding(gcc, gxx, package)
    libraries = [run(gcc, f"-print-file-name=lib{name}.so").strip() for name in ("asan", "ubsan")]
    environment = {
        **os.environ,
        "LD_PRELOAD": " ".join(libraries),
        # Python frees little of its own when it exits, and its allocator would hide overruns.
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
    }
    # -S: an editable installation's import hook would go before the path.
    command = [sys.executable, "-S", HERE / "exercise.py", tmp_path]
    assert run(*command, env=environment, timeout=400) == "clean\n"


def build_binding(gcc, gxx, package):
    """Compile the binding with both sanitizers into `package`."""
    pybind11 = need.module("pybind11")
    includes = [f"-I{path}" for path in (pybind11.get_include(), sysconfig.get_path("include"))]
    flags = [*SANITIZE, "-O1", "-fPIC", "-ffp-contract=off"]
    batch = package / "batch.o"
    run(gcc, *STRICT, *flags, "-c", SOURCES / "batch.c", "-o", batch)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    units = [SOURCES / "module.cpp", SOURCES / "core.cpp", batch]
    flags.append('-DHUB_SOURCE_HASH="sanitized"')
    options = ["-std=c++17", "-shared", "-pthread", "-fvisibility=hidden", '-DHUB_SOURCE_HASH=""']
    run(gxx, *flags, *options, *includes, *units, "-o", package / f"_core{suffix}")
