"""What holds in every state of a batch, whatever was played: independent, vectorised numpy.

Each check takes a batch's state before a step and the engine after it and returns the rows (of
those that played on) for which an identity fails, by the identity's name. The checks use the rules'
constants and published tables, never the kernels or bitboards they judge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import StateArray
from quiltrail.core.engine import Engine
from quiltrail.envs.patchrook import rules as patchrook
from quiltrail.envs.patchrook.shapes import ORIENTATIONS, covered_cells
from quiltrail.envs.patchwork import rules as patchwork
from quiltrail.envs.sunpleat import rules as sunpleat
from quiltrail.envs.tinrail import rules as tinrail

Rows = NDArray[np.int64]
#: (state before, engine after, flat actions, rows that played on) -> broken rows by identity.
Check = Callable[[StateArray, Engine, NDArray[np.int64], Rows], dict[str, Rows]]


def _broken(rows: Rows, **holds: NDArray[np.bool_]) -> dict[str, Rows]:
    return {name: rows[~good] for name, good in holds.items()}


def _bits(words: NDArray[Any], count: int) -> NDArray[np.bool_]:
    """Return the lowest bits of words (N,) as (N, count)."""
    shifts = np.arange(count, dtype=np.uint64)
    return (words.astype(np.uint64)[:, None] >> shifts & np.uint64(1)).astype(np.bool_)


def _patchrook_footprints() -> NDArray[np.int64]:
    """Return (20, 200, 25) 0/1: the squares a placement of a shape covers."""
    table = np.zeros((len(ORIENTATIONS), patchrook.NUM_PLACES, patchrook.NUM_SQUARES), np.int64)
    size = patchrook.BOARD_SIZE
    for shape, orientations in enumerate(ORIENTATIONS):
        for place in range(patchrook.NUM_SQUARES * len(orientations)):
            orientation, square = divmod(place, patchrook.NUM_SQUARES)
            y, x = divmod(square, size)
            for cell_x, cell_y in covered_cells(orientations[orientation], x, y):
                if 0 <= cell_x < size and 0 <= cell_y < size:
                    table[shape, place, size * cell_y + cell_x] = 1
    return table


def _patchwork_footprints() -> NDArray[np.bool_]:
    """Return (37, 81, 81): the squares a shape covers with its box's corner on a square."""
    table = np.zeros((patchwork.NUM_SHAPES, patchwork.SQUARES, patchwork.SQUARES), np.bool_)
    side = patchwork.SIDE
    for shape in range(patchwork.NUM_SHAPES):
        for anchor in range(patchwork.SQUARES):
            row, column = divmod(anchor, side)
            for r, c in patchwork.cells_of(shape):
                if row + r < side and column + c < side:
                    table[shape, anchor, side * (row + r) + column + c] = True
    return table


_PATCHROOK_FOOTPRINTS = _patchrook_footprints()
_PATCHWORK_FOOTPRINTS = _patchwork_footprints()
_PATCHROOK_AREAS = _PATCHROOK_FOOTPRINTS.sum(axis=2).max(axis=1)


def _check_patchrook(
    before: StateArray, engine: Engine, actions: NDArray[np.int64], rows: Rows
) -> dict[str, Rows]:
    """Patches cover each usable square once at most; a full quilt pays its award, once."""
    was, now = before[rows], engine.state[rows]
    usable = _bits(now["usable"], patchrook.NUM_SQUARES)
    squares = usable.sum(axis=1)
    areas = _PATCHROOK_AREAS[now["shape"]].sum(axis=1)
    on_board = now["placed"] != patchrook.IN_TRAY
    covered = (_PATCHROOK_FOOTPRINTS[now["shape"], now["placed"]] * on_board[..., None]).sum(axis=1)
    full = covered.sum(axis=1) == squares
    award = (
        patchrook.AWARD_BASE
        + patchrook.AWARD_PER_SQUARE * squares
        + patchrook.AWARD_PER_PATCH * now["num_patches"].astype(np.int64)
    )
    completed = full & (was["phase"] == patchrook.PLAYING) & (now["turn"] > was["turn"])
    completed &= actions[rows] < patchrook.LIFT
    return _broken(
        rows,
        patches_have_the_quilts_area=areas == squares,
        squares_are_covered_once=(covered <= usable).all(axis=1),
        full_means_not_playing=full == (now["last_points"] > 0),
        award_is_paid=now["score"] - was["score"] == award * completed,
    )


def _check_patchwork(
    before: StateArray, engine: Engine, actions: NDArray[np.int64], rows: Rows
) -> dict[str, Rows]:
    """The quilt after a patch is the quilt before, the patch, less the full units; points fit."""
    rows = rows[(engine.refusal[rows] == 0) & (actions[rows] < patchwork.REVIVE)]
    was, now = before[rows], engine.state[rows]
    slots, anchors = np.divmod(actions[rows], patchwork.SQUARES)
    shapes = was["tray"][np.arange(len(rows)), slots]
    patch = _PATCHWORK_FOOTPRINTS[shapes, anchors]
    quilt = _patchwork_squares(was)
    sewn = (quilt | patch).reshape(-1, patchwork.SIDE, patchwork.SIDE)
    units, gone = _full_units(sewn)
    left = (sewn & ~gone).reshape(len(rows), -1)
    streak = was["streak"]
    points = patch.sum(axis=1) + patchwork.UNIT_POINTS * units**2
    points = points + patchwork.COMBO_POINTS * streak * units
    return _broken(
        rows,
        patches_lie_on_empty_squares=~(quilt & patch).any(axis=1),
        area_is_before_plus_patch_less_units=(left == _patchwork_squares(now)).all(axis=1),
        points_are_the_formulas=now["score"] - was["score"] == points,
        streak_counts=now["streak"] == np.where(units > 0, streak + 1, 0),
        one_more_is_sewn=now["sewn"] == was["sewn"] + 1,
    )


