"""Where Sunpleat's garlands come from: the source an engine asks for each, and the published one.

Source: the published rules of Sunpleat for the eight templates and their order.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from quiltrail.core.array_types import Record, Rows, StateArray
from quiltrail.core.boards import BoardSource
from quiltrail.core.errors import demand
from quiltrail.core.jit import compiled
from quiltrail.envs.sunpleat.garlands import award
from quiltrail.envs.sunpleat.rules import (
    FIRST_REPEATED_TEMPLATE,
    LENGTHS,
    MAX_MOVES,
    MAX_PENNANTS,
    NUM_TEMPLATES,
    PARS,
    PLAYING,
    SPARE_MOVES,
    START_GARLANDS,
)


class GarlandSource(BoardSource):
    """A sequence of garlands for every game seed: it writes ``n``, ``par`` and ``start``.

    Attributes:
        pennants: places of a garland in the record; the most pennants a board has.
        spare_moves: how many moves beyond par a board allows.
        most_moves: the largest budget of a board.
    """

    pennants: int
    spare_moves: int
    most_moves: int

    @abstractmethod
    def score_bounds(self, game: Record, cleared: int) -> tuple[int, int]:
        """Return the least and the most points of so many clears."""


@compiled
def _template_of(board: int) -> int:
    """Return the one-based template of a board: 1 to 8, then 5, 6, 7, 8 for ever."""
    if board <= NUM_TEMPLATES:
        return board
    period = NUM_TEMPLATES + 1 - FIRST_REPEATED_TEMPLATE
    return FIRST_REPEATED_TEMPLATE + (board - NUM_TEMPLATES - 1) % period


@compiled
def rehang(game: Record) -> None:
    """Bring back this board's first garland and its full budget."""
    for place in range(len(game["start"])):
        game["garland"][place] = game["start"][place]
    game["moves_used"] = 0
    game["phase"] = PLAYING


@compiled
def _deal_rows(state: StateArray, rows: Rows) -> None:
    for row in rows:
        game = state[row]
        template = _template_of(game["board"]) - 1
        game["n"] = LENGTHS[template]
        game["par"] = PARS[template]
        for place in range(MAX_PENNANTS):
            game["start"][place] = START_GARLANDS[template, place]
        rehang(game)


class PublishedGarlands(GarlandSource):
    """The eight published templates in their order; the seed changes nothing."""

    settings: Mapping[str, Any] = {}
    pennants = MAX_PENNANTS
    spare_moves = SPARE_MOVES
    most_moves = MAX_MOVES

    def deal(self, state: StateArray, rows: Rows, *, fresh: bool) -> None:
        """Write the boards of some rows; they depend on nothing but their numbers."""
        _deal_rows(state, rows)

    def check_board(self, game: Record) -> None:
        """Raise `StateError` unless n, par and start are those of the board."""
        demand(game["board"] >= 1, "board", "is at least 1")
        template = _template_of(game["board"]) - 1
        demand(game["n"] == LENGTHS[template], "n", f"is {LENGTHS[template]} on this board")
        demand(game["par"] == PARS[template], "par", f"is {PARS[template]} on this board")
        start = START_GARLANDS[template]
        demand((game["start"] == start).all(), "start", f"is {start.tolist()} on this board")

    def score_bounds(self, game: Record, cleared: int) -> tuple[int, int]:
        """Return the least and the most points of so many clears, of any boards."""
        least, most = int(LENGTHS.min()), int(LENGTHS.max())
        return cleared * award(least, 0), cleared * award(most, SPARE_MOVES)

    def view_fields(self, game: Record) -> dict[str, Any]:
        """Return the template."""
        return {"templateIndex": int(_template_of(game["board"]))}
