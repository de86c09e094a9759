"""TD(0) on after-states: play greedily by the value so far, correct it after every move.

Choosing by the value of after-states needs no model of chance:

    V(node) <- V(node) + step * (points' / scale + gamma V(node') - V(node))

with node' the best after-state once chance has fallen, and 0 in its place where the game has ended.
A batch of games is played by its engine, a move in every row at a time.

Source: Sutton, Barto, "Reinforcement learning", 2nd edition, section 6.8 (afterstates); Szubert,
Jaskowski, CIG 2014 (TD-afterstate for 2048).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import Rows
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, shown
from quiltrail.core.jit import compiled
from quiltrail.core.mulberry32 import SEED_RANGE, draws_at
from quiltrail.train.afterstate.game import Moves, find_afterstates
from quiltrail.train.afterstate.tables import (
    correct_rows,
    empty_tables,
    nothing_seen,
)
from quiltrail.train.afterstate.value import AfterstateValue

_LARGEST = 999_999


@dataclass(frozen=True)
class Hyperparameters:
    """What a config may set under ``training.hyperparameters``.

    Attributes:
        gamma: discount for each move, above 0, up to 1.
        stages: how many tables there are, by progress.
        stage_length: progress of a stage; the last has no end.
        latest_start: episodes begin as late in the game as after 0 to so many moves, where the game
            has such a start.

    Raises:
        OptionError: if one is out of range.
    """

    gamma: float = 0.995
    stages: int = 1
    stage_length: int = 500
    latest_start: int = 0

    def __post_init__(self) -> None:
        if type(self.gamma) is not float or not 0 < self.gamma <= 1:
            raise OptionError(f"gamma is a float above 0, up to 1, got {shown(self.gamma)}")
        check_int("stages", self.stages, 1, _LARGEST)
        check_int("stage_length", self.stage_length, 1, _LARGEST)
        check_int("latest_start", self.latest_start, 0, _LARGEST)


@dataclass
class Tally:
    """What was played since the tally was made; ``finished`` games were not cut off."""

    moves: int = 0
    episodes: int = 0
    finished: int = 0
    finished_moves: int = 0
    errors: float = 0.0


@compiled
def _write_best(
    totals: NDArray[np.float64], bounds: NDArray[np.int64], best: NDArray[np.int64]
) -> None:
    """Write the first of the best moves of each row, -1 where it has none."""
    for row in range(best.shape[0]):
        best[row] = -1
        for n in range(bounds[row], bounds[row + 1]):
            if best[row] < 0 or totals[n] > totals[best[row]]:
                best[row] = n


def best_moves(moves: Moves, totals: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the index of each row's best move, (R,); of equals the first, of none -1."""
    best = np.empty(len(moves.bounds) - 1, np.int64)
    _write_best(totals, moves.bounds, best)
    return best


class AfterstateTD:
    """A batch of games that learns the value it plays by.

    Args:
        engine: its games, which are started anew.
        hyperparameters: how it learns.
        seed: of the stream that the games' seeds and starts are drawn from.
        most_moves: behind so many moves an episode is cut off, with its value kept.

    Raises:
        OptionError: if the engine's game cannot be learned so.
    """

    def __init__(
        self, engine: Engine, hyperparameters: Hyperparameters, seed: int, most_moves: int
    ) -> None:
        self.game = find_afterstates(engine)
        self.hyperparameters = hyperparameters
        self.tables = empty_tables(hyperparameters.stages, self.game.num_entries)
        self.value = AfterstateValue(
            self.game,
            self.tables.weights,
            hyperparameters.stage_length,
            hyperparameters.gamma,
        )
        self._engine = engine
        self._rows = np.arange(engine.num_games)
        self._last = nothing_seen(engine.num_games, self.game.most_active)
        self._seed, self._draws = seed, 0
        self._most_moves = most_moves
        self._start(self._rows)

    def play(self, rounds: int, step: float, tally: Tally) -> None:
        """Make so many moves in every game and learn from them.

        Args:
            rounds: moves a game.
            step: the share of an error that one correction takes away, before coherence.
            tally: counted on.
        """
        for _ in range(rounds):
            moves = self.game.moves(self._engine, self._rows)
            totals = moves.points / self.game.scale
            totals += self.hyperparameters.gamma * self.value.units(moves.afterstates)
            best = best_moves(moves, totals)
            tally.errors += correct_rows(self.tables, self._last, self._rows, totals[best], step)
            self._remember(moves, best)
            self._engine.step(moves.actions[best])
            tally.moves += len(best)
            self._end_episodes(step, tally)

    def get_state(self) -> dict[str, Any]:
        """Return everything that decides what is learned from here on."""
        return {
            "tables": {name: table.copy() for name, table in self.tables._asdict().items()},
            "last": {name: array.copy() for name, array in self._last._asdict().items()},
            "games": self._engine.state.copy(),
            "draws": self._draws,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on exactly from a state."""
        _copy_into(self.tables._asdict(), state["tables"])
        _copy_into(self._last._asdict(), state["last"])
        self._engine.restore(self._rows, list(state["games"]))
        self._draws = state["draws"]

    def _remember(self, moves: Moves, best: NDArray[np.int64]) -> None:
        """Keep what the tables see of the after-states that the games come through."""
        seen = self.value.seen(moves.afterstates[best])
        _copy_into(self._last._asdict(), seen._asdict())

    def _end_episodes(self, step: float, tally: Tally) -> None:
        """Start ended games anew: nothing is worth 0; what is cut off keeps its value."""
        engine = self._engine
        ended = np.flatnonzero(engine.terminated)
        tally.errors += correct_rows(self.tables, self._last, ended, np.zeros(len(ended)), step)
        over = np.flatnonzero(engine.terminated | (engine.state["turn"] >= self._most_moves))
        tally.episodes += len(over)
        tally.finished += len(ended)
        tally.finished_moves += int(engine.state["turn"][ended].sum())
        if len(over):
            self._start(over)

    def _start(self, rows: Rows) -> None:
        """Begin fresh games in rows, at random progress where the game has such starts."""
        # Two draws a row: the seed of its game, and how late it begins.
        counts = self._draws + 1 + np.arange(2 * len(rows))
        drawn = draws_at(np.full(2 * len(rows), self._seed, np.uint64), counts)
        self._draws += 2 * len(rows)
        option, latest = self.game.start_option, np.uint64(self.hyperparameters.latest_start + 1)
        progress = (drawn[1::2] * latest // np.uint64(SEED_RANGE)).astype(np.int64)
        self._engine.reset(rows, drawn[::2], **({} if option is None else {option: progress}))
        self._last.counts[rows] = 0


def _copy_into(arrays: Mapping[str, NDArray[Any]], values: Mapping[str, NDArray[Any]]) -> None:
    """Write values into the arrays of the same names."""
    for name, array in arrays.items():
        array[...] = values[name]
