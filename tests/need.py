"""Parts that a test needs: absent, it skips with the reason for a user and fails in CI."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import shutil
from types import ModuleType
from typing import NoReturn

import pytest


def missing(reason: str) -> NoReturn:
    """Skip the test for `reason`; in CI (variable `CI` set), where nothing may be missing, fail."""
    if os.environ.get("CI"):
        pytest.fail(f"missing in CI: {reason}")
    pytest.skip(reason, allow_module_level=True)


def module(name: str) -> ModuleType:
    """Import and return module `name`, or report it missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        missing(f"module {name}: {error}")


def program(name: str) -> str:
    """Return the path of program `name`, or report it missing."""
    path = shutil.which(name)
    if path is None:
        missing(f"program {name} is not on PATH")
    return path


def distribution(name: str) -> str:
    """Return the version of distribution `name`, or report it missing; imports nothing."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        missing(f"distribution {name} is not installed")
