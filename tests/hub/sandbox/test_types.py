from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from hub.sandbox import Limits, Mount


@pytest.mark.parametrize(
    "wrong",
    [
        {"memory": 1},
        {"processes": 1.5},
        {"disk": 0},
        {"memory": 2**70},
        {"processes": 2**23},
        {"disk": 2**66},
        {"output": 2**40},
        {"flood": 2**70},
        {"cpus": 0},
        {"lifetime": float("nan")},
        {"cpus": True},
    ],
)
def test_a_limit_out_of_range_is_refused_by_name(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Limits(**wrong)


def test_a_limit_that_is_too_large_names_the_bound() -> None:
    with pytest.raises(ValueError, match=rf"memory={2**70}: expected an int from .* to {2**50}"):
        Limits(memory=2**70)


@pytest.mark.parametrize("target", ["relative", "/a/../b", "/a:b", "/a,b", "/", "//"])
def test_a_mount_target_that_a_provider_would_misread_is_refused(target: str) -> None:
    with pytest.raises(ValueError, match="mount target"):
        Mount(Path("/usr"), PurePosixPath(target))


def test_a_mount_source_must_exist() -> None:
    with pytest.raises(ValueError, match="does not exist"):
        Mount(Path("/no/such"), PurePosixPath("/data"))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [((5, "/x"), "source 5"), (("/usr", None), "target None"), (("/usr", "/x", 1), "writable 1")],
)
def test_a_mount_of_other_kinds_is_refused(wrong: tuple[Any, ...], why: str) -> None:
    with pytest.raises(TypeError, match=f"mount {why}: expected"):
        Mount(*wrong)
