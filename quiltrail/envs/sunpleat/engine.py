"""Sunpleat's rules for a batch of games: signed prefix reversal under a move budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.actions import RefusalCode
from quiltrail.core.engine import Engine, ObservationField, Record, Rows, StateArray
from quiltrail.core.jit import compiled
from quiltrail.core.legality import UNDIAGNOSED, add_action
from quiltrail.core.levels import check_one_board
from quiltrail.envs.sunpleat import rules
from quiltrail.envs.sunpleat.boards import BoardSource, PublishedBoards, rehang
from quiltrail.envs.sunpleat.garlands import award, flip, is_target
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


def observation_fields(pennants: int, most_moves: int) -> tuple[ObservationField, ...]:
    """Return the observation's layout for so many pennants and the largest budget."""
    one_hot = (pennants, 2 * pennants)
    return (
        ObservationField(
            "garland",
            one_hot,
            1,
            "one-hot per place: column v - 1 for sun v, "
            f"{pennants} + v - 1 for moon v; zeros behind the last",
        ),
        ObservationField(
            "start",
            one_hot,
            1,
            "the garland this board starts with, coded alike; it also tells which board comes next",
        ),
        ObservationField("n", (pennants,), 1, "ones for the first n places"),
        ObservationField(
            "moves", (most_moves + 1,), 1, f"one-hot of the remaining moves, 0 to {most_moves}"
        ),
        ObservationField("leaves", (LEAVES,), 1, "ones for the leaves left"),
        ObservationField(
            "phase", (len(rules.PHASES),), 1, "one-hot: playing, cleared, retry, ended"
        ),
    )


_ACCEPTED = int(RefusalCode.ACCEPTED)
_WRONG_PHASE = int(RefusalCode.WRONG_PHASE)
_COUNT_EXCEEDS_N = int(RefusalCode.COUNT_EXCEEDS_N)


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
def _advance_rows(
    state: StateArray,
    rows: Rows,
    actions: NDArray[np.int64],
    reward: NDArray[np.float64],
    refusal: NDArray[np.int64],
    spare_moves: int,
    one_board: bool,
) -> Rows:
    """Play or diagnose each action; return the rows that go on to another board."""
    going_on = np.empty(rows.shape[0], np.int64)
    count = 0
    for r in range(rows.shape[0]):
        row = rows[r]
        if refusal[row] == _ACCEPTED:
            game = state[row]
            reward[row] = _play(game, actions[r], spare_moves, one_board)
            if actions[r] == len(game["garland"]) + NEXT_AFTER_FLIPS:
                going_on[count] = row
                count += 1
        elif refusal[row] == UNDIAGNOSED:
            refusal[row] = _diagnose(state[row], actions[r])
    return going_on[:count]


@compiled
def _find_legal_rows(state: StateArray, rows: Rows, legal: NDArray[np.uint64]) -> None:
    for r in range(rows.shape[0]):
        game = state[rows[r]]
        actions = legal[rows[r]]
        actions[0] = 0
        if game["phase"] == ENDED:
            continue
        flips = len(game["garland"])
        add_action(actions, flips + BANK_AFTER_FLIPS)
        if game["phase"] == PLAYING:
            for count in range(1, game["n"] + 1):
                add_action(actions, count - 1)
            add_action(actions, flips + RESTART_AFTER_FLIPS)
        elif game["phase"] == CLEARED:
            add_action(actions, flips + NEXT_AFTER_FLIPS)
        else:
            add_action(actions, flips + RETRY_AFTER_FLIPS)


@compiled
def _write_one_hot(garland: NDArray[np.int8], planes: NDArray[np.int8]) -> None:
    pennants = len(garland)
    for place in range(pennants):
        for column in range(2 * pennants):
            planes[place, column] = 0
        value = garland[place]
        if value > 0:
            planes[place, value - 1] = 1
        elif value < 0:
            planes[place, pennants - value - 1] = 1


@compiled
def _observe_rows(state: StateArray, rows: Rows, observation: StateArray, spare_moves: int) -> None:
    for r in range(rows.shape[0]):
        game = state[rows[r]]
        seen = observation[rows[r]]
        _write_one_hot(game["garland"], seen["garland"])
        _write_one_hot(game["start"], seen["start"])
        for place in range(len(game["garland"])):
            seen["n"][place] = place < game["n"]
        moves_left = game["par"] + spare_moves - game["moves_used"]
        for moves in range(len(seen["moves"])):
            seen["moves"][moves] = moves == moves_left
        for leaf in range(LEAVES):
            seen["leaves"][leaf] = leaf < game["leaves"]
        for phase in range(ENDED + 1):
            seen["phase"][phase] = phase == game["phase"]


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

    def _advance(self, rows: Rows, actions: NDArray[np.int64]) -> None:
        going_on = _advance_rows(
            self.state,
            rows,
            actions,
            self.reward,
            self.refusal,
            self.source.spare_moves,
            self.one_board,
        )
        if len(going_on):
            self.source.deal(self.state, going_on, fresh=False)

    def _find_legal(self, rows: Rows) -> None:
        _find_legal_rows(self.state, rows, self.legal)
        if self.success is not None:
            self.success[rows] = self.state["end_reason"][rows] == CLEARED_BOARD

    def _observe(self, rows: Rows) -> None:
        _observe_rows(self.state, rows, self._observation, self.source.spare_moves)

    def _particulars(self, row: int, action: int, code: int) -> str:
        game = self.state[row]
        if code == RefusalCode.COUNT_EXCEEDS_N:
            return f"count {action + 1}, the garland has {game['n']} pennants"
        return f"phase {rules.PHASES[game['phase']]}"

    def _view(self, row: int) -> dict[str, Any]:
        return view_of(self.state[row], self.source)

    def _check_record(self, record: Record) -> None:
        check_record(record, self.source, self.one_board)
