"""Hands at the tables: keys, taps and drags do what the rules call them."""

from __future__ import annotations

import numpy as np
import pytest

from quiltrail.core.errors import OptionError
from quiltrail.envs import GAMES, GameSpec
from quiltrail.envs.patchwork import draw as patchwork_draw
from quiltrail.envs.patchwork.rules import SHAPES, SIDE
from quiltrail.envs.patchwork.tables import BOXES
from quiltrail.play.patchrook_table import PatchrookTable
from quiltrail.play.patchwork_table import PatchworkTable
from quiltrail.play.session import Session
from quiltrail.play.sunpleat_table import SunpleatTable
from quiltrail.play.table import has_table, make_table
from quiltrail.play.tinrail_table import TinrailTable
from quiltrail.render import DARK, LIGHT, raster

each_table = pytest.mark.parametrize(
    "spec", [*filter(has_table, GAMES)], ids=lambda spec: spec.name
)
KEYS = ["1", "2", "3", "r", "f", "left", "up", "right", "down", "return", "l", "n", "x", "escape"]


@each_table
def test_any_keys_and_points_leave_a_position_that_can_be_drawn(spec: GameSpec) -> None:
    table, rng = make_table(Session(spec.id, 4)), np.random.default_rng(0)
    for _ in range(60):
        x, y = rng.uniform(0, 100, 2)
        [table.down, table.move, table.up][rng.integers(3)](x, y)
        table.press(KEYS[rng.integers(len(KEYS))])
    for theme in (LIGHT, DARK):
        assert raster(table.paint, size=64, theme=theme).std() > 10


# Patchwork. Seed 3 deals, in this order, the shapes that the test names.


def _patchwork(seed: int = 3) -> PatchworkTable:
    return PatchworkTable(Session("patchwork", seed))


