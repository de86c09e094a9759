"""Tinrail with the other seat played by somebody else: from the caller's turn to its next turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.actions import RefusalCode
from quiltrail.core.engine import Record, Rows, StateArray, check_num_games
from quiltrail.core.errors import OptionError, demand, shown, unknown_name_text
from quiltrail.core.jit import compiled
from quiltrail.core.legality import UNDIAGNOSED
from quiltrail.core.mulberry32 import STREAM_SEAT, below, draws_at
from quiltrail.envs.tinrail.engine import TinrailEngine
from quiltrail.envs.tinrail.gbot import EASY, choose, draw_of
from quiltrail.envs.tinrail.match import (
    BOTH_SEATS,
    outcome_of,
    place,
    score_of,
    tiles_survived,
)
from quiltrail.envs.tinrail.opponents import (
    POLICY,
    League,
    OpponentLike,
    spread_opponents,
)
from quiltrail.envs.tinrail.rules import (
    EMPTY,
    NUM_ACTIONS,
    NUM_ROTATIONS,
    NUM_SEATS,
    UNDECIDED,
    WIN_FIRST,
)

RANDOM_SEAT = "random"
REWARDS = ("score", "outcome")

_ACCEPTED = int(RefusalCode.ACCEPTED)
_NO_SUCH_TILE = int(RefusalCode.NO_SUCH_TILE)
_NO_SALT = np.uint64(0)


@compiled
def _awaits_reply(game: Record) -> bool:
    """Return whether the other seat is somebody else's and it is its turn."""
    waits = game["opponent"] != BOTH_SEATS and game["to_move"] != game["seat"]
    return bool(waits and game["result"] == UNDECIDED)


