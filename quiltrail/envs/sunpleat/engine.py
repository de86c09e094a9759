"""Sunpleat's rules for a batch of games: signed prefix reversal under a move budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from quiltrail.core.actions import RefusalCode
from quiltrail.core.array_types import Record
from quiltrail.core.boards import BoardEngine
from quiltrail.core.jit import compiled
from quiltrail.core.row_kernels import RowKernels, Setup, row_kernels
from quiltrail.envs.sunpleat import rules
from quiltrail.envs.sunpleat.boards import GarlandSource, PublishedGarlands, rehang
from quiltrail.envs.sunpleat.checks import check_record
from quiltrail.envs.sunpleat.garlands import award, flip, is_target
from quiltrail.envs.sunpleat.observation import observation_fields, see, see_anew
from quiltrail.envs.sunpleat.position import state_dtype, view_of
from quiltrail.envs.sunpleat.rules import (
    BANK_AFTER_FLIPS,
    BANKED,
    CLEARED,
    CLEARED_BOARD,
    ENDED,
    LEAVES,
    NEXT_AFTER_FLIPS,
    OUT_OF_LIVES,
    PLAYING,
    RESTART_AFTER_FLIPS,
    RETRY,
    RETRY_AFTER_FLIPS,
)

_WRONG_PHASE = int(RefusalCode.WRONG_PHASE)
_COUNT_EXCEEDS_N = int(RefusalCode.COUNT_EXCEEDS_N)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)


@compiled
def _begin(game: Record, board: int) -> None:
    """Begin a run at a board, which a source has still to deal."""
    game["board"] = board
    game["cleared"] = 0
    game["last_award"] = 0
    game["leaves"] = LEAVES
    game["end_reason"] = 0


@compiled
def _find_legal(game: Record, setup: Setup, legal: Record) -> None:
    """Write a game's legal set, which is one word."""
    flips = len(game["garland"])
    bits = _ZERO
    if game["phase"] == PLAYING:
        bits = (_ONE << np.uint64(game["n"])) - _ONE
        bits |= _ONE << np.uint64(flips + RESTART_AFTER_FLIPS)
    elif game["phase"] == CLEARED:
        bits = _ONE << np.uint64(flips + NEXT_AFTER_FLIPS)
    elif game["phase"] == RETRY:
        bits = _ONE << np.uint64(flips + RETRY_AFTER_FLIPS)
    if game["phase"] != ENDED:
        bits |= _ONE << np.uint64(flips + BANK_AFTER_FLIPS)
    legal["words"][0] = bits


@compiled
def _spend_leaf(game: Record) -> bool:
    """Take one leaf; return whether that ended the run."""
    game["leaves"] -= 1
    if game["leaves"] > 0:
        return False
    game["phase"] = ENDED
    game["end_reason"] = OUT_OF_LIVES
    return True


@compiled
def _play_flip(game: Record, count: int, spare_moves: int, one_board: bool) -> int:
    """Flip, then test the target before the budget; return the points won."""
    flip(game["garland"], count)
    game["moves_used"] += 1
    moves_left = game["par"] + spare_moves - game["moves_used"]
    if is_target(game["garland"], game["n"]):
        points = award(game["n"], moves_left)
        game["score"] += points
        game["last_award"] = points
        game["cleared"] += 1
        game["phase"] = CLEARED
        if one_board:
            game["phase"] = ENDED
            game["end_reason"] = CLEARED_BOARD
        return points
    if moves_left == 0 and not _spend_leaf(game):
        game["phase"] = RETRY
    return 0


@compiled
def _play(game: Record, derived: Record, action: int, setup: Setup) -> tuple[int, bool]:
    """Apply a legal action; return the points won, and whether a board has to be dealt."""
    spare_moves, one_board = setup
    flips = len(game["garland"])
    game["turn"] += 1
    if action < flips:
        return _play_flip(game, action + 1, spare_moves, one_board), False
    if action == flips + NEXT_AFTER_FLIPS:
        game["last_award"] = 0
        game["board"] += 1
        return 0, True
    if action == flips + RETRY_AFTER_FLIPS:
        rehang(game)
    elif action == flips + RESTART_AFTER_FLIPS:
        if not _spend_leaf(game):
            rehang(game)
    else:
        game["phase"] = ENDED
        game["end_reason"] = BANKED
    return 0, False


@compiled
def _diagnose(game: Record, legal: Record, action: int, setup: Setup) -> int:
    """Return why an action is refused in a running game."""
    if game["phase"] == PLAYING and action < len(game["garland"]):
        return _COUNT_EXCEEDS_N
    return _WRONG_PHASE


@compiled
def _has_won(game: Record) -> bool:
    return bool(game["end_reason"] == CLEARED_BOARD)


class SunpleatEngine(BoardEngine):
    """B games of Sunpleat. The seed never changes a game; it is kept for the record.

    ``start_options``: ``board`` starts a fresh run at that board, from 1 on.

    Args:
        num_games: B.
        source: where boards come from; the published ones by default.
        one_board: whether clearing a board ends the run.
        settings: the keyword arguments that shape the rules; by default those of the source.

    Raises:
        OptionError: if ``one_board`` is no bool.
    """

    game: ClassVar[str] = "sunpleat"
    kernels: ClassVar[RowKernels] = row_kernels(
        "sunpleat",
        begin=_begin,
        find_legal=_find_legal,
        play=_play,
        diagnose=_diagnose,
        see=see,
        see_anew=see_anew,
        has_won=_has_won,
    )
    start_options: ClassVar[tuple[str, ...]] = ("board",)
    drawing: ClassVar[str] = "quiltrail.envs.sunpleat.draw"
    wording: ClassVar[str] = "quiltrail.envs.sunpleat.text"
    source: GarlandSource

    def __init__(
        self,
        num_games: int,
        *,
        source: GarlandSource | None = None,
        one_board: bool = False,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        source = source or PublishedGarlands()
        super().__init__(
            num_games,
            source,
            one_board=one_board,
            settings=settings,
            state_dtype=state_dtype(source.pennants, source.extra_fields),
            fields=observation_fields(source.pennants, source.most_moves),
            codec=rules.make_codec(source.pennants),
        )

    @property
    def _setup(self) -> tuple[int, bool]:
        """How many moves beyond par there are, and whether clearing a board ends the run."""
        return self.source.spare_moves, self.one_board

    def _particulars(self, row: int, action: int, code: int) -> str:
        game = self.state[row]
        if code == RefusalCode.COUNT_EXCEEDS_N:
            return f"count {action + 1}, the garland has {game['n']} pennants"
        return f"phase {rules.PHASES[game['phase']]}"

    def _view(self, row: int) -> dict[str, Any]:
        return view_of(self.state[row], self.source)

    def _check_record(self, record: Record) -> None:
        check_record(record, self.source, self.one_board)
