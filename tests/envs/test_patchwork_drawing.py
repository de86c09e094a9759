"""Patchwork as text and as a picture."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from quiltrail.agents.patchwork import PatchworkGreedy
from quiltrail.envs.patchwork.draw import ansi, completed_units
from quiltrail.envs.patchwork.engine import PatchworkEngine
from quiltrail.envs.patchwork.tables import UNITS
from quiltrail.envs.rendering import rgb_array
from tests.cases.patchwork import (
    place,
)
from tests.envs.patchwork_player import started


def test_the_units_that_a_placement_completes_are_those_it_stitches_away() -> None:
    engine, agent = PatchworkEngine(16), PatchworkGreedy()
    engine.reset(np.arange(16), np.arange(16, dtype=np.uint64))
    for _ in range(60):
        actions = agent.act(engine)
        completed = [completed_units(engine, row, int(actions[row])) for row in range(16)]
        any_placement = [completed_units(engine, row) for row in range(16)]
        assert all(
            set(one) <= set(more) for one, more in zip(completed, any_placement, strict=True)
        )
        before = engine.state["streak"].copy()
        engine.step(actions)
        k = np.array([len(one) for one in completed])
        assert (engine.state["streak"] == np.where(k > 0, before + 1, 0)).all()


def test_text_marks_the_rows_columns_and_blocks_that_one_patch_would_complete() -> None:
    player = started("########.", "##.......", "##.......", tray=("dot", "I2v", None))
    text = ansi(player.engine, 1)
    assert [line.endswith("<") for line in text.splitlines()[2:5]] == [True, False, False]
    assert "^" not in text
    assert "blocks to complete: (0, 0)\n" in text


def test_each_patch_has_the_fabric_of_its_shape_wherever_it_is_drawn() -> None:
    player = started(tray=("dot", "I2h", "I5v"))
    for slot, col in enumerate((0, 2, 5)):
        player.play(place(slot, 3, col))
    text = ansi(player.engine, 1).splitlines()
    assert text[6].startswith("|R.T|T.P|")  # red gingham 0, teal polka dot 1, plum diamond 29
    assert text[7].startswith("|...|..P|")


@pytest.mark.parametrize("size", [64, 128])
def test_a_picture_shows_a_preview_and_what_it_completes(size: int) -> None:
    from quiltrail.envs.patchwork.draw import paint
    from quiltrail.render import raster

    player = started("########.", tray=("dot", "B33", None))
    plain = rgb_array(player.engine, 1)
    assert plain.shape == (512, 512, 3)
    idle, filling = (raster(paint, player.engine, 1, action, size=size) for action in (8 * 9, 8))
    assert (idle != filling).any()


def test_the_units_are_nine_rows_nine_columns_and_nine_blocks() -> None:
    assert len(set(UNITS)) == 27
    squares = Counter(
        (r, c)
        for row, col, rows, cols in UNITS
        for r, c in itertools.product(range(row, row + rows), range(col, col + cols))
    )
    assert set(squares.values()) == {3}
    assert len(squares) == 81
