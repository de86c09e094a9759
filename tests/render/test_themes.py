"""Themes: readable text, and colours that everybody can tell apart."""

from __future__ import annotations

import pytest

from quiltrail.core.errors import OptionError
from quiltrail.render import DARK, LIGHT, THEMES, Color, Fabric, Theme, mix, theme_named
from quiltrail.render.themes import contrast
from tests.render.color_vision import VISIONS, least_distance

READABLE = 4.5  # WCAG AA for text
VISIBLE = 3.0  # WCAG AA for graphics

both_themes = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
all_visions = pytest.mark.parametrize("vision", VISIONS)


def _main_color(fabric: Fabric) -> Color:
    return fabric.thread if fabric.pattern == "gingham" else fabric.cloth


def test_black_on_white_has_the_greatest_contrast() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((9, 99, 199), (9, 99, 199)) == 1


@both_themes
def test_text_is_readable_on_every_ground(theme: Theme) -> None:
    for ground in (theme.page, theme.panel):
        assert contrast(theme.ink, ground) >= 7
        assert contrast(theme.muted, ground) >= READABLE
    for ground in (*theme.sky, theme.well):
        assert contrast(theme.ink, ground) >= 7
    for ground in (theme.good, theme.bad, theme.ink):
        assert contrast(theme.panel, ground) >= READABLE


@both_themes
def test_states_and_players_stand_out_from_the_board(theme: Theme) -> None:
    for color in (theme.good, theme.bad, *theme.players, theme.rail):
        assert contrast(color, theme.panel) >= VISIBLE


@both_themes
@all_visions
def test_everybody_tells_fabrics_players_and_states_apart(theme: Theme, vision: str) -> None:
    assert least_distance([_main_color(one) for one in theme.fabrics], vision) >= 20
    assert least_distance(theme.players, vision) >= 60
    assert least_distance([theme.good, theme.bad], vision) >= 25
    assert least_distance([theme.sun, theme.moon], vision) >= 60


@both_themes
def test_the_six_fabrics_have_six_patterns(theme: Theme) -> None:
    patterns = [fabric.pattern for fabric in theme.fabrics]
    assert patterns == ["gingham", "dots", "stripes", "cross-stitch", "floral", "diamond"]


def test_a_theme_is_found_by_name() -> None:
    assert theme_named("dark") is DARK
    assert sorted(THEMES) == ["dark", "light"]


def test_an_unknown_theme_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(OptionError, match=r"'drak'.*did you mean dark.*dark, light"):
        theme_named("drak")


def test_mixing_goes_from_one_colour_to_the_other() -> None:
    assert mix((0, 100, 200), (100, 200, 0), 0.5) == (50, 150, 100)
    assert mix((1, 2, 3), (9, 9, 9), 0.0) == (1, 2, 3)
