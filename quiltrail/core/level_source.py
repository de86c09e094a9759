"""The source of a levelled game's boards: it keeps levels at hand and deals the wanted ones.

A game writes kernels for one level, `make_level` to `write_board` below, and `level_kernels` builds
the loops around them, as `quiltrail.core.row_kernels` does for play.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Record, Rows, StateArray
from quiltrail.core.boards import BoardSource
from quiltrail.core.errors import OptionError, demand
from quiltrail.core.jit import compiled, with_parts
from quiltrail.core.levels import (
    MAX_REDRAWS,
    LevelSet,
    check_choice,
    choice_cursor,
    level_at,
    no_level_error,
)
from quiltrail.core.mulberry32 import SEED_RANGE, advance

#: What a table keeps of every level, beside its board.
LEVEL_FIELDS: tuple[tuple[str, type[Any]], ...] = (
    ("level", np.uint32),
    ("is_known", np.bool_),
    ("part", np.int8),  # 0 train, 1 test
)

#: A tuple of the arrays that a family's boards are made with.
Makings = Any

_NOWHERE = -1  # in place of a place in the table

# What a game writes. In the loops these names stand for its own kernels.


def make_level(record: Record, level: int, makings: Makings) -> None:
    """Write the board of a level and its part into a record of the table."""
    raise NotImplementedError


def is_wanted(record: Record, limits: NDArray[np.int64]) -> bool:
    """Return whether a level is within limits, which are numbers of the game's own."""
    raise NotImplementedError


def write_board(game: Record, record: Record) -> None:
    """Put a game at the beginning of a level's board."""
    raise NotImplementedError


# The loops. ``table`` holds a record of `LEVEL_FIELDS` and a board for each place, ``levels`` is
# the first level and how many there are.


def _find_level(table: StateArray, level: int, start_level: int, makings: Makings) -> int:
    """Return the place of a level in the table, making its board if it is not there."""
    place = ((level - start_level) % SEED_RANGE) % table.shape[0]
    record = table[place]
    if not record["is_known"] or record["level"] != level:
        make_level(record, level, makings)
        record["level"] = level
        record["is_known"] = True
    return int(place)


def _next_wanted(
    cursor: np.uint64,
    table: StateArray,
    levels: NDArray[np.int64],
    limits: NDArray[np.int64],
    makings: Makings,
) -> tuple[np.uint64, int]:
    """Return the cursor behind the draw of the next wanted level, and its place in the table."""
    for _ in range(MAX_REDRAWS):
        cursor = advance(cursor)
        level = level_at(cursor, levels[0], levels[1])
        place = _find_level(table, level, levels[0], makings)
        if is_wanted(table[place], limits):
            return cursor, place
    return cursor, _NOWHERE


def _deal_rows(
    state: StateArray,
    rows: Rows,
    fresh: bool,
    table: StateArray,
    levels: NDArray[np.int64],
    limits: NDArray[np.int64],
    makings: Makings,
) -> bool:
    """Deal the next wanted level to each row; return whether all of them got one."""
    for row in rows:
        game = state[row]
        cursor = choice_cursor(np.uint64(game["seed"])) if fresh else np.uint64(game["cursor"])
        cursor, place = _next_wanted(cursor, table, levels, limits, makings)
        if place == _NOWHERE:
            return False
        game["level"] = table[place]["level"]
        write_board(game, table[place])
        game["cursor"] = cursor
    return True


def _open_rows(
    state: StateArray,
    rows: Rows,
    chosen: NDArray[np.int64],
    table: StateArray,
    start_level: int,
    makings: Makings,
) -> None:
    """Deal a chosen level to each row."""
    for r in range(rows.shape[0]):
        game = state[rows[r]]
        place = _find_level(table, chosen[r], start_level, makings)
        game["level"] = chosen[r]
        write_board(game, table[place])
        game["cursor"] = choice_cursor(np.uint64(game["seed"]))


@dataclass(frozen=True)
class LevelKernels:
    """The loops of one game, compiled when they are first called."""

    find: Callable[..., int]
    next_wanted: Callable[..., tuple[np.uint64, int]]
    is_wanted: Callable[..., bool]
    deal: Callable[..., bool]
    open: Callable[..., None]


def level_kernels(
    owner: str,
    *,
    make_level: Callable[..., None],
    is_wanted: Callable[..., bool],
    write_board: Callable[[Record, Record], None],
) -> LevelKernels:
    """Return the loops around a game's kernels, which have the signatures above.

    Args:
        owner: a name that no other game gives, for numba's cache.
        make_level: compiled, as the others.
        is_wanted: may add to the record what it has to find out.
        write_board: writes all that follows from the level, but ``level`` itself.
    """
    find = compiled(with_parts(_find_level, owner, make_level=make_level))
    choose: dict[str, Callable[..., Any]] = {"_find_level": find, "is_wanted": is_wanted}
    next_wanted = compiled(with_parts(_next_wanted, owner, **choose))
    deal = with_parts(_deal_rows, owner, _next_wanted=next_wanted, write_board=write_board)
    opened = with_parts(_open_rows, owner, _find_level=find, write_board=write_board)
    return LevelKernels(find, next_wanted, is_wanted, compiled(deal), compiled(opened))


