"""PNG files hold exactly the picture."""

from __future__ import annotations

import io

import numpy as np
import pytest

from quiltrail.render.png import png_bytes
from tests.render.png_reader import read_png


@pytest.mark.parametrize("shape", [(1, 1, 3), (1, 7, 3), (9, 1, 3), (33, 20, 3)])
def test_a_picture_comes_back_as_it_was(shape: tuple[int, ...]) -> None:
    picture = np.random.default_rng(5).integers(0, 256, shape, dtype=np.uint8)
    assert (read_png(png_bytes(picture)) == picture).all()


def test_a_picture_that_is_not_contiguous_comes_back_too() -> None:
    picture = np.random.default_rng(6).integers(0, 256, (12, 8, 3), dtype=np.uint8)
    assert (read_png(png_bytes(picture[::2, ::-1])) == picture[::2, ::-1]).all()


def test_another_library_reads_the_same() -> None:
    image = pytest.importorskip("PIL.Image")
    picture = np.random.default_rng(7).integers(0, 256, (40, 30, 3), dtype=np.uint8)
    with image.open(io.BytesIO(png_bytes(picture))) as opened:
        assert (np.asarray(opened.convert("RGB")) == picture).all()
