"""Tinrail's rules for a batch of matches; the caller plays both seats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.actions import RefusalCode
from quiltrail.core.array_types import Record, Rows, StateArray
from quiltrail.core.engine import Engine
from quiltrail.core.errors import demand
from quiltrail.core.jit import compiled
from quiltrail.core.row_kernels import RowKernels, Setup, row_kernels
from quiltrail.envs.tinrail import rules
from quiltrail.envs.tinrail.checks import check_match
from quiltrail.envs.tinrail.match import (
    deal,
    hand_size,
    has_won,
    place,
    score_of,
    tiles_survived,
)
from quiltrail.envs.tinrail.observation import FIELDS, observe_seats, observer_of, see
from quiltrail.envs.tinrail.position import BOTH_SEATS, STATE, hand_view, view_of
from quiltrail.envs.tinrail.rails import RAILS, rebuild
from quiltrail.envs.tinrail.rules import (
    NUM_ACTIONS,
    NUM_ROTATIONS,
    NUM_TILES,
    UNDECIDED,
)
from quiltrail.envs.tinrail.study import Position

_NO_SUCH_TILE = int(RefusalCode.NO_SUCH_TILE)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_ALL_ACTIONS = np.uint64((1 << NUM_ACTIONS) - 1)


@compiled
def _begin(game: Record, first: int) -> None:
    """Deal a match whose two seats are both the caller's; ``first`` says nothing here."""
    deal(game, np.zeros(NUM_TILES, np.int8))
    game["seat"] = 0
    game["opponent"] = BOTH_SEATS


@compiled
def _find_legal(game: Record, setup: Setup, legal: Record) -> None:
    """Write a match's legal set, which is one word: every tile in hand at every rotation."""
    if game["unread"]:
        legal["words"][0] = _ALL_ACTIONS  # any of them tells the result
    elif game["result"] != UNDECIDED:
        legal["words"][0] = _ZERO
    else:
        count = NUM_ROTATIONS * hand_size(game, int(game["to_move"]))
        legal["words"][0] = (_ONE << np.uint64(count)) - _ONE


@compiled
def _tell(game: Record) -> int:
    """Write the first seat's score into a match that has just ended; return it."""
    seat = int(game["seat"])
    points = score_of(game["result"], seat, tiles_survived(game, seat), False)
    game["score"] = points
    return points


@compiled
def _play(game: Record, track: Record, action: int, setup: Setup) -> tuple[int, bool]:
    """Play a legal action; return the first seat's points, and that nothing has to wait."""
    place(game, track, action)
    return _tell(game), False


@compiled
def _diagnose(game: Record, legal: Record, action: int, setup: Setup) -> int:
    """Return why an action is refused in a running match: the hand has no such tile."""
    return _NO_SUCH_TILE


@compiled
def _see(game: Record, track: Record, legal: Record, setup: Setup, seen: Record) -> None:
    """Write what the seat whose turn the caller plays sees of a match."""
    see(game, track, observer_of(game), seen["words"])


@compiled
def _rebuild_rows(state: StateArray, rails: StateArray, rows: Rows) -> None:
    for r in range(rows.shape[0]):
        rebuild(rails[rows[r]], state[rows[r]]["table"])


#: What a match is like whoever plays it, for `row_kernels`.
MATCH_KERNELS: dict[str, Callable[..., Any]] = {
    "begin": _begin,
    "find_legal": _find_legal,
    "diagnose": _diagnose,
    "see": _see,
    "has_won": has_won,
}


class TinrailEngine(Engine):
    """B matches of Tinrail, one placement a step, whoever is to move.

    ``score`` and ``reward`` are those of the first seat, by the formula for Wise; `final_score` has
    them for either seat and bot. Observation, mask and legal list are the mover's; `observe_for`
    shows any seat its own.
    """

    game: ClassVar[str] = "tinrail"
    kernels: ClassVar[RowKernels] = row_kernels("tinrail", play=_play, **MATCH_KERNELS)
    drawing: ClassVar[str] = "quiltrail.envs.tinrail.draw"
    wording: ClassVar[str] = "quiltrail.envs.tinrail.text"
    afterstates: ClassVar[str | None] = "quiltrail.envs.tinrail.afterstates"

    def __init__(self, num_games: int, *, settings: Mapping[str, Any] | None = None) -> None:
        super().__init__(
            num_games,
            state_dtype=STATE,
            fields=FIELDS,
            codec=rules.CODEC,
            derived_dtype=RAILS,
            settings=settings,
        )

    def final_score(self, row: int, seat: int, *, easy: bool = False) -> int:
        """Return a seat's published points, 0 while the match is on; ``easy``: times 0.6."""
        game = self.state[row]
        return int(score_of(game["result"], seat, tiles_survived(game, seat), easy))

    def observe_words(self, rows: Rows, seats: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return what seat ``seats[i]`` sees of row ``rows[i]``, as fresh words (R, W)."""
        words = np.zeros((len(rows), self.words.shape[1]), np.uint64)
        observe_seats(self.state, self.derived, rows, seats, words)
        return words

    def observe_for(self, rows: Rows, seats: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Return what seat ``seats[i]`` sees of row ``rows[i]``, fresh arrays (R, ..)."""
        seen = self.observe_words(rows, seats).view(self._seen.dtype)[:, 0]
        return {one.name: np.ascontiguousarray(seen[one.name]) for one in self.fields}

    def view(self, row: int, seat: int | None = None) -> dict[str, Any]:
        """Return what the publisher's observation publishes, in its own field names.

        Hand and legal list are those of ``seat``, by default of the seat to move.
        """
        view = super().view(row)
        if seat is not None and seat != view["toMove"] and view["toMove"] is not None:
            view |= {"hand": hand_view(self.state[row], seat), "legalActions": []}
        return view

    def set_position(self, row: int, position: Position) -> None:
        """Set up a position for study, also one that play cannot reach.

        A state of such a position cannot be loaded by `set_state`, which demands possible ones.

        Raises:
            StateError: naming the part that is no position.
        """
        record = position.record()
        self._take_seat(record, row)
        self.restore(np.array([row]), [record])

    def _derive(self, rows: Rows) -> None:
        _rebuild_rows(self.state, self.derived, rows)

    def _particulars(self, row: int, action: int, code: int) -> str:
        if code != _NO_SUCH_TILE:
            return ""
        held = hand_size(self.state[row], int(self.state[row]["to_move"]))
        return f"tileIndex {action // NUM_ROTATIONS}, the hand holds {held}"

    def _view(self, row: int) -> dict[str, Any]:
        return view_of(self.state[row])

    def _check_record(self, record: Record) -> None:
        check_match(record)
        self._check_players(record)

    def _take_seat(self, record: Record, row: int) -> None:
        """Write into the record of a set-up position who plays it."""
        record["seat"] = 0
        record["opponent"] = BOTH_SEATS

    def _check_players(self, record: Record) -> None:
        """Check who plays, and the score."""
        demand(record["seat"] == 0, "seat", "is 0: the score is the first seat's")
        demand(record["opponent"] == BOTH_SEATS, "opponent", f"is {BOTH_SEATS}: there is none")
        demand(record["unread"] == 0, "unread", "is 0")
        points = score_of(record["result"], 0, tiles_survived(record, 0), False)
        demand(record["score"] == points, "score", f"is {points} here")