class LevelFamily(ABC):
    """Which boards levels stand for; equal families are equal and have equal hashes."""

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """What makes the family, as JSON values."""

    @property
    @abstractmethod
    def record(self) -> np.dtype[np.void]:
        """The record of a level in the table: `LEVEL_FIELDS`, and its board."""

    @property
    @abstractmethod
    def makings(self) -> tuple[NDArray[Any], ...]:
        """The arrays that `make_level` needs."""


@cache
def _level_table(family: LevelFamily, start_level: int, size: int) -> StateArray:
    """Return the table for a family's levels from a first one on, (size,) records.

    Level l has place (l - start_level) modulo the size; in a set of more levels than that, a new
    one takes the place of an older one. Environments of one family share a table: what it says
    about a level never changes.
    """
    return np.zeros(size, family.record)


class LevelSource(BoardSource):
    """Boards of levels that the game seed chooses, and only of wanted ones.

    Args:
        family: which boards levels stand for.
        levels: which levels there are.
        more: further settings, as JSON values.

    Attributes:
        limits: those of all wanted levels, for `is_wanted`; a game's source sets them.
    """

    kernels: ClassVar[LevelKernels]
    limits: NDArray[np.int64]

    def __init__(self, family: LevelFamily, levels: LevelSet, more: Mapping[str, Any]) -> None:
        self.family = family
        self.levels = levels
        self.settings: Mapping[str, Any] = {**family.settings, **more, **levels.settings}

    @abstractmethod
    def limits_between(self, low: float, high: float) -> NDArray[np.int64]:
        """Return the limits of wanted levels with low <= difficulty < high, for `is_wanted`."""

    @property
    def table(self) -> StateArray:
        """The levels at hand."""
        return _level_table(self.family, self.levels.start_level, self.levels.table_size)

    def board(self, level: int) -> Record:
        """Return a level's record in the table, not to be changed."""
        table, first = self.table, self.levels.start_level
        return table[self.kernels.find(table, level, first, self.family.makings)]

    def deal(self, state: StateArray, rows: Rows, *, fresh: bool) -> None:
        """Write the boards of some rows; they depend on the seed, and how far its stream is.

        Raises:
            OptionError: if the settings leave too few levels.
        """
        choice = (self.table, self.levels.numbers, self.limits, self.family.makings)
        if not self.kernels.deal(state, rows, fresh, *choice):
            raise no_level_error(dict(self.settings))

    def open(self, state: StateArray, rows: Rows, levels: NDArray[np.int64]) -> None:
        """Write the boards of given levels into fresh runs, one level each."""
        first = self.levels.start_level
        self.kernels.open(state, rows, levels, self.table, first, self.family.makings)

    def levels_between(self, seed: int, count: int, low: float, high: float) -> list[int]:
        """Return the next wanted levels of a game seed's stream with low <= difficulty < high.

        Raises:
            OptionError: if there are too few.
        """
        limits, table = self.limits_between(low, high), self.table
        choice = (table, self.levels.numbers, limits, self.family.makings)
        cursor, found = choice_cursor(np.uint64(seed)), []
        for _ in range(count):
            cursor, place = self.kernels.next_wanted(cursor, *choice)
            if place == _NOWHERE:
                raise no_level_error({**self.settings, "difficulty": [low, high]})
            found.append(int(table[place]["level"]))
        return found

    def accepts(self, level: int) -> bool:
        """Return whether a level is wanted."""
        return bool(self.kernels.is_wanted(self.board(level), self.limits))

    def check_level(self, level: object) -> int:
        """Return a level to start with.

        Raises:
            OptionError: if it is not in the set or not wanted.
        """
        number = self.levels.check(level)
        if not self.accepts(number):
            raise OptionError(f"level {number} does not fit these settings: {self.settings}")
        return number

    def check_dealt(self, game: Record, board: int) -> Record:
        """Return the record of a game's level, which has to be one its seed can have come to.

        Which levels were passed over before is not played through again.

        Args:
            game: the record of a game.
            board: which board of the run it is at, from 1 on.

        Raises:
            StateError: naming the field that cannot be so.
        """
        check_choice(game, board, self.levels)
        level = int(game["level"])
        try:
            self.check_level(level)
        except OptionError:
            demand(False, "level", "is one that the settings want")
        return self.board(level)

    def view_fields(self, game: Record) -> dict[str, Any]:
        """Return the level."""
        return {"level": int(game["level"])}
