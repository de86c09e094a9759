"""Exact answers about Patchrook positions: covers, solvability, the way to a clear.

The search fills the lowest empty square, which has to be the button of whatever covers it once all
squares below are filled; so it meets each cover exactly once. A position is a word of empty squares
(bit 5 * y + x), a word of the patches in the tray (bit 0 is A) and the shape ids of A to F. The
squares of the patches in the tray are as many as the empty ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Record, StateArray
from quiltrail.core.bitboard import lowest_bit, popcount
from quiltrail.core.engine import Engine
from quiltrail.core.jit import compiled
from quiltrail.envs.patchrook.position import covered_by, empty_squares, tray_bits
from quiltrail.envs.patchrook.rules import (
    CLEARED,
    ENDED,
    IN_TRAY,
    LIFT,
    MAX_ORIENTATIONS,
    MAX_PATCHES,
    NEXT,
    NUM_PLACES,
    NUM_SQUARES,
    RESTART,
)
from quiltrail.envs.patchrook.shapes import COVERED, ORIENTATION_COUNTS

_ONE = np.uint64(1)
_NUM_FITS = MAX_PATCHES * MAX_ORIENTATIONS
_ROOT = 1  # an empty path: six digits behind it stay below 2**63
_NO_LIFTS_HELP = -1
_FIRST_ROOM = 64  # covers; most quilts have fewer


def _sets_by_size() -> NDArray[np.uint64]:
    """Return every set of patches as bits, the smaller ones first."""
    return np.array(sorted(range(1 << MAX_PATCHES), key=int.bit_count), np.uint64)


_PATCH_SETS = _sets_by_size()


@compiled
def _next_fit(
    empty: np.uint64, tray: np.uint64, shapes: NDArray[np.int8], square: int, first: int
) -> int:
    """Return the first patch and orientation, from ``first`` on, that fits with its button there.

    They are numbered 8 * patch + orientation; `_NUM_FITS` is none.
    """
    for patch in range(first // MAX_ORIENTATIONS, MAX_PATCHES):
        if tray >> np.uint64(patch) & _ONE:
            shape = shapes[patch]
            skipped = max(first - MAX_ORIENTATIONS * patch, 0)
            for orientation in range(skipped, ORIENTATION_COUNTS[shape]):
                squares = np.uint64(COVERED[shape, NUM_SQUARES * orientation + square])
                if squares != 0 and squares & ~empty == 0:
                    return MAX_ORIENTATIONS * patch + orientation
    return _NUM_FITS


@compiled
def search(
    empty: np.uint64, tray: np.uint64, shapes: NDArray[np.int8], covers: NDArray[np.int16]
) -> int:
    """Write covers into ``covers`` (N, 6) until it is full or there are no more; count them.

    A row gets a placement for each patch in the tray. Its other entries are those of row 0 at the
    start. The walk is a loop, because numba crashes on cached kernels that call themselves.
    """
    if empty == 0:
        return 1
    found = 0
    path = _ROOT  # the fits laid so far, the last in the lowest digit
    fit, square = 0, lowest_bit(empty)
    while True:
        fit = _next_fit(empty, tray, shapes, square, fit)
        is_laid = fit < _NUM_FITS
        if is_laid:
            covers[found, fit // MAX_ORIENTATIONS] = NUM_SQUARES * (fit % MAX_ORIENTATIONS) + square
            path = _NUM_FITS * path + fit
        elif path == _ROOT:
            return found
        else:
            path, fit = path // _NUM_FITS, path % _NUM_FITS
        patch = fit // MAX_ORIENTATIONS
        empty ^= np.uint64(COVERED[shapes[patch], covers[found, patch]])
        tray ^= _ONE << np.uint64(patch)
        if not is_laid:
            fit, square = fit + 1, covers[found, patch] % NUM_SQUARES
            continue
        if empty == 0:
            found += 1
            if found == covers.shape[0]:
                return found
            covers[found] = covers[found - 1]
        fit, square = 0, lowest_bit(empty) if empty != 0 else 0


@compiled
def _can_clear(game: Record, lifted: np.uint64, covers: NDArray[np.int16]) -> bool:
    """Return whether a cover keeps all placed patches but the lifted ones; write it into (1, 6)."""
    empty = empty_squares(game)
    for patch in range(MAX_PATCHES):
        covers[0, patch] = game["placed"][patch]
        if lifted >> np.uint64(patch) & _ONE:
            empty |= covered_by(game, patch)
    return search(empty, tray_bits(game) | lifted, game["shape"], covers) > 0


@compiled
def _placed_bits(game: Record) -> np.uint64:
    """Return the patches on the quilt, bit 0 for A."""
    everything = (_ONE << np.uint64(game["num_patches"])) - _ONE
    return everything ^ tray_bits(game)


@compiled
def _fewest_lifts(game: Record, covers: NDArray[np.int16]) -> int:
    """Return the smallest set of patches to lift so that the rest extends to a cover, as bits.

    It is `_NO_LIFTS_HELP` where a restart takes fewer actions. Lifting m of n placed patches of p
    and laying them again takes p - n + 2 m actions, a restart p + 1.
    """
    placed = _placed_bits(game)
    count = popcount(placed)
    for lifted in _PATCH_SETS:
        if 2 * popcount(lifted) > count + 1:
            break
        if lifted & ~placed == 0 and _can_clear(game, lifted, covers):
            return int(np.int64(lifted))
    return _NO_LIFTS_HELP


@compiled
def _actions_to_clear(game: Record, covers: NDArray[np.int16]) -> int:
    if game["phase"] == CLEARED or game["phase"] == ENDED:
        return 0
    lifted = _fewest_lifts(game, covers)
    if lifted == _NO_LIFTS_HELP:
        return int(game["num_patches"]) + 1
    return popcount(tray_bits(game)) + 2 * popcount(np.uint64(lifted))


@compiled
def _best_action(game: Record, covers: NDArray[np.int16]) -> int:
    if game["phase"] == ENDED:
        return 0
    if game["phase"] == CLEARED:
        return NEXT
    lifted = _fewest_lifts(game, covers)
    if lifted == _NO_LIFTS_HELP:
        return RESTART
    if lifted != 0:
        return LIFT + lowest_bit(np.uint64(lifted))
    square = lowest_bit(empty_squares(game))
    tray = tray_bits(game)
    for patch in range(MAX_PATCHES):
        if tray >> np.uint64(patch) & _ONE and covers[0, patch] % NUM_SQUARES == square:
            return int(NUM_PLACES * patch + covers[0, patch])
    return RESTART  # not reached: some patch of a cover has its button there


@compiled
def _find_solvable(state: StateArray, found: NDArray[np.bool_]) -> None:
    covers = np.empty((1, MAX_PATCHES), np.int16)
    for row in range(state.shape[0]):
        is_running = state[row]["phase"] != ENDED
        found[row] = is_running and _can_clear(state[row], np.uint64(0), covers)


@compiled
def _find_actions_to_clear(state: StateArray, found: NDArray[np.int64]) -> None:
    covers = np.empty((1, MAX_PATCHES), np.int16)
    for row in range(state.shape[0]):
        found[row] = _actions_to_clear(state[row], covers)


@compiled
def _find_best_actions(state: StateArray, found: NDArray[np.int64]) -> None:
    covers = np.empty((1, MAX_PATCHES), np.int16)
    for row in range(state.shape[0]):
        found[row] = _best_action(state[row], covers)


@compiled
def _find_first_covers(state: StateArray, found: NDArray[np.int16]) -> None:
    for row in range(state.shape[0]):
        if not _can_clear(state[row], np.uint64(0), found[row : row + 1]):
            found[row, :] = IN_TRAY


@compiled
def _find_covers(game: Record, covers: NDArray[np.int16]) -> int:
    covers[0] = game["placed"]
    return search(empty_squares(game), tray_bits(game), game["shape"], covers)


def solvable(engine: Engine) -> NDArray[np.bool_]:
    """Return for every game whether some cover keeps all placed patches, (B,) bool.

    A cleared quilt is solvable; nothing is once the run has ended.
    """
    found = np.zeros(engine.num_games, np.bool_)
    _find_solvable(engine.state, found)
    return found


def actions_to_clear(engine: Engine) -> NDArray[np.int64]:
    """Return the exact number of actions that clear each game's quilt, (B,) int64.

    min(n + p - 2 K, p + 1 if n > 0) with n of p patches placed, of which at most K belong to one
    cover; 0 once the quilt is cleared or the run has ended.
    """
    found = np.zeros(engine.num_games, np.int64)
    _find_actions_to_clear(engine.state, found)
    return found


def best_actions(engine: Engine) -> NDArray[np.int64]:
    """Return an action of a shortest way to the next quilt for every game, (B,) int64.

    Placements fill the lowest empty square. The action is next where the quilt is cleared, 0 where
    the run has ended.
    """
    found = np.zeros(engine.num_games, np.int64)
    _find_best_actions(engine.state, found)
    return found


def first_covers(engine: Engine) -> NDArray[np.int16]:
    """Return a cover that keeps all placed patches for every game, (B, 6) placements of A to F.

    Entries are `rules.IN_TRAY` for patches that do not exist, and throughout without a cover.
    """
    found = np.zeros((engine.num_games, MAX_PATCHES), np.int16)
    _find_first_covers(engine.state, found)
    return found


def all_covers(engine: Engine, row: int) -> NDArray[np.int16]:
    """Return every cover that keeps the placed patches of one game, (N, 6) placements of A to F."""
    room = _FIRST_ROOM
    while True:
        covers = np.full((room, MAX_PATCHES), IN_TRAY, np.int16)
        count = int(_find_covers(engine.state[row], covers))
        if count < room:
            return covers[:count].copy()
        room *= 4


def potential(engine: Engine) -> NDArray[np.float64]:
    """Return minus `actions_to_clear`, (B,) float64, for `quiltrail.wrappers.PotentialShaping`.

    It knows the solutions: give ``uses_solver=True`` with it.
    """
    return -actions_to_clear(engine).astype(np.float64)
