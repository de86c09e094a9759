"""Text: every letter has ink, sizes and places are as asked, small digits can be told apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from quiltrail.render import LIGHT, RasterCanvas
from quiltrail.render.text import load_font, text_width

WHITE = (255, 255, 255)
PRINTABLE = "".join(chr(code) for code in range(0x21, 0x7F))


def _written(string: str, size: float, pixels: int = 100, bold: bool = False) -> NDArray[np.uint8]:
    """Return a text's ink in the middle of 100 by 100 units."""
    canvas = RasterCanvas(pixels, pixels, LIGHT)
    canvas.text(string, 50, 50, size, WHITE, bold=bold)
    return canvas.pixels()[..., 0]


@pytest.mark.parametrize("bold", [False, True])
def test_every_printable_character_has_ink_of_its_own(bold: bool) -> None:
    pictures = {one: _written(one, 20, bold=bold).tobytes() for one in PRINTABLE}
    assert all(any(picture) for picture in pictures.values())
    assert len(set(pictures.values())) == len(PRINTABLE)


def test_capitals_are_as_high_as_asked_and_centred() -> None:
    rows = np.flatnonzero(_written("H", 40).any(axis=1))
    assert rows.min() == 30
    assert rows.max() == 69
    columns = np.flatnonzero(_written("H", 40).any(axis=0))
    assert abs(columns.min() + columns.max() - 99) <= 1


def test_holes_stay_open() -> None:
    assert _written("0", 60)[50, 50] == 0
    assert _written("I", 60)[50, 50] == 255


def test_an_unknown_character_shows_as_a_question_mark() -> None:
    assert (_written("\u4e00", 20) == _written("?", 20)).all()


def test_a_blank_has_width_but_no_ink() -> None:
    assert not _written("   ", 20).any()
    assert text_width(" ", 10, bold=False) > 0


def test_widths_add_up_and_scale() -> None:
    assert text_width("AB", 10, bold=False) == pytest.approx(
        text_width("A", 10, bold=False) + text_width("B", 10, bold=False)
    )
    assert text_width("AB", 20, bold=True) == pytest.approx(2 * text_width("AB", 10, bold=True))


def test_left_and_right_ends_lie_where_asked() -> None:
    left, right = RasterCanvas(400, 400, LIGHT), RasterCanvas(400, 400, LIGHT)
    left.text("HH", 30, 50, 10, WHITE, align="left")
    right.text("HH", 70, 50, 10, WHITE, align="right")
    room = 1.5 * 4  # the font's own margin beside a letter
    assert 0 <= np.flatnonzero(left.pixels().any(axis=(0, 2))).min() - 120 <= room
    assert 0 <= 279 - np.flatnonzero(right.pixels().any(axis=(0, 2))).max() <= room


def test_fitted_text_keeps_to_its_room() -> None:
    canvas = RasterCanvas(200, 200, LIGHT)
    canvas.fitted_text("123456789012345678901234567890", 50, 50, 10, 40, WHITE, bold=True)
    columns = np.flatnonzero(canvas.pixels().any(axis=(0, 2)))
    assert columns.min() >= 60 - 1
    assert columns.max() <= 140
    short = RasterCanvas(200, 200, LIGHT)
    short.fitted_text("1", 50, 50, 10, 40, WHITE, bold=True)
    assert (short.pixels()[..., 0] == _written("1", 10, 200, bold=True)).all()


def test_digits_five_units_high_differ_at_128_pixels() -> None:
    pictures = {digit: _written(digit, 5, 128, bold=True).astype(int) for digit in "0123456789"}
    for first, second in combinations(pictures, 2):
        ink = max(pictures[first].sum(), pictures[second].sum())
        difference = np.abs(pictures[first] - pictures[second]).sum()
        assert difference > 0.15 * ink, (first, second)


def test_both_styles_have_the_same_characters() -> None:
    assert load_font(False).advances.keys() == load_font(True).advances.keys()
    assert set(PRINTABLE) < load_font(False).advances.keys()
