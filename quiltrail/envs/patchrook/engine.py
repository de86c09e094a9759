"""Patchrook's rules for a batch of games: place, lift, restart, clear, next, bank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from quiltrail.core.actions import RefusalCode
from quiltrail.core.array_types import Record, Words
from quiltrail.core.bitboard import popcount, set_bits
from quiltrail.core.boards import BoardEngine
from quiltrail.core.jit import compiled
from quiltrail.core.legality import add_action
from quiltrail.core.row_kernels import RowKernels, row_kernels
from quiltrail.envs.patchrook import rules
from quiltrail.envs.patchrook.checks import check_record
from quiltrail.envs.patchrook.observation import FIELDS, SHOWN, see
from quiltrail.envs.patchrook.position import (
    award,
    board_squares,
    empty_squares,
    free_anchors,
    state_dtype,
    view_of,
)
from quiltrail.envs.patchrook.quilts import PublishedQuilts, QuiltSource
from quiltrail.envs.patchrook.rules import (
    BANK,
    BOARD_SIZE,
    CLEARED,
    ENDED,
    IN_TRAY,
    LABELS,
    LIFT,
    MAX_PATCHES,
    NEXT,
    NUM_PLACES,
    NUM_SQUARES,
    PLAYING,
    RESTART,
)
from quiltrail.envs.patchrook.shapes import (
    COVERED,
    ORIENTATION_COUNTS,
    ORIENTATIONS,
    covered_cells,
)

_ZERO = np.uint64(0)
_WRONG_PHASE = int(RefusalCode.WRONG_PHASE)
_NO_SUCH_PATCH = int(RefusalCode.NO_SUCH_PATCH)
_NOT_IN_TRAY = int(RefusalCode.NOT_IN_TRAY)
_NO_SUCH_ORIENTATION = int(RefusalCode.NO_SUCH_ORIENTATION)
_OUT_OF_BOUNDS = int(RefusalCode.OUT_OF_BOUNDS)
_CUT_OUT = int(RefusalCode.CUT_OUT)
_OVERLAP = int(RefusalCode.OVERLAP)
_NOT_PLACED = int(RefusalCode.NOT_PLACED)
_BOARD_EMPTY = int(RefusalCode.BOARD_EMPTY)


@compiled
def _lift_all(game: Record) -> None:
    """Put every patch back into the tray."""
    for patch in range(MAX_PATCHES):
        game["placed"][patch] = IN_TRAY


@compiled
def _begin(game: Record, quilt: int) -> None:
    """Begin a run at a quilt, which a source has still to deal."""
    game["quilt"] = quilt
    game["last_points"] = 0
    game["phase"] = PLAYING
    _lift_all(game)


@compiled
def _add_patch(game: Record, patch: int, empty: np.uint64, words: Words) -> None:
    """Put every placement of a patch in the tray into a legal set (W,)."""
    shape = game["shape"][patch]
    for orientation in range(ORIENTATION_COUNTS[shape]):
        anchors = free_anchors(shape, orientation, empty)
        set_bits(words, NUM_PLACES * patch + NUM_SQUARES * orientation, anchors)


@compiled
def _find_legal(game: Record, phase_after: int, legal: Record) -> None:
    """Write a game's legal set."""
    words = legal["words"]
    for w in range(len(words)):
        words[w] = _ZERO
    if game["phase"] == ENDED:
        return
    add_action(words, BANK)
    if game["phase"] == CLEARED:
        add_action(words, NEXT)
        return
    empty = empty_squares(game)
    for patch in range(game["num_patches"]):
        if game["placed"][patch] == IN_TRAY:
            _add_patch(game, patch, empty, words)
        else:
            add_action(words, LIFT + patch)
            add_action(words, RESTART)


