"""Tinrail as text and as a picture."""

from __future__ import annotations

import numpy as np
import pytest

from quiltrail.agents.tinrail import WiseBot
from quiltrail.envs.rendering import Look, ansi, rgb_array
from quiltrail.envs.tinrail.draw import track_curve
from quiltrail.envs.tinrail.engine import TinrailEngine
from quiltrail.render import LIGHT

EDGES = {0: (0, -1), 1: (1, 0), 2: (0, 1), 3: (-1, 0)}  # outward directions


def played(placements: int, seed: int = 7) -> TinrailEngine:
    engine = TinrailEngine(1)
    engine.reset(np.array([0]), np.array([seed], np.uint64))
    for _ in range(placements):
        engine.step(WiseBot().act(engine))
    return engine


def test_text_joins_ports_by_letters_and_shows_both_engines() -> None:
    engine = TinrailEngine(1)
    engine.reset(np.array([0]), np.array([7], np.uint64))
    engine.step(np.array([0]))  # tile 19 upright: strands 02 16 34 57
    text = ansi(engine, 0)
    assert text.startswith("placed 1  pile 28  survived 1 and 1  second player to move\n")
    bottom = text.splitlines()[-8:-4]
    #  cell 32: ports 0 and 1 on top, 2 and 3 right, 4 and 5 below, 6 and 7 left
    assert [line.split("|")[3] for line in bottom] == [" a b ", "d   a", "b   c", " d c "]
    assert [line.split("|")[4] for line in bottom] == [" " * 5, " " * 5, "1    ", " " * 5]
    assert text.splitlines()[2].split("|")[4] == " 2   "
    hand = text.splitlines()[-3]
    assert hand.startswith("tile 0  rotation 0: ")


def test_text_of_a_finished_match_says_who_has_won() -> None:
    engine = TinrailEngine(1)
    engine.reset(np.array([0]), np.array([161132], np.uint64))
    engine.step(np.array([3 if engine.state["hands"][0, 0, 0] == 0 else 7]))
    while not engine.terminated[0]:
        engine.step(WiseBot().act(engine))
    assert "ended: " in ansi(engine, 0)
    assert "tile 0" not in ansi(engine, 0)


@pytest.mark.parametrize("a", range(8))
def test_tracks_leave_their_ports_at_a_right_angle_and_stay_in_the_cell(a: int) -> None:
    for b in range(8):
        if a == b:
            continue
        points = np.array(track_curve(a, b))
        assert ((points >= -1e-9) & (points <= 1 + 1e-9)).all()
        for port, rim, next_point in ((a, points[0], points[1]), (b, points[-1], points[-2])):
            outward = np.array(EDGES[port // 2])
            along = (next_point - rim) / np.hypot(*(next_point - rim))
            np.testing.assert_allclose(along, -outward, atol=1e-9)
            assert np.isclose(rim[0], 0 if outward[0] < 0 else 1) or outward[0] == 0
        backwards = np.array(track_curve(b, a))[::-1]
        np.testing.assert_allclose(points, backwards, atol=1e-9)


def test_tracks_of_neighbouring_cells_meet() -> None:
    for port, partner in enumerate((5, 4, 7, 6, 1, 0, 3, 2)):
        step = np.array(EDGES[port // 2])
        here = np.array(track_curve(port, (port + 1) % 8)[0])
        there = np.array(track_curve(partner, (partner + 1) % 8)[0]) + step
        np.testing.assert_allclose(here, there, atol=1e-9)


def has_color(picture: np.ndarray, color: tuple[int, int, int], least: int = 20) -> bool:
    return int((np.abs(picture.astype(int) - color).max(axis=2) <= 6).sum()) >= least


def test_pictures_show_engines_in_two_colours_and_the_last_ride() -> None:
    first, second = (np.array(color) for color in LIGHT.players)
    start = rgb_array(played(0), 0, Look(256))
    assert has_color(start, tuple(first))
    assert has_color(start, tuple(second))
    one, two = rgb_array(played(4), 0, Look(256)), rgb_array(played(5), 0, Look(256))
    for picture, rider in ((one, second), (two, first)):
        inside = picture[35:205, 12:180]
        other = first if rider is second else second
        shares = [
            (np.abs(inside.astype(int) - color).max(axis=2) <= 6).sum() for color in (rider, other)
        ]
        assert shares[0] > 1.5 * shares[1]


@pytest.mark.parametrize("placements", [0, 1, 12, 27, 40])
def test_every_phase_can_be_drawn(placements: int) -> None:
    for theme in ("light", "dark"):
        picture = rgb_array(played(placements), 0, Look(96, theme))
        assert picture.shape == (96, 96, 3)
        assert picture.dtype == np.uint8
        assert picture.std() > 20
