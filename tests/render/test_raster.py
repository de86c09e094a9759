"""RasterCanvas: shapes cover what geometry says, and stamps equal drawing."""

from __future__ import annotations

from math import hypot, pi

import numpy as np
import pytest
from numpy.typing import NDArray

from quiltrail.render import LIGHT, Canvas, RasterCanvas

WHITE, BLACK = (255, 255, 255), (0, 0, 0)
RED = (200, 40, 30)


def _canvas(pixels: int = 100) -> RasterCanvas:
    """Return a black canvas of 100 by 100 units."""
    return RasterCanvas(pixels, pixels, LIGHT)


def _area(canvas: RasterCanvas) -> float:
    """Return how many pixels' worth of white there is."""
    return float(canvas.pixels()[..., 0].sum() / 255)


def test_pixels_are_rows_columns_channels() -> None:
    canvas = RasterCanvas(40, 30, LIGHT, 40, 30)
    canvas.rect(30, 0, 10, 10, RED)
    picture = canvas.pixels()
    assert picture.shape == (30, 40, 3)
    assert picture.dtype == np.uint8
    assert picture[0, 39].tolist() == list(RED)
    assert picture[29, 0].tolist() == [0, 0, 0]


def test_a_rectangle_on_pixel_edges_is_sharp() -> None:
    canvas = _canvas()
    canvas.rect(10, 20, 30, 40, WHITE)
    assert (canvas.pixels()[20:60, 10:40] == 255).all()
    assert _area(canvas) == 30 * 40


def test_a_rectangle_between_pixels_covers_parts_of_them() -> None:
    canvas = _canvas()
    canvas.rect(10.25, 20.5, 2.5, 2, WHITE)
    column = canvas.pixels()[20:23, 11, 0].tolist()
    assert column == [128, 255, 128]
    row = canvas.pixels()[21, 10:13, 0].tolist()
    assert row == [191, 255, 191]


def test_a_rectangle_thinner_than_a_pixel_keeps_its_area() -> None:
    canvas = _canvas()
    canvas.rect(10, 20.3, 50, 0.2, WHITE)
    assert _area(canvas) == pytest.approx(10, rel=0.02)


@pytest.mark.parametrize("pixels", [64, 100, 333])
def test_a_circle_has_its_area_at_every_size(pixels: int) -> None:
    canvas = _canvas(pixels)
    canvas.circle(47.3, 51.9, 30, WHITE)
    assert _area(canvas) == pytest.approx(pi * (0.3 * pixels) ** 2, rel=0.005)


def test_an_outline_lies_half_inside_and_half_outside() -> None:
    canvas = _canvas(200)
    canvas.circle(50, 50, 30, WHITE, outline=4)
    assert _area(canvas) == pytest.approx(pi * (64**2 - 56**2), rel=0.01)
    assert canvas.pixels()[100, 100, 0] == 0


def test_round_corners_take_away_their_area() -> None:
    canvas = _canvas(200)
    canvas.rect(10, 10, 60, 40, WHITE, radius=10)
    assert _area(canvas) == pytest.approx(120 * 80 - (4 - pi) * 20**2, rel=0.005)


def test_a_polygon_has_its_area_whichever_way_it_runs() -> None:
    for triangle in ([(10, 10), (80, 20), (30, 90)], [(30, 90), (80, 20), (10, 10)]):
        canvas = _canvas()
        canvas.polygon(triangle, color=WHITE)
        assert _area(canvas) == pytest.approx(2700, rel=0.005)


def test_a_contour_the_other_way_round_is_a_hole() -> None:
    canvas = _canvas()
    outer = [(10, 10), (90, 10), (90, 90), (10, 90)]
    hole = [(30, 30), (30, 50), (50, 50), (50, 30)]
    canvas.polygon(outer, hole, color=WHITE)
    assert _area(canvas) == pytest.approx(80 * 80 - 20 * 20, rel=0.001)
    assert canvas.pixels()[40, 40, 0] == 0


def test_a_line_has_round_or_straight_ends() -> None:
    start, end = (20, 30), (70, 60)
    length = hypot(50, 30)
    butt, rounded = _canvas(200), _canvas(200)
    butt.line((start, end), 6, WHITE, cap="butt")
    rounded.line((start, end), 6, WHITE)
    assert _area(butt) == pytest.approx(4 * 6 * length, rel=0.01)
    assert _area(rounded) == pytest.approx(4 * (6 * length + pi * 9), rel=0.01)


def test_joints_are_not_drawn_twice() -> None:
    once, bent = _canvas(), _canvas()
    once.line(((10, 50), (90, 50)), 6, WHITE, alpha=0.5)
    bent.line(((10, 50), (40, 50), (60, 50), (90, 50)), 6, WHITE, alpha=0.5)
    assert np.abs(once.pixels().astype(int) - bent.pixels()).max() <= 1


def test_dashes_leave_out_what_they_should() -> None:
    canvas = _canvas(200)
    canvas.line(((10, 50), (90, 50)), 4, WHITE, cap="butt", dash=(6, 4))
    assert _area(canvas) == pytest.approx(4 * 8 * 6 * 4, rel=0.01)
    row = canvas.pixels()[100, :, 0]
    assert row[30] == 255
    assert row[36] == 0


def test_short_dashes_on_a_curve_stay_short() -> None:
    canvas = _canvas(400)
    canvas.curve((10, 10), (90, 10), (90, 90), 12, WHITE, cap="butt", dash=(1, 3))
    whole = _canvas(400)
    whole.curve((10, 10), (90, 10), (90, 90), 12, WHITE, cap="butt")
    assert _area(canvas) == pytest.approx(_area(whole) / 4, rel=0.05)