def _patchwork_squares(state: StateArray) -> NDArray[np.bool_]:
    top, bottom = state["quilt"][:, 0], state["quilt"][:, 1]
    top_squares = 5 * patchwork.SIDE  # word 0 holds rows 0 to 4
    return np.hstack([_bits(top, top_squares), _bits(bottom, patchwork.SQUARES - top_squares)])


def _full_units(quilt: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return how many rows, columns and blocks of (N, 9, 9) are full, and their squares."""
    side, block = patchwork.SIDE, patchwork.BLOCK_SIDE
    rows, columns = np.asarray(quilt.all(axis=2)), np.asarray(quilt.all(axis=1))
    blocks = quilt.reshape(-1, block, block, block, block).all(axis=(2, 4))
    gone = rows[:, :, None] | columns[:, None, :]
    gone = gone | np.repeat(np.repeat(blocks, block, axis=1), block, axis=2)
    count = rows.sum(axis=1) + columns.sum(axis=1) + blocks.reshape(len(quilt), side).sum(axis=1)
    return count, gone


def _check_sunpleat(
    before: StateArray, engine: Engine, actions: NDArray[np.int64], rows: Rows
) -> dict[str, Rows]:
    """A garland is a signed permutation that a flip turns as told; a clear pays its award."""
    was, now = before[rows], engine.state[rows]
    places = np.arange(now["garland"].shape[1])
    n = now["n"][:, None]
    wanted = np.where(places < n, places + 1, 0)
    sizes = np.sort(np.where(places < n, np.abs(now["garland"]), places + 100), axis=1)
    sizes = np.where(places < n, sizes, 0)
    budget = now["par"] + engine.source.spare_moves  # type: ignore[attr-defined]
    award = sunpleat.AWARD_BASE + sunpleat.AWARD_PER_PENNANT * now["n"]
    award = award + sunpleat.AWARD_PER_MOVE_LEFT * (budget - now["moves_used"])
    flipped = (engine.refusal[rows] == 0) & (actions[rows] < len(places))
    on_target = (now["garland"] == wanted).all(axis=1)
    expected = _flipped(was["garland"], actions[rows] + 1)
    return _broken(
        rows,
        garland_is_a_permutation=(sizes == wanted).all(axis=1),
        nothing_hangs_behind_it=(np.where(places < n, 0, now["garland"]) == 0).all(axis=1),
        flips_turn_the_prefix=~flipped | (now["garland"] == expected).all(axis=1),
        moves_are_within_the_budget=(now["moves_used"] >= 0) & (now["moves_used"] <= budget),
        award_is_paid=now["score"] - was["score"] == award * (flipped & on_target),
    )


def _flipped(garlands: NDArray[np.int8], counts: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return garlands (N, P) with the first ``counts`` entries reversed and negated."""
    places = np.arange(garlands.shape[1])
    counts = np.minimum(counts, garlands.shape[1])[:, None]
    source = np.where(places < counts, counts - 1 - places, places)
    moved = np.take_along_axis(garlands, source, axis=1)
    return np.where(places < counts, -moved, moved)


def _check_tinrail(
    before: StateArray, engine: Engine, actions: NDArray[np.int64], rows: Rows
) -> dict[str, Rows]:
    """Each of the 35 tiles is in one place; turns are tiles laid; the score is the formula's."""
    now = engine.state[rows]
    laid = now["table"] != tinrail.EMPTY
    on_table = np.where(laid, now["table"] // tinrail.NUM_ROTATIONS, tinrail.EMPTY)
    held = [on_table, now["hands"].reshape(len(rows), -1), now["pile"]]
    tiles = np.sort(np.hstack(held), axis=1)[:, -tinrail.NUM_TILES :]
    count = sum((part != tinrail.EMPTY).sum(axis=1) for part in held)
    off = now["notches"][:, 0] == tinrail.OFF
    survived = now["turn"] - off
    points = np.select(
        [now["result"] == tinrail.WIN_FIRST, now["result"] == tinrail.WIN_SECOND],
        [tinrail.WIN_BASE + tinrail.WIN_PER_TILE * survived, tinrail.LOSS_PER_TILE * survived],
        tinrail.DRAW_BASE + tinrail.DRAW_PER_TILE * survived,
    )
    running = now["result"] == tinrail.UNDECIDED
    return _broken(
        rows,
        each_tile_is_in_one_place=(tiles == np.arange(tinrail.NUM_TILES)).all(axis=1),
        tiles_are_thirty_five=count == tinrail.NUM_TILES,
        turns_are_tiles_laid=laid.sum(axis=1) == now["turn"],
        score_is_the_formulas=now["score"] == np.where(running, 0, points),
    )


def check_mask(engine: Engine) -> bool:
    """Return whether masks are the legal sets, bit by bit, and all ones after the end."""
    octets = engine.legal.astype("<u8").view(np.uint8)
    legal = np.unpackbits(octets, axis=1, bitorder="little")[:, : engine.num_actions]
    ended = np.asarray(~legal.any(axis=1))
    same = (engine.mask == (legal | ended[:, None])).all()
    return bool(same and (engine.terminated == ended).all())


#: Folder of a game -> its check.
CHECKS: dict[str, Check] = {
    "patchrook": _check_patchrook,
    "patchwork": _check_patchwork,
    "sunpleat": _check_sunpleat,
    "tinrail": _check_tinrail,
}
