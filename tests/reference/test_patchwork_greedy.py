"""The publisher's kind of Patchwork player, counted by hand."""

from __future__ import annotations

import pytest

from tests.cases.patchwork import (
    NARROW_QUILT,
    case_named,
    place,
    top_rows,
)
from tests.reference.patchwork import PatchworkReference, Position
from tests.reference.patchwork_greedy import greedy_action, placement_value, seams, single_holes
from tests.reference.patchwork_quilt import filled_squares


def test_seams_and_single_holes_are_counted_by_hand() -> None:
    assert seams(filled_squares(["#"])) == 2
    assert seams(filled_squares([".#."])) == 3
    assert seams(filled_squares(["##", "##"])) == 4
    assert single_holes(filled_squares([".#", "#."])) == 1
    assert single_holes(filled_squares([".#.", "#.#", ".#."])) == 2
    assert single_holes(filled_squares(["..#", "##."])) == 0


def test_the_checkerboard_has_the_holes_of_its_case() -> None:
    case = case_named("23_over_checkerboard")
    assert single_holes(filled_squares(case["board"])) == case["expect"]["single_holes"]


def test_a_placement_is_worth_its_points_less_the_seams_and_holes_it_leaves() -> None:
    quilt = top_rows(
        "######...",
        "#........",
        ".#.......",
    )
    game = PatchworkReference.from_position(Position(quilt, ("I3h", "dot", None), streak=1))
    # Row 0 goes for 3 + 20 + 10; the two squares left have three seams and four.
    assert placement_value(game, place(0, 0, 6)) == 33 - (3 + 4)
    # Row 0 is seven long: six seams below and one at its end; then (1, 0) and (2, 1).
    assert placement_value(game, place(1, 0, 6)) == 1 - (6 + 1 + 2 + 4)
    # The patch at (1, 2) has three seams, row 0 four and one, and (1, 1) is boxed in.
    assert placement_value(game, place(1, 1, 2)) == 1 - (4 + 1 + 2 + 4 + 3) - 2
    assert greedy_action(game) == place(0, 0, 6)


def test_greedy_plays_the_first_of_equally_good_placements() -> None:
    game = PatchworkReference.from_position(Position(tray=(None, "dot", "dot")))
    assert greedy_action(game) == place(1, 0, 0)


def test_greedy_revives_a_stuck_game_and_has_no_move_after_the_end() -> None:
    stuck = Position(NARROW_QUILT, ("I3v", None, "c3_nw"), revive=True)
    game = PatchworkReference.from_position(stuck)
    assert greedy_action(game) == {"type": "revive"}
    game.play({"type": "finish"})
    with pytest.raises(ValueError, match="ended"):
        greedy_action(game)


@pytest.mark.parametrize("seed", range(3))
def test_greedy_lives_far_longer_than_random_play(seed: int) -> None:
    game = PatchworkReference(seed)
    while not game.ended and game.sewn < 100:
        assert game.play(greedy_action(game)) == "accepted"
    assert game.sewn == 100
    assert game.score > 500