def test_a_curve_runs_from_start_to_end_and_not_through_the_control() -> None:
    canvas = _canvas()
    canvas.curve((10, 90), (10, 10), (90, 10), 4, WHITE)
    picture = canvas.pixels()[..., 0]
    assert picture[89, 10] == picture[10, 89] == 255
    assert picture[10, 10] == 0
    assert picture[30, 30] == 255  # the middle of the curve: (10 + 2 * 10 + 90) / 4


def test_a_thin_line_grows_paler_not_thicker() -> None:
    canvas = _canvas()
    canvas.line(((0, 50.5), (100, 50.5)), 0.25, WHITE, cap="butt")
    assert _area(canvas) == pytest.approx(25, rel=0.05)


def test_alpha_mixes_with_what_is_there() -> None:
    canvas = _canvas()
    canvas.fill((100, 100, 100))
    canvas.rect(0, 0, 50, 50, (200, 0, 100), alpha=0.25)
    assert canvas.pixels()[10, 10].tolist() == [125, 75, 100]


def test_a_gradient_runs_from_top_to_bottom() -> None:
    canvas = _canvas()
    canvas.gradient(0, 0, 100, 100, (0, 0, 0), (200, 100, 50))
    middle = canvas.pixels()[:, 50].astype(int)
    assert (np.diff(middle, axis=0) >= 0).all()
    assert middle[50].tolist() == pytest.approx([100, 50, 25], abs=2)


def _shapes(canvas: Canvas, x: float, y: float) -> None:
    """Draw one of everything around a point."""
    canvas.rect(x - 5, y - 5, 10, 10, RED)
    canvas.rect(x - 5, y - 5, 10, 10, RED, radius=2, outline=1)
    canvas.circle(x, y, 6, RED)
    canvas.polygon([(x - 6, y), (x, y - 6), (x + 6, y + 6)], color=RED)
    canvas.line([(x - 6, y - 6), (x + 6, y + 6)], 2, RED, dash=(1, 1))
    canvas.curve((x - 6, y), (x, y + 6), (x + 6, y), 2, RED)
    canvas.gradient(x - 5, y - 5, 10, 10, RED, WHITE)
    canvas.text("Qg", x, y, 6, RED)
    canvas.stamp(_dotted, x - 5, y - 5, 10, 10)


def _dotted(canvas: Canvas) -> None:
    canvas.circle(canvas.width / 2, canvas.height / 2, canvas.width / 3, RED)


@pytest.mark.parametrize("x", [-40.0, -3.0, 0.0, 98.0, 140.0])
@pytest.mark.parametrize("y", [-40.0, -3.0, 50.0, 99.9, 140.0])
def test_what_lies_beyond_the_edge_is_cut_off(x: float, y: float) -> None:
    canvas, wide = _canvas(50), RasterCanvas(250, 250, LIGHT, 500, 500)
    _shapes(canvas, x, y)
    _shapes(wide, x + 200, y + 200)
    visible = wide.pixels()[100:150, 100:150].astype(int)
    assert np.abs(canvas.pixels() - visible).max() <= 3


def _part(canvas: Canvas, color: tuple[int, int, int]) -> None:
    canvas.rect(0, 0, canvas.width, canvas.height, WHITE, radius=4, alpha=0.5)
    canvas.circle(canvas.width / 2, canvas.height / 2, 8, color)
    canvas.text("8", canvas.width / 2, canvas.height / 2, 7, BLACK, bold=True)


@pytest.mark.parametrize("pixels", [100, 400])
def test_a_stamp_equals_drawing_in_place(pixels: int) -> None:
    stamped, drawn = _canvas(pixels), _canvas(pixels)
    for canvas in (stamped, drawn):
        canvas.gradient(0, 0, 100, 100, (10, 200, 90), (250, 0, 30))
    stamped.stamp(_part, 20, 30, 40, 20, RED)
    drawn.rect(20, 30, 40, 20, WHITE, radius=4, alpha=0.5)
    drawn.circle(40, 40, 8, RED)
    drawn.text("8", 40, 40, 7, BLACK, bold=True)
    assert np.abs(stamped.pixels().astype(int) - drawn.pixels()).max() <= 2


def _full(canvas: Canvas) -> None:
    canvas.fill(WHITE)


def _nothing(canvas: Canvas) -> None:
    """Draw nothing."""


@pytest.mark.parametrize("pixels", [97, 128, 131])
def test_stamps_side_by_side_leave_no_gap(pixels: int) -> None:
    canvas = _canvas(pixels)
    side = 100 / 9
    for row in range(9):
        for column in range(9):
            canvas.stamp(_full, column * side, row * side, side, side)
    assert (canvas.pixels() == 255).all()


def test_an_empty_or_vanishing_stamp_changes_nothing() -> None:
    canvas = _canvas()
    canvas.stamp(_nothing, 10, 10, 50, 50)
    canvas.stamp(_full, 10, 10, 0.1, 0.1)
    assert _area(canvas) == 0


def test_a_stamp_belongs_to_its_theme_and_arguments() -> None:
    def picture(color: tuple[int, int, int]) -> NDArray[np.uint8]:
        canvas = _canvas()
        canvas.stamp(_part, 0, 0, 50, 50, color)
        return canvas.pixels()

    assert (picture(RED) == picture(RED)).all()
    assert (picture(RED) != picture(BLACK)).any()
