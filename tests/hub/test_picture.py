from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import hub
from hub.picture import Frame, FrameError, halved, png, save_gif, small_png, text
from tests import need

frames = npst.arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(3)))


def noise(height: int, width: int) -> Frame:
    return np.random.default_rng(0).integers(0, 256, (height, width, 3), np.uint8)


@given(frames)
def test_a_png_decodes_to_the_same_pixels(frame: Frame) -> None:
    image = need.module("PIL.Image")
    decoded = np.asarray(image.open(io.BytesIO(png(frame))).convert("RGB"))
    np.testing.assert_array_equal(decoded, frame)


@pytest.mark.parametrize(
    "bad",
    [noise(4, 4)[..., :1], noise(4, 4)[0], noise(4, 4) / 255, noise(4, 4)[:0], "text", None],
)
def test_what_is_no_frame_is_an_error_that_says_what_it_is(bad: Any) -> None:
    with pytest.raises(FrameError, match=r"expected uint8 \(height, width, 3\)"):
        png(bad)


def test_a_large_picture_is_halved_until_it_fits() -> None:
    image = need.module("PIL.Image")
    data = small_png(noise(256, 320), 30_000)
    assert len(data) <= 30_000
    assert image.open(io.BytesIO(data)).size == (80, 64)


def test_halving_takes_the_mean_of_four_pixels() -> None:
    frame = np.zeros((3, 2, 3), np.uint8)
    frame[0, 0] = 200
    np.testing.assert_array_equal(halved(frame), np.full((1, 1, 3), 50, np.uint8))


def test_a_gif_holds_every_frame_at_its_speed(tmp_path: Path) -> None:
    image = need.module("PIL.Image")
    film = [np.full((8, 8, 3), shade, np.uint8) for shade in (0, 100, 200)]
    save_gif(film, tmp_path / "film.gif", fps=10)
    with image.open(tmp_path / "film.gif") as gif:
        assert gif.n_frames == 3
        assert gif.info["duration"] == 100


def test_a_gif_without_pillow_names_the_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(hub.MissingDependency, match="pip install pillow"):
        save_gif([noise(2, 2)], tmp_path / "film.gif", fps=10)
    assert not (tmp_path / "film.gif").exists()


def test_a_film_of_nothing_is_an_error(tmp_path: Path) -> None:
    need.module("PIL.Image")
    with pytest.raises(FrameError, match="at least one frame"):
        save_gif([], tmp_path / "film.gif", fps=10)


@given(frames, st.integers(1, 40), st.integers(1, 20))
def test_terminal_text_stays_within_its_columns_and_rows(
    frame: Frame, columns: int, rows: int
) -> None:
    lines = text(frame, columns, rows).split("\n")
    assert len(lines) <= rows
    assert all(1 <= line.count("▀") <= columns for line in lines)


def test_terminal_text_shows_two_pixels_a_cell() -> None:
    frame = np.array([[[1, 2, 3]], [[4, 5, 6]]], np.uint8)
    assert text(frame, 1, 1) == "\x1b[38;2;1;2;3;48;2;4;5;6m▀\x1b[0m"