def _center(row: int, col: int) -> tuple[float, float]:
    """Return a point that lies on a square; found by asking."""
    grid = [(x / 4, y / 4) for x in range(400) for y in range(400)]
    inside = [point for point in grid if patchwork_draw.square_at(*point) == (row, col)]
    return inside[len(inside) // 2]


def _in_well(slot: int) -> tuple[float, float]:
    grid = [(80.0, y / 2) for y in range(200)]
    inside = [point for point in grid if patchwork_draw.slot_at(*point) == slot]
    return inside[len(inside) // 2]


def _sewn(table: PatchworkTable) -> set[tuple[int, int]]:
    rows = table.session.engine.view(0)["quilt"]
    return {(r, c) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark == "#"}


@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_a_tap_on_the_quilt_places_the_middle_of_the_patch(shape: int) -> None:
    table = _patchwork()
    table.session.engine.state["tray"][0, 0] = shape
    table.session.engine._settle(np.array([0]))
    height, width = BOXES[shape].tolist()
    table.down(*_in_well(0))
    table.up(*_in_well(0))
    table.down(*_center(4, 4))
    played = table.session.action_of(table.session.record.actions[0])
    upper, left = 4 - (height - 1) // 2, 4 - (width - 1) // 2
    assert played == {"type": "place", "slot": 0, "row": upper, "col": left}


def test_a_patch_is_sewn_by_a_drag_and_put_back_by_one_to_nowhere() -> None:
    table = _patchwork()
    table.down(*_in_well(1))
    table.move(50, 95)
    table.up(50, 95)
    assert table.slot is None
    assert not _sewn(table)
    table.down(*_in_well(1))
    table.move(*_center(2, 2))
    assert table.anchor is not None
    table.up(*_center(2, 2))
    assert _sewn(table)
    assert table.session.engine.view(0)["tray"][1] is None


def test_keys_pick_move_sew_and_put_back() -> None:
    table = _patchwork()
    table.press("1")
    assert table.anchor is not None
    for _ in range(2 * SIDE):
        table.press("left")
        table.press("up")
    assert table.anchor == (0, 0)
    table.press("escape")
    assert table.slot is None
    table.press("1")
    table.press("return")
    assert table.session.record.actions
    assert table.message.endswith("points")


def test_a_held_patch_is_tinted_and_what_it_completes_outlined() -> None:
    table = _patchwork()
    before = raster(table.paint, size=128, theme=LIGHT)
    table.press("1")
    assert (raster(table.paint, size=128, theme=LIGHT) != before).any()


def test_a_patch_over_another_is_refused_with_a_reason() -> None:
    table = _patchwork()
    for slot in ("1", "2"):
        table.press(slot)
        table.press("return")
    assert "covered already" in table.message
    assert len(table.session.record.actions) == 1


# Patchrook. The lesson: A is the bar of three squares.


def _patchrook() -> PatchrookTable:
    return PatchrookTable(Session("patchrook", 1))


def test_the_lesson_example_is_placed_by_keys() -> None:
    table = _patchrook()
    table.press("1")
    view = table.session.engine.view(0)
    label = table.label
    assert label == view["trayOrder"][0]
    orientations = view["patches"][label]["orientations"]
    seen = {table.orientation}
    for _ in range(4):
        table.press("r")
        seen.add(table.orientation)
    assert len(seen) == len(orientations)
    table.press("return")
    assert label in table.session.engine.view(0)["placements"]


def test_a_flip_twice_and_four_turns_change_nothing() -> None:
    table = PatchrookTable(Session("patchrook", 1, start={"quilt": 8}))
    for slot in range(6):
        table.press(str(slot + 1))
        first = table.orientation
        for key in "ffrrrr":
            table.press(key)
        assert table.orientation == first


def test_a_tap_lifts_a_placed_patch_and_l_the_one_under_the_button() -> None:
    table = _patchrook()
    for lift in (lambda: table.press("l"), lambda: table.down(*_on_board(table, *table.at))):
        table.press("1")
        table.press("return")
        assert table.session.engine.view(0)["placements"]
        lift()
        assert not table.session.engine.view(0)["placements"]


def _on_board(table: PatchrookTable, x: int, y: int) -> tuple[float, float]:
    from quiltrail.envs.patchrook.draw import square_at

    view = table.session.engine.view(0)
    grid = [(px / 2, py / 2) for px in range(200) for py in range(200)]
    inside = [point for point in grid if square_at(view, *point) == (x, y)]
    return inside[len(inside) // 2]


def test_banking_asks_once() -> None:
    table = _patchrook()
    table.press("b")
    assert not table.session.over
    assert table.message == "press B again to bank"
    table.press("b")
    assert table.session.over


# Sunpleat. Template 1 is -2 -1 +3: one flip of two solves it.


def test_choosing_pennants_is_free_and_enter_flips() -> None:
    table = SunpleatTable(Session("sunpleat"))
    before = raster(table.paint, size=128, theme=LIGHT)
    table.press("2")
    assert (raster(table.paint, size=128, theme=LIGHT) != before).any()
    assert table.session.engine.view(0)["turn"] == 0
    table.press("return")
    assert table.session.score == 215
    table.press("n")
    assert table.session.engine.view(0)["boardNumber"] == 2


def test_a_tap_flips_up_to_the_pennant() -> None:
    from quiltrail.envs.sunpleat.draw import place_at

    table = SunpleatTable(Session("sunpleat"))
    point = next((x, 35.0) for x in range(100) if place_at(3, x, 35.0) == 1)
    table.move(*point)
    assert table.count == 2
    table.down(*point)
    assert table.session.score == 215


def test_a_restart_asks_because_it_costs_a_leaf() -> None:
    table = SunpleatTable(Session("sunpleat"))
    table.press("x")
    table.press("1")
    table.press("x")
    assert table.session.engine.view(0)["leaves"] == 3
    table.press("x")
    assert table.session.engine.view(0)["leaves"] == 2


def test_a_tile_is_picked_turned_and_laid_by_keys() -> None:
    table = TinrailTable(Session("tinrail", 5, {"opponent": "easy"}))
    table.press("2")
    table.press("r")
    table.press("left")
    table.press("left")
    assert (table.place, table.rotation) == (1, 3)
    table.press("return")
    assert table.session.record.actions == [7]


def test_a_tile_is_picked_turned_and_laid_by_taps() -> None:
    from quiltrail.envs.tinrail.draw import cell_at, hand_place_at

    table = TinrailTable(Session("tinrail", 5))
    tile = next((85.0, float(y)) for y in range(100) if hand_place_at(85.0, y) == 2)
    table.down(*tile)
    table.down(*tile)
    elsewhere = next((x, y) for x in range(80) for y in range(80) if cell_at(x, y) == 0)
    table.down(*elsewhere)
    assert not table.session.record.actions
    faced = next((x, y) for x in range(80) for y in range(90) if cell_at(x, y) == 32)
    table.down(*faced)
    assert table.session.record.actions == [9]


def test_enter_after_the_end_starts_the_next_seed() -> None:
    table = SunpleatTable(Session("sunpleat", 8))
    table.press("b")
    table.press("b")
    table.press("return")
    assert not table.session.over
    assert table.session.seed == 9


def test_a_game_without_a_table_names_the_terminal() -> None:
    session = Session("sunpleat")
    session.spec = GameSpec("Other", "quiltrail.envs.other", 1)
    with pytest.raises(OptionError, match="--text"):
        make_table(session)
