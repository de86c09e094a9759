"""Sunpleat's rules for a batch of games: signed prefix reversal under a move budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.actions import RefusalCode
from quiltrail.core.engine import Engine, Record, Rows, StateArray
from quiltrail.core.jit import compiled, row_kernel
from quiltrail.core.legality import UNDIAGNOSED, judge, publish, random_action
from quiltrail.core.levels import check_one_board
from quiltrail.envs.sunpleat import rules
from quiltrail.envs.sunpleat.boards import BoardSource, PublishedBoards, rehang
from quiltrail.envs.sunpleat.garlands import award, flip, is_target
from quiltrail.envs.sunpleat.observation import observation_fields, see_board, see_play
from quiltrail.envs.sunpleat.position import check_record, state_dtype, view_of
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

Words = NDArray[np.uint64]

_ACCEPTED = int(RefusalCode.ACCEPTED)
_WRONG_PHASE = int(RefusalCode.WRONG_PHASE)
_COUNT_EXCEEDS_N = int(RefusalCode.COUNT_EXCEEDS_N)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)


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
def _play(game: Record, action: int, spare_moves: int, one_board: bool) -> int:
    """Apply a legal action; return the points won. The next board is dealt by the caller."""
    flips = len(game["garland"])
    game["turn"] += 1
    if action < flips:
        return _play_flip(game, action + 1, spare_moves, one_board)
    if action == flips + NEXT_AFTER_FLIPS:
        game["last_award"] = 0
        game["board"] += 1
    elif action == flips + RETRY_AFTER_FLIPS:
        rehang(game)
    elif action == flips + RESTART_AFTER_FLIPS:
        if not _spend_leaf(game):
            rehang(game)
    else:
        game["phase"] = ENDED
        game["end_reason"] = BANKED
    return 0


@compiled
def _diagnose(game: Record, action: int) -> int:
    """Return why an action is refused in a running game."""
    if game["phase"] == PLAYING and action < len(game["garland"]):
        return _COUNT_EXCEEDS_N
    return _WRONG_PHASE


@compiled
def start_rows(
    state: StateArray, rows: Rows, seeds: NDArray[np.uint64], boards: NDArray[np.int64]
) -> None:
    """Begin runs at these boards, which a source has still to deal."""
    for r in range(rows.shape[0]):
        game = state[rows[r]]
        game["seed"] = seeds[r]
        game["score"] = 0
        game["turn"] = 0
        game["board"] = boards[r]
        game["cleared"] = 0
        game["last_award"] = 0
        game["leaves"] = LEAVES
        game["end_reason"] = 0


@compiled
def _find_legal(game: Record, legal: Words) -> None:
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
    legal[0] = bits


@row_kernel
def _step_rows(
    state: StateArray,
    legal: StateArray,
    masks: StateArray,
    terminated: NDArray[np.bool_],
    wins: NDArray[np.bool_],
    seen: StateArray,
    rows: Rows,
    actions: NDArray[np.int64],
    reward: NDArray[np.float64],
    refusal: NDArray[np.int64],
    waiting: Rows,
    spare_moves: int,
    one_board: bool,
) -> int:
    """Play or refuse; games that go on to another board wait for it."""
    found = np.empty(1, legal.dtype)[0]
    count = 0
    for r in range(rows.shape[0]):
        row, action = rows[r], actions[r]
        game = state[row]
        flips = len(game["garland"])
        code = judge(legal[row], terminated[row], action, flips + BANK_AFTER_FLIPS + 1)
        reward[row] = 0.0
        refusal[row] = code if code != UNDIAGNOSED else _diagnose(game, action)
        if code != _ACCEPTED:
            continue
        reward[row] = _play(game, action, spare_moves, one_board)
        if action == flips + NEXT_AFTER_FLIPS:
            waiting[count] = row
            count += 1
            continue
        _find_legal(game, found["words"])
        terminated[row] = publish(found, legal[row], masks[row])
        wins[row] = game["end_reason"] == CLEARED_BOARD
        see_play(game, seen[row], spare_moves)
    return count


@row_kernel
def _roll_rows(
    state: StateArray,
    rolls: StateArray,
    forbidden: Words,
    rows: Rows,
    reward: NDArray[np.float64],
    waiting: Rows,
    spare_moves: int,
    one_board: bool,
) -> int:
    """Play at random; games that go on to another board wait for it."""
    legal = np.empty(1, np.uint64)
    count = 0
    for row in rows:
        game, roll = state[row], rolls[row]
        while roll["left"] > 0:
            _find_legal(game, legal)
            action, roll["cursor"] = random_action(legal, forbidden, roll["cursor"])
            if action < 0:
                break
            reward[row] += _play(game, action, spare_moves, one_board)
            roll["left"] -= 1
            if action == len(game["garland"]) + NEXT_AFTER_FLIPS:
                waiting[count] = row
                count += 1
                break
    return count


@compiled
def _show_rows(
    state: StateArray,
    legal: StateArray,
    masks: StateArray,
    terminated: NDArray[np.bool_],
    wins: NDArray[np.bool_],
    seen: StateArray,
    rows: Rows,
    spare_moves: int,
) -> None:
    found = np.empty(1, legal.dtype)[0]
    for row in rows:
        game = state[row]
        _find_legal(game, found["words"])
        terminated[row] = publish(found, legal[row], masks[row])
        wins[row] = game["end_reason"] == CLEARED_BOARD
        see_board(game, seen[row])
        see_play(game, seen[row], spare_moves)


class SunpleatEngine(Engine):
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
    start_options: ClassVar[tuple[str, ...]] = ("board",)
    drawing: ClassVar[str] = "quiltrail.envs.sunpleat.draw"
    wording: ClassVar[str] = "quiltrail.envs.sunpleat.text"

    def __init__(
        self,
        num_games: int,
        *,
        source: BoardSource | None = None,
        one_board: bool = False,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.source = source or PublishedBoards()
        self.one_board = check_one_board(one_board)
        super().__init__(
            num_games,
            state_dtype=state_dtype(self.source.pennants, self.source.extra_fields),
            fields=observation_fields(self.source.pennants, self.source.most_moves),
            codec=rules.make_codec(self.source.pennants),
            settings=self.source.settings if settings is None else settings,
            judges_success=one_board,
        )

    def _start(self, rows: Rows, seeds: NDArray[np.uint64], **start: NDArray[np.int64]) -> None:
        boards = start.get("board", np.ones(len(rows), np.int64))
        start_rows(self.state, rows, seeds, boards)
        self.source.deal(self.state, rows, fresh=True)

    def _step(self, rows: Rows, actions: NDArray[np.int64], waiting: Rows) -> int:
        return _step_rows(
            *self._shown,
            self._seen_fields,
            rows,
            actions,
            self.reward,
            self.refusal,
            waiting,
            self.source.spare_moves,
            self.one_board,
        )

    def _roll(
        self, rolls: StateArray, forbidden: NDArray[np.uint64], rows: Rows, waiting: Rows
    ) -> int:
        return _roll_rows(
            self.state,
            rolls,
            forbidden,
            rows,
            self.reward,
            waiting,
            self.source.spare_moves,
            self.one_board,
        )

    def _go_on(self, rows: Rows) -> None:
        self.source.deal(self.state, rows, fresh=False)

    def _show(self, rows: Rows) -> None:
        _show_rows(*self._shown, self._seen_fields, rows, self.source.spare_moves)

    def _particulars(self, row: int, action: int, code: int) -> str:
        game = self.state[row]
        if code == RefusalCode.COUNT_EXCEEDS_N:
            return f"count {action + 1}, the garland has {game['n']} pennants"
        return f"phase {rules.PHASES[game['phase']]}"

    def _view(self, row: int) -> dict[str, Any]:
        return view_of(self.state[row], self.source)

    def _check_record(self, record: Record) -> None:
        check_record(record, self.source, self.one_board)