@compiled
def _play_place(game: Record, action: int, phase_after: int) -> int:
    """Place a patch; return the award if that covers every usable square."""
    game["placed"][action // NUM_PLACES] = action % NUM_PLACES
    if empty_squares(game) != 0:
        return 0
    points = award(popcount(np.uint64(game["usable"])), game["num_patches"])
    game["score"] += points
    game["last_points"] = points
    game["phase"] = phase_after
    return points


@compiled
def _play(game: Record, drawn: Record, action: int, phase_after: int) -> tuple[int, bool]:
    """Apply a legal action; return the points won, and whether a quilt has to be dealt."""
    game["turn"] += 1
    if action < LIFT:
        return _play_place(game, action, phase_after), False
    if action < RESTART:
        game["placed"][action - LIFT] = IN_TRAY
    elif action == RESTART:
        _lift_all(game)
    elif action == NEXT:
        _lift_all(game)
        game["quilt"] += 1
        game["last_points"] = 0
        game["phase"] = PLAYING
    else:
        game["phase"] = ENDED
    return 0, action == NEXT


@compiled
def _diagnose_place(game: Record, action: int) -> int:
    """Return why a placement is refused while playing."""
    patch, place = action // NUM_PLACES, action % NUM_PLACES
    if patch >= game["num_patches"]:
        return _NO_SUCH_PATCH
    if game["placed"][patch] != IN_TRAY:
        return _NOT_IN_TRAY
    shape = game["shape"][patch]
    if place // NUM_SQUARES >= ORIENTATION_COUNTS[shape]:
        return _NO_SUCH_ORIENTATION
    covered = np.uint64(COVERED[shape, place])
    if covered == 0 or covered & ~board_squares(game["width"], game["height"]) != 0:
        return _OUT_OF_BOUNDS
    if covered & ~np.uint64(game["usable"]) != 0:
        return _CUT_OUT
    return _OVERLAP


@compiled
def _diagnose(game: Record, legal: Record, action: int, phase_after: int) -> int:
    """Return why an action is refused in a running game."""
    if game["phase"] != PLAYING or action == NEXT:
        return _WRONG_PHASE
    if action < LIFT:
        return _diagnose_place(game, action)
    if action == RESTART:
        return _BOARD_EMPTY
    if action - LIFT >= game["num_patches"]:
        return _NO_SUCH_PATCH
    return _NOT_PLACED


@compiled
def _has_won(game: Record) -> bool:
    return bool(game["phase"] == ENDED and game["last_points"] > 0)


class PatchrookEngine(BoardEngine):
    """B games of Patchrook.

    ``start_options``: ``quilt`` starts a fresh run at that quilt of the game seed, from 1 on.

    Args:
        num_games: B.
        source: where quilts come from; the published ones by default.
        one_board: whether completing a quilt ends the run.
        settings: the keyword arguments that shape the rules; by default those of the source.

    Raises:
        OptionError: if ``one_board`` is no bool.
    """

    game: ClassVar[str] = "patchrook"
    kernels: ClassVar[RowKernels] = row_kernels(
        "patchrook",
        begin=_begin,
        find_legal=_find_legal,
        play=_play,
        diagnose=_diagnose,
        see=see,
        has_won=_has_won,
    )
    start_options: ClassVar[tuple[str, ...]] = ("quilt",)
    drawing: ClassVar[str] = "quiltrail.envs.patchrook.draw"
    wording: ClassVar[str] = "quiltrail.envs.patchrook.text"
    source: QuiltSource

    def __init__(
        self,
        num_games: int,
        *,
        source: QuiltSource | None = None,
        one_board: bool = False,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        source = source or PublishedQuilts()
        super().__init__(
            num_games,
            source,
            one_board=one_board,
            settings=settings,
            state_dtype=state_dtype(source.extra_fields),
            fields=FIELDS,
            codec=rules.CODEC,
            derived_dtype=SHOWN,
        )

    @property
    def _setup(self) -> int:
        """The phase of a game whose quilt has just been completed."""
        return ENDED if self.one_board else CLEARED

    def _particulars(self, row: int, action: int, code: int) -> str:
        game = self.state[row]
        if code == RefusalCode.WRONG_PHASE:
            return f"phase {rules.PHASES[game['phase']]}"
        if action >= RESTART or code in (RefusalCode.RUN_ENDED, RefusalCode.INDEX_OUT_OF_RANGE):
            return ""
        patch = action - LIFT if action >= LIFT else action // NUM_PLACES
        orientations = ORIENTATIONS[game["shape"][patch]]
        if code == RefusalCode.NO_SUCH_PATCH:
            return f"{LABELS[patch]}; there are {LABELS[: game['num_patches']]}"
        if code == RefusalCode.NO_SUCH_ORIENTATION:
            return f"{LABELS[patch]} has orientations 0 to {len(orientations) - 1}"
        if action >= LIFT or code == RefusalCode.NOT_IN_TRAY:
            return f"patch {LABELS[patch]}"
        orientation, square = divmod(action % NUM_PLACES, NUM_SQUARES)
        y, x = divmod(square, BOARD_SIZE)
        return f"it would cover {covered_cells(orientations[orientation], x, y)}"

    def _view(self, row: int) -> dict[str, Any]:
        game = self.state[row]
        return {**view_of(game), **self.source.view_fields(game)}

    def _check_record(self, record: Record) -> None:
        check_record(record, self.source, self._setup)
