"""Tinrail with the other seat played by somebody else: from the caller's turn to its next turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.actions import RefusalCode
from quiltrail.core.array_types import Record, Rows, StateArray
from quiltrail.core.arrays import check_num_games
from quiltrail.core.errors import OptionError, demand, shown, unknown_name_text
from quiltrail.core.jit import compiled
from quiltrail.core.legality import judge
from quiltrail.core.mulberry32 import STREAM_SEAT, advance, below, mix
from quiltrail.core.row_kernels import RowKernels, Setup, row_kernels
from quiltrail.envs.tinrail.engine import MATCH_KERNELS, TinrailEngine
from quiltrail.envs.tinrail.gbot import EASY, choose, draw_of
from quiltrail.envs.tinrail.match import (
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
from quiltrail.envs.tinrail.position import BOTH_SEATS
from quiltrail.envs.tinrail.rules import (
    EMPTY,
    NUM_ACTIONS,
    NUM_ROTATIONS,
    NUM_SEATS,
    UNDECIDED,
)

_RANDOM_SEAT = "random"
REWARDS = ("score", "outcome")

_ACCEPTED = int(RefusalCode.ACCEPTED)
_NO_SALT = np.uint64(0)
_STREAM_SEAT = np.uint64(STREAM_SEAT)
_DRAWN = -1  # in place of a seat


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
def _seat_of(seed: np.uint64, choice: int) -> int:
    """Return the caller's seat in the game of a seed: the chosen one, or one drawn from it."""
    if choice != _DRAWN:
        return choice
    return below(mix(advance(seed ^ _STREAM_SEAT)), NUM_SEATS)


@compiled
def _seat_rows(
    state: StateArray,
    rows: Rows,
    seeds: NDArray[np.uint64],
    choice: int,
    next_opponents: NDArray[np.int16],
    second: Rows,
) -> int:
    """Seat the players of fresh matches; write those the other side begins into ``second``.

    Returns how many these are.
    """
    count = 0
    for r in range(rows.shape[0]):
        row = rows[r]
        game = state[row]
        game["opponent"] = next_opponents[row]
        game["seat"] = 0
        if next_opponents[row] != BOTH_SEATS:
            game["seat"] = _seat_of(seeds[r], choice)
        if game["seat"] == 1:
            second[count] = row
            count += 1
    return count


@compiled
def _reply_rows(state: StateArray, rails: StateArray, rows: Rows, bots: NDArray[np.int64]) -> None:
    for r in range(rows.shape[0]):
        _reply(state[rows[r]], rails[rows[r]], bots)


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
def _points(game: Record, bots: NDArray[np.int64]) -> int:
    """Return the published score of the caller's seat."""
    seat, opponent = int(game["seat"]), int(game["opponent"])
    easy = opponent != BOTH_SEATS and bots[opponent] == EASY
    return score_of(game["result"], seat, tiles_survived(game, seat), easy)


@compiled
def _tell(game: Record, bots: NDArray[np.int64], pays_outcome: bool) -> int:
    """Write the score of a match that this step has ended; return the reward."""
    if game["result"] == UNDECIDED:
        return 0
    game["unread"] = 0
    points = _points(game, bots)
    game["score"] = points
    if not pays_outcome:
        return points
    if game["opponent"] == BOTH_SEATS:
        return outcome_of(game["result"], int(game["to_move"]))
    return outcome_of(game["result"], int(game["seat"]))


@compiled
def _tell_rows(
    state: StateArray,
    rows: Rows,
    bots: NDArray[np.int64],
    pays_outcome: bool,
    reward: NDArray[np.float64],
) -> None:
    for row in rows:
        reward[row] += _tell(state[row], bots, pays_outcome)


@compiled
def _judge(game: Record, legal: Record, terminated: bool, action: int, num_actions: int) -> int:
    """Return an action's refusal code; where an ended match waits to be told, any action does."""
    if game["unread"]:
        return _ACCEPTED
    return judge(legal, terminated, action, num_actions)


@compiled
def _play(game: Record, track: Record, action: int, setup: Setup) -> tuple[int, bool]:
    """Play a legal action and a bot's reply; return the reward, and whether a policy replies."""
    bots, pays_outcome = setup
    if not game["unread"]:
        place(game, track, action)
        _reply(game, track, bots)
        if _awaits_reply(game):
            return 0, True
    return _tell(game, bots, pays_outcome), False


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

    kernels: ClassVar[RowKernels] = row_kernels(
        "tinrail_solo", play=_play, judge=_judge, **MATCH_KERNELS
    )
    judges_success: ClassVar[bool] = True

    def __init__(
        self,
        num_games: int,
        *,
        opponent: OpponentLike | Sequence[OpponentLike | None] | None = "wise",
        seat: int | str = 0,
        reward: str = "score",
    ) -> None:
        self._seat_choice = _check_seat(seat)
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
        self._forget_setup()

    def legal_indices(self, row: int) -> list[int]:
        """Return the legal flat actions of a row; none where an ended match waits to be told."""
        return [] if self.state["unread"][row] else super().legal_indices(row)

    def _start(self, rows: Rows, seeds: NDArray[np.uint64], **start: NDArray[np.int64]) -> None:
        super()._start(rows, seeds)
        second = np.empty(len(rows), np.int64)
        choice, opponents = self._seat_choice, self._next_opponents
        second = second[: _seat_rows(self.state, rows, seeds, choice, opponents, second)]
        if len(second):
            self._derive(second)
            _reply_rows(self.state, self.derived, second, self._bots)
            self._ask_policies(second)
            self.state["unread"][second] = self.state["result"][second] != UNDECIDED

    @property
    def _setup(self) -> tuple[NDArray[np.int64], bool]:
        """Which bot each opponent is, and whether the outcome is paid instead of the score."""
        return self._bots, self._pays_outcome

    def _go_on(self, rows: Rows) -> None:
        self._ask_policies(rows)
        _tell_rows(self.state, rows, self._bots, self._pays_outcome, self.reward)

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
        expected = 0 if alone else _seat_of(np.uint64(record["seed"]), self._seat_choice)
        demand(seat == expected, "seat", f"is {expected} in this game")
        if result == UNDECIDED and not alone:
            demand(record["to_move"] == seat, "to_move", f"is {seat}, the caller's seat")
        may_wait = result != UNDECIDED and record["turn"] == 1 and seat == 1
        waits = "0 or 1" if may_wait else "0"
        demand(record["unread"] in (0, int(may_wait)), "unread", f"is {waits} here")
        points = 0 if record["unread"] else int(_points(record, self._bots))
        demand(record["score"] == points, "score", f"is {points} here")


def _check_seat(seat: int | str) -> int:
    """Return a fixed seat, or _DRAWN for one drawn from the seed."""
    if seat == _RANDOM_SEAT:
        return _DRAWN
    if type(seat) is not int or seat not in range(NUM_SEATS):
        raise OptionError(f'seat is 0, 1 or "{_RANDOM_SEAT}", got {shown(seat)}')
    return seat
