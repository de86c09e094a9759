"""Movies: GIF and MP4 files that other libraries read back."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from quiltrail.core.errors import MissingExtraError, OptionError
from quiltrail.render.movie import save_movie


def _frames(count: int, size: tuple[int, int] = (48, 64)) -> list[NDArray[np.uint8]]:
    """Return frames with a bright bar that moves."""
    frames = np.full((count, *size, 3), 30, np.uint8)
    for number, frame in enumerate(frames):
        frame[:, 4 * number : 4 * number + 8] = (230, 160, 0)
    return list(frames)


def test_a_gif_has_every_frame_and_repeats(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    frames = _frames(6)
    path = save_movie(tmp_path / "game.gif", frames, fps=5, hold=2)
    with image.open(path) as movie:
        assert movie.n_frames == 6
        assert movie.info["loop"] == 0
        for number, frame in enumerate(frames):
            movie.seek(number)
            assert movie.info["duration"] == (2200 if number == 5 else 200)
            shown = np.asarray(movie.convert("RGB")).astype(int)
            assert np.abs(shown - frame).max() <= 4


def test_an_mp4_of_odd_size_can_be_read(tmp_path: Path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path = save_movie(str(tmp_path / "game.mp4"), _frames(8, (49, 63)), fps=4, hold=1)
    reader = ffmpeg.read_frames(str(path))
    meta = next(reader)
    assert tuple(meta["size"]) == (64, 50)
    assert len(list(reader)) == 8 + 4


def test_names_frames_and_speed_are_checked(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"\.gif or \.mp4.*game\.avi"):
        save_movie(tmp_path / "game.avi", _frames(2))
    with pytest.raises(OptionError, match="at least one frame"):
        save_movie(tmp_path / "game.gif", [])
    with pytest.raises(OptionError, match="one size"):
        save_movie(tmp_path / "game.gif", _frames(1) + _frames(1, (10, 10)))
    with pytest.raises(OptionError, match="fps"):
        save_movie(tmp_path / "game.gif", _frames(2), fps=0)


@pytest.mark.parametrize(("name", "module"), [("a.gif", "PIL"), ("a.mp4", "imageio_ffmpeg")])
def test_a_missing_library_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"needs {module}.*quiltrail\[render\]"):
        save_movie(tmp_path / name, _frames(2))
