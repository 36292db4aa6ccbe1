from __future__ import annotations

import json
from pathlib import Path

import pytest

from hub.sandbox import images
from hub.sandbox.images import Description
from tests import need
from tests.hub.cli.conftest import Run
from tests.hub.sandbox.conftest import open_directory, require
from tests.hub.sandbox.oci import write_archive


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with one finished build, `small`, made without Apptainer."""
    monkeypatch.setenv("HUB_IMAGES", str(tmp_path))
    final = tmp_path / "store" / "abc"
    (final / "rootfs").mkdir(parents=True)
    description = Description(
        "abc", "docker://small", built="2026-01-02T03:04:05Z", bytes=5_000_000
    )
    (final / images.DESCRIPTION).write_text(json.dumps(description.to_json()))
    (tmp_path / "names").mkdir()
    (tmp_path / "names" / "small").symlink_to("../store/abc")
    return tmp_path


def test_the_instant_image_is_always_there(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUB_IMAGES", str(tmp_path / "absent"))
    shown = run("images", "list", "--json", "-").json
    assert shown["schema"] == "hub.images/1"
    assert [image["name"] for image in shown["images"]] == ["host"]


def test_built_images_are_listed_with_source_and_size(run: Run, store: Path) -> None:
    assert run("images", "list", "--json", "-").json["images"][1]["digest"] == "abc"
    text = run("images", "list").out
    assert "docker://small" in text
    assert "5" in text


def test_pruning_forgets_the_names_and_removes_their_builds(run: Run, store: Path) -> None:
    kept = run("images", "prune", "--json", "-").json
    assert kept == {"schema": "hub.images.prune/1", "removed": []}
    assert run("images", "prune", "small", "--json", "-").json["removed"] == ["abc"]
    assert images.built() == {}
    assert not (store / "store" / "abc").exists()


def test_an_archive_is_built_and_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    require("apptainer")
    need.module("spython")
    with open_directory() as place:
        monkeypatch.setenv("HUB_IMAGES", str(place / "store"))
        archive = place / "small.tar"
        write_archive(archive)
        archive.chmod(0o644)
        built = run("images", "build", str(archive), "--name", "mine", "--json", "-")
        assert built.status == 0, built.err
        (image,) = built.json["images"]
        assert (built.json["schema"], image["name"]) == ("hub.images/1", "mine")
        assert (image["source"], image["packages"]) == (str(archive), [])
        assert image["env"]["GREETING"] == "from the image"
        again = run("images", "build", str(archive))
        assert again.status == 0
        assert "small" in again.out
        listed = run("images", "list", "--json", "-").json["images"]
        assert [entry["name"] for entry in listed] == ["host", "mine", "small"]
        assert listed[1]["digest"] == listed[2]["digest"] == image["digest"]


def test_errors_are_one_line_and_status_2(run: Run, store: Path) -> None:
    for words in (("prune", "none"), ("build", "/no/such"), ("build", "x://y", "--name", "BAD")):
        shown = run("images", *words)
        assert shown.status == 2
        assert shown.err.startswith("hub: ")
