"""A learned value as a function of after-states, and its file of plain arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.archive import (
    check_array,
    check_weights,
    read_arrays,
    read_file,
    write_arrays,
)
from quiltrail.core.array_types import StateArray
from quiltrail.core.errors import ModelMismatchError
from quiltrail.train.afterstate.game import AFTERSTATE_GAMES, AfterstateGame, afterstates_of
from quiltrail.train.afterstate.tables import Seen, Weights, nothing_seen, write_totals

_NAMES = ("gamma", "stage_length", "weights")
_KIND = "quiltrail {} after-state value 1"
_AT_ONCE = 1024  # after-states, so that what is seen of them stays in a cache


class AfterstateValue:
    """A value function for players, compiled over whole batches.

    Args:
        game: whose after-states.
        weights: (S, E) float32, S stages of the game's entries; read, never copied.
        stage_length: progress of a stage.
        gamma: the discount it was learned with.
    """

    def __init__(
        self, game: AfterstateGame, weights: Weights, stage_length: int, gamma: float
    ) -> None:
        self.game = game
        self.weights = weights
        self.stage_length = stage_length
        self.gamma = gamma

    def __call__(self, afterstates: StateArray) -> NDArray[np.float64]:
        """Return what after-states (N,) are worth in points, (N,) float64."""
        return self.game.scale * self.gamma * self.units(afterstates)

    def units(self, afterstates: StateArray) -> NDArray[np.float64]:
        """Return the sums of the tables' entries, in units of the game's scale, (N,) float64."""
        values = np.empty(len(afterstates))
        for first in range(0, len(afterstates), _AT_ONCE):
            part = afterstates[first : first + _AT_ONCE]
            write_totals(self.weights, self.seen(part), values[first : first + _AT_ONCE])
        return values

    def seen(self, afterstates: StateArray) -> Seen:
        """Return what the tables see of after-states."""
        seen = nothing_seen(len(afterstates), self.game.most_active)
        seen.stages[:] = self.game.progress(afterstates) // self.stage_length
        np.minimum(seen.stages, len(self.weights) - 1, out=seen.stages)
        self.game.write_active(afterstates, seen.active, seen.counts)
        return seen

    def save(self, path: Path) -> None:
        """Write the file that `load_value` reads: an archive of plain arrays, no pickle."""
        arrays = {
            "gamma": np.array(self.gamma),
            "stage_length": np.array(self.stage_length),
            "weights": self.weights,
        }
        write_arrays(path, _KIND.format(self.game.name), arrays)


def load_value(path: Path) -> AfterstateValue:
    """Return the value in a file of `AfterstateValue.save`; nothing in it is executed.

    Raises:
        ModelMismatchError: one sentence, if it is no such file or a damaged one.
    """
    return read_file(path, "after-state value", read_value)


def read_value(content: bytes) -> AfterstateValue:
    """Return the value in the content of such a file.

    Raises:
        ModelMismatchError: as `load_value`, without the name of a file.
    """
    games = {_KIND.format(name): name for name in AFTERSTATE_GAMES}
    kind, arrays = read_arrays(content, [*games], _NAMES)
    game = afterstates_of(games[kind])
    check_array(arrays, "gamma", "f", ())
    check_array(arrays, "stage_length", "i", ())
    weights = arrays["weights"]
    check_weights(arrays, "weights", (len(weights) if weights.ndim else 0, game.num_entries))
    gamma, stage_length = float(arrays["gamma"]), int(arrays["stage_length"])
    if not (0 < gamma <= 1 and stage_length >= 1 and len(weights) >= 1):
        raise ModelMismatchError("its gamma, stage_length or number of stages is out of range")
    return AfterstateValue(game, np.ascontiguousarray(weights), stage_length, gamma)
