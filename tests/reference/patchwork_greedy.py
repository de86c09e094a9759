"""The publisher's kind of Patchwork player, slowly: try every placement, look one patch ahead."""

from __future__ import annotations

from typing import Any

from tests.reference.patchwork import PatchworkReference
from tests.reference.patchwork_quilt import SIDE, SQUARES, Cells, Square, covered_squares, sew

SEAM_COST = 1
SINGLE_HOLE_COST = 2


def greedy_action(game: PatchworkReference) -> dict[str, Any]:
    """Return the first action of the highest value; a stuck game is revived.

    Raises:
        ValueError: if the game has ended.
    """
    legal_actions = game.legal_actions()
    if not legal_actions:
        raise ValueError("the game has ended: there is no action to choose")
    if game.phase == "stuck":
        return {"type": "revive"}
    return max(legal_actions, key=lambda action: placement_value(game, action))


def placement_value(game: PatchworkReference, action: dict[str, Any]) -> int:
    """Return the points of a placement less what is awkward about the quilt it leaves."""
    name = game.tray[action["slot"]]
    assert name is not None
    squares = covered_squares(name, action["row"], action["col"])
    after = sew(game.quilt, squares, game.streak)
    awkward = SEAM_COST * seams(after.quilt) + SINGLE_HOLE_COST * single_holes(after.quilt)
    return after.points - awkward


def seams(quilt: Cells) -> int:
    """Count the neighbouring pairs of one filled and one empty square; the rim has none."""
    return sum(
        neighbour not in quilt for square in quilt for neighbour in _neighbours_on_quilt(square)
    )


def single_holes(quilt: Cells) -> int:
    """Count the empty squares with no empty neighbour."""
    return sum(
        all(neighbour in quilt for neighbour in _neighbours_on_quilt(square))
        for square in SQUARES
        if square not in quilt
    )


def _neighbours_on_quilt(square: Square) -> list[Square]:
    row, col = square
    around = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
    return [(r, c) for r, c in around if 0 <= r < SIDE and 0 <= c < SIDE]
