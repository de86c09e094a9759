"""The arrays of a batch of games, and what is done with whole rows of them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quiltrail.core import legality
from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import Rows, StateArray
from quiltrail.core.observation import (
    WORD_BYTES,
    ObservationField,
    observation_dtype,
    sorted_fields,
)


class BatchArrays:
    """B games in arrays made once; row i of each is game i.

    Attributes:
        num_games: B.
        state: (B,) structured array, the complete state of every game.
        legal: (B, W) uint64, the legal sets (see `quiltrail.core.legality`).
        reward: (B,) float64, points of the last step.
        terminated: (B,) bool, whether the game has ended.
        refusal: (B,) int64, refusal code of the last step, 0 = accepted.
        derived: (B,) structured array of what a game keeps at hand although it follows from the
            state; it is no part of snapshots.
        words: (B, ..) uint64, the observations as whole words; see
            `quiltrail.core.observation.field_words`.
        success: (B,) bool, whether an ended game counts as won; None where the game has no such
            notion.

    All of them, `mask` and `observation` too, are live: the next step writes into them.

    Args:
        num_games: B, at least 1.
        state_dtype: the record type of ``state``.
        derived_dtype: the record type of ``derived``.
        fields: the observation's layout.
        num_actions: A.
        judges_success: whether an ended game counts as won or lost.

    Raises:
        OptionError: if the number of games is not an int of at least 1.
    """

    def __init__(
        self,
        num_games: int,
        *,
        state_dtype: np.dtype[np.void],
        derived_dtype: np.dtype[np.void],
        fields: Sequence[ObservationField],
        num_actions: int,
        judges_success: bool,
    ) -> None:
        self.num_games = check_num_games(num_games)
        self.num_actions = num_actions
        self.fields = sorted_fields(fields)
        self.state: StateArray = np.zeros(num_games, state_dtype)
        self.derived: StateArray = np.zeros(num_games, derived_dtype)
        self.legal = np.zeros((num_games, legality.word_count(num_actions)), np.uint64)
        self.reward = np.zeros(num_games, np.float64)
        self.terminated = np.zeros(num_games, np.bool_)
        self.refusal = np.zeros(num_games, np.int64)
        self._wins = np.zeros(num_games, np.bool_)
        self.success = self._wins if judges_success else None
        self._mask_words = np.zeros((num_games, legality.mask_word_count(num_actions)), np.uint64)
        words = observation_dtype(self.fields).itemsize // WORD_BYTES
        self.words = np.zeros((num_games, words), np.uint64)
        self._all_rows = np.arange(num_games)

    @cached_property
    def mask(self) -> NDArray[np.int8]:
        """(B, A) int8 action masks, live; all ones after a game's end."""
        return self._mask_words.view(np.int8)[:, : self.num_actions]

    @cached_property
    def _seen(self) -> StateArray:
        """(B,) records of the observations, live."""
        return self.words.view(observation_dtype(self.fields))[:, 0]

    @cached_property
    def _live_fields(self) -> dict[str, NDArray[Any]]:
        return {one.name: self._seen[one.name] for one in self.fields}

    @cached_property
    def _first_row(self) -> dict[str, NDArray[Any]]:
        return {name: values[0] for name, values in self._live_fields.items()}

    @property
    def observation(self) -> dict[str, NDArray[Any]]:
        """The observation fields, each (B, ...), live."""
        return dict(self._live_fields)

    def observation_of(self, row: int) -> dict[str, NDArray[Any]]:
        """Return fresh copies of one row's observation fields."""
        if row == 0:  # a single environment's, asked for at each step
            return {name: values.copy() for name, values in self._first_row.items()}
        return {name: values[row].copy() for name, values in self._live_fields.items()}

    def __getstate__(self) -> dict[str, Any]:
        """Return what copies and pickles take along: what shows the arrays is made anew."""
        kind = type(self)
        return {
            name: value
            for name, value in vars(self).items()
            if not isinstance(getattr(kind, name, None), cached_property)
        }

    @cached_property
    def score(self) -> NDArray[np.int64]:
        """(B,) int64, the published score so far, live."""
        return self.state["score"]

    @cached_property
    def game_seed(self) -> NDArray[np.uint32]:
        """(B,) uint32, the seed each running game was started with, live."""
        return self.state["seed"]

    def clone_rows(self, src: Rows, dst: Rows) -> None:
        """Copy whole games from rows ``src`` to rows ``dst``, as many each."""
        for array in self._row_arrays():
            array[dst] = array[src]

    def branch(self, rows: Rows) -> Self:
        """Return a new engine whose games are copies of these rows, in this order."""
        # deepcopy takes what its memo already holds: for each (B, ..) array, the chosen rows.
        twin = deepcopy(self, {id(array): array[rows] for array in self._row_arrays()})
        twin.num_games = len(rows)
        twin._all_rows = np.arange(len(rows))
        return twin

    def copy(self) -> Self:
        """Return an independent copy of the whole batch."""
        return deepcopy(self)

    def _row_arrays(self) -> list[NDArray[Any]]:
        return [
            self.state,
            self.derived,
            self.legal,
            self.reward,
            self.terminated,
            self.refusal,
            self._wins,
            self._mask_words,
            self.words,
        ]


def check_num_games(num_games: object) -> int:
    """Return B.

    Raises:
        OptionError: if it is not an int of at least 1.
    """
    return check_int("the number of games", num_games, 1)
