"""Fabrics and patches."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from quiltrail.render import (
    DARK,
    LIGHT,
    NUM_FABRICS,
    Canvas,
    RasterCanvas,
    Theme,
    draw_patch,
    paint_fabric,
)
from quiltrail.render.patches import inset, outlines

both_themes = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)


def _cloth(fabric: int, theme: Theme, squares: int = 1, pixels: int = 48) -> NDArray[np.int64]:
    """Return squares by squares of a fabric, each so many pixels wide."""
    canvas = RasterCanvas(pixels * squares, pixels * squares, theme, squares, squares)
    for row in range(squares):
        for column in range(squares):
            canvas.stamp(paint_fabric, column, row, 1, 1, fabric)
    return canvas.pixels().astype(np.int64)


@both_themes
def test_fabrics_differ_in_pattern_even_without_colour(theme: Theme) -> None:
    grey = [_cloth(fabric, theme).mean(axis=2) for fabric in range(NUM_FABRICS)]
    shapes = [(one - one.mean()) / one.std() for one in grey]
    for first, second in combinations(shapes, 2):
        assert abs((first * second).mean()) < 0.6


@both_themes
@pytest.mark.parametrize("fabric", range(NUM_FABRICS))
def test_squares_of_a_fabric_match_at_their_edges(fabric: int, theme: Theme) -> None:
    cloth = _cloth(fabric, theme, squares=2)
    steps = np.abs(np.diff(cloth, axis=1)).mean(axis=(0, 2))
    downs = np.abs(np.diff(cloth, axis=0)).mean(axis=(1, 2))
    assert steps[47] <= np.delete(steps, 47).max()
    assert downs[47] <= np.delete(downs, 47).max()


@both_themes
@pytest.mark.parametrize("fabric", range(NUM_FABRICS))
def test_a_pattern_is_still_seen_on_a_square_of_ten_pixels(fabric: int, theme: Theme) -> None:
    assert _cloth(fabric, theme, pixels=10).std(axis=(0, 1)).max() > 12


def test_the_outline_of_a_square_runs_clockwise() -> None:
    assert outlines([(2, 1)]) == [[(2, 1), (3, 1), (3, 2), (2, 2)]]


def test_an_outline_has_corners_only_where_it_turns() -> None:
    (loop,) = outlines([(0, 0), (1, 0), (2, 0), (0, 1)])
    assert loop == [(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2)]


def test_a_hole_has_an_outline_the_other_way_round() -> None:
    ring = [(x, y) for x in range(3) for y in range(3) if (x, y) != (1, 1)]
    outer, hole = outlines(ring)
    assert outer == [(0, 0), (3, 0), (3, 3), (0, 3)]
    assert hole == [(1, 1), (1, 2), (2, 2), (2, 1)]


def test_squares_that_touch_at_a_corner_keep_outlines_of_their_own() -> None:
    assert outlines([(0, 0), (1, 1)]) == [
        [(0, 0), (1, 0), (1, 1), (0, 1)],
        [(1, 1), (2, 1), (2, 2), (1, 2)],
    ]


def test_an_inset_outline_lies_inside() -> None:
    assert inset([(0, 0), (2, 0), (2, 1), (0, 1)], 0.25) == [
        (0.25, 0.25),
        (1.75, 0.25),
        (1.75, 0.75),
        (0.25, 0.75),
    ]


def _with_patch(canvas: Canvas, fabric: int) -> None:
    draw_patch(canvas, [(1, 0), (1, 1), (2, 1)], 10, 20, side=20, fabric=fabric)


@both_themes
def test_a_patch_covers_its_squares_and_nothing_else(theme: Theme) -> None:
    canvas = RasterCanvas(100, 100, theme)
    canvas.fill((1, 2, 3))
    _with_patch(canvas, 3)
    covered = (canvas.pixels() != (1, 2, 3)).any(axis=2)
    expected = np.zeros((100, 100), bool)
    expected[20:60, 30:50] = True
    expected[40:60, 50:70] = True
    assert (covered == expected).all()