@compiled
def _reply(game: Record, track: Record, bots: NDArray[np.int64]) -> None:
    """Let a bot play if it is its turn; policies outside the kernels are asked later."""
    if _awaits_reply(game) and bots[game["opponent"]] != POLICY:
        bot = bots[game["opponent"]]
        draw = draw_of(game, int(game["turn"]) // NUM_SEATS, _NO_SALT)
        place(game, track, choose(bot, game, track, draw))


@compiled
def _seat_rows(
    state: StateArray, rows: Rows, seats: NDArray[np.int64], opponents: NDArray[np.int16]
) -> None:
    for r in range(rows.shape[0]):
        state[rows[r]]["seat"] = seats[r]
        state[rows[r]]["opponent"] = opponents[r]


@compiled
def _below_seats(draws: NDArray[np.uint64]) -> NDArray[np.int64]:
    seats = np.zeros(draws.shape[0], np.int64)
    for r in range(draws.shape[0]):
        seats[r] = below(draws[r], NUM_SEATS)
    return seats


@compiled
def _reply_rows(state: StateArray, rails: StateArray, rows: Rows, bots: NDArray[np.int64]) -> None:
    for r in range(rows.shape[0]):
        _reply(state[rows[r]], rails[rows[r]], bots)


@compiled
def _advance_rows(
    state: StateArray,
    rails: StateArray,
    rows: Rows,
    actions: NDArray[np.int64],
    refusal: NDArray[np.int64],
    bots: NDArray[np.int64],
) -> None:
    for r in range(rows.shape[0]):
        row = rows[r]
        game = state[row]
        if game["unread"]:
            refusal[row] = _ACCEPTED
        elif refusal[row] == UNDIAGNOSED:
            refusal[row] = _NO_SUCH_TILE
        elif refusal[row] == _ACCEPTED:
            place(game, rails[row], actions[r])
            _reply(game, rails[row], bots)


@compiled
def _place_rows(
    state: StateArray, rails: StateArray, rows: Rows, actions: NDArray[np.int64]
) -> None:
    for r in range(rows.shape[0]):
        place(state[rows[r]], rails[rows[r]], actions[r])


@compiled
def _waiting_rows(state: StateArray, rows: Rows) -> NDArray[np.bool_]:
    waiting = np.zeros(rows.shape[0], np.bool_)
    for r in range(rows.shape[0]):
        waiting[r] = _awaits_reply(state[rows[r]])
    return waiting


@compiled
def _tell_rows(
    state: StateArray,
    rows: Rows,
    refusal: NDArray[np.int64],
    bots: NDArray[np.int64],
    pays_outcome: bool,
    reward: NDArray[np.float64],
) -> None:
    """Write score and reward of the matches that this step has ended."""
    for r in range(rows.shape[0]):
        row = rows[r]
        game = state[row]
        if refusal[row] != _ACCEPTED or game["result"] == UNDECIDED:
            continue
        game["unread"] = 0
        points = _points(game, bots)
        game["score"] = points
        if not pays_outcome:
            reward[row] = points
        elif game["opponent"] == BOTH_SEATS:
            reward[row] = outcome_of(game["result"], int(game["to_move"]))
        else:
            reward[row] = outcome_of(game["result"], int(game["seat"]))


@compiled
def _points(game: Record, bots: NDArray[np.int64]) -> int:
    """Return the published score of the caller's seat."""
    seat, opponent = int(game["seat"]), int(game["opponent"])
    easy = opponent != BOTH_SEATS and bots[opponent] == EASY
    return score_of(game["result"], seat, tiles_survived(game, seat), easy)


@compiled
def _judge_rows(state: StateArray, rows: Rows, success: NDArray[np.bool_]) -> None:
    for r in range(rows.shape[0]):
        game = state[rows[r]]
        success[rows[r]] = game["result"] == WIN_FIRST + game["seat"]


class TinrailSoloEngine(TinrailEngine):
    """B matches of Tinrail against opponents, one turn of the caller a step.

    A step plays the caller's placement and the opponent's reply. In rows without an opponent the
    caller plays both seats, one placement a step.

    Args:
        num_games: B.
        opponent: "wise", "easy", "random", "module:attribute" of a policy, a policy (a callable on
            a batch of observations and masks), None for nobody, or one of these for each row.
        seat: the caller's, 0 or 1, or "random": drawn from the game seed.
        reward: "score" pays the published score at the end, "outcome" +1, 0 or -1. Where the
            caller plays both seats, score is the first seat's, outcome that of who placed last.

    Raises:
        OptionError: if an argument is not one of these.
    """

    judges_success: ClassVar[bool] = True

    def __init__(
        self,
        num_games: int,
        *,
        opponent: OpponentLike | Sequence[OpponentLike | None] | None = "wise",
        seat: int | str = 0,
        reward: str = "score",
    ) -> None:
        self.seat_choice = _check_seat(seat)
        if reward not in REWARDS:
            raise OptionError(unknown_name_text("reward", reward, REWARDS))
        self._pays_outcome = reward == "outcome"
        opponents = spread_opponents(opponent, check_num_games(num_games))
        self.league = League()
        self._next_opponents = self.league.indices_of(opponents)
        self._bots = self.league.bots()
        settings = {"opponent": self._league_name(), "seat": seat, "reward": reward}
        super().__init__(num_games, settings=settings)

    def assign(self, rows: Rows, opponents: Sequence[OpponentLike | None]) -> None:
        """Choose who plays the next matches of rows, one opponent each; running ones go on."""
        self._next_opponents[rows] = self.league.indices_of(spread_opponents(opponents, len(rows)))
        self._bots = self.league.bots()
        self.settings["opponent"] = self._league_name()

    def legal_indices(self, row: int) -> list[int]:
        """Return the legal flat actions of a row; none where an ended match waits to be told."""
        return [] if self.state["unread"][row] else super().legal_indices(row)

    def _start(self, rows: Rows, seeds: NDArray[np.uint64], **start: NDArray[np.int64]) -> None:
        super()._start(rows, seeds)
        opponents = self._next_opponents[rows]
        seats = np.where(opponents == BOTH_SEATS, 0, self._seats_of(seeds))
        _seat_rows(self.state, rows, seats, opponents)
        second = rows[seats == 1]
        if len(second):
            self._derive(second)
            _reply_rows(self.state, self.derived, second, self._bots)
            self._ask_policies(second)
            self.state["unread"][second] = self.state["result"][second] != UNDECIDED

    def _advance(self, rows: Rows, actions: NDArray[np.int64]) -> None:
        _advance_rows(self.state, self.derived, rows, actions, self.refusal, self._bots)
        self._ask_policies(rows)
        _tell_rows(self.state, rows, self.refusal, self._bots, self._pays_outcome, self.reward)

    def _find_legal(self, rows: Rows) -> None:
        super()._find_legal(rows)
        assert self.success is not None
        _judge_rows(self.state, rows, self.success)

    def _ask_policies(self, rows: Rows) -> None:
        """Let the policies outside the kernels reply, each to all its rows at once."""
        if not self.league.has_policies:
            return
        waiting = rows[_waiting_rows(self.state, rows)]
        opponents = self.state["opponent"][waiting]
        for index in np.unique(opponents):
            group = waiting[opponents == index]
            seats = self.state["to_move"][group].astype(np.int64)
            sizes = (self.state["hands"][group, seats] != EMPTY).sum(axis=1)
            masks = (np.arange(NUM_ACTIONS) < NUM_ROTATIONS * sizes[:, None]).astype(np.int8)
            actions = self.league.members[index].ask(self.observe_for(group, seats), masks)
            _place_rows(self.state, self.derived, group, actions)

    def _seats_of(self, seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the caller's seat in the games of these seeds."""
        if self.seat_choice is not None:
            return np.full(len(seeds), self.seat_choice, np.int64)
        draws = draws_at(seeds ^ np.uint64(STREAM_SEAT), np.ones(len(seeds), np.int64))
        return _below_seats(draws)

    def _league_name(self) -> str | list[str] | None:
        """Return the one opponent's name, or all names in the order of their indices."""
        names = [one.name for one in self.league.members]
        if len(names) > 1 or len(np.unique(self._next_opponents)) > 1:
            return names
        return names[0] if names else None

    def _take_seat(self, record: Record, row: int) -> None:
        record["opponent"] = self._next_opponents[row]
        record["seat"] = 0 if record["opponent"] == BOTH_SEATS else record["to_move"]

    def _row_arrays(self) -> list[NDArray[Any]]:
        return [*super()._row_arrays(), self._next_opponents]

    def _check_players(self, record: Record) -> None:
        opponent, seat, result = (int(record[name]) for name in ("opponent", "seat", "result"))
        most = len(self.league.members) - 1
        demand(BOTH_SEATS <= opponent <= most, "opponent", f"is {BOTH_SEATS} to {most}")
        alone = opponent == BOTH_SEATS
        expected = 0 if alone else int(self._seats_of(np.array([record["seed"]], np.uint64))[0])
        demand(seat == expected, "seat", f"is {expected} in this game")
        if result == UNDECIDED and not alone:
            demand(record["to_move"] == seat, "to_move", f"is {seat}, the caller's seat")
        may_wait = result != UNDECIDED and record["turn"] == 1 and seat == 1
        waits = "0 or 1" if may_wait else "0"
        demand(record["unread"] in (0, int(may_wait)), "unread", f"is {waits} here")
        points = 0 if record["unread"] else int(_points(record, self._bots))
        demand(record["score"] == points, "score", f"is {points} here")


def _check_seat(seat: int | str) -> int | None:
    """Return a fixed seat, None for one drawn from the seed."""
    if seat == RANDOM_SEAT:
        return None
    if type(seat) is not int or seat not in range(NUM_SEATS):
        raise OptionError(f'seat is 0, 1 or "{RANDOM_SEAT}", got {shown(seat)}')
    return seat
