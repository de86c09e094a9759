"""A learned value as a function of after-states, and its file of plain arrays."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.engine import StateArray
from quiltrail.core.errors import ModelMismatchError
from quiltrail.train.afterstate.game import AFTERSTATE_GAMES, AfterstateGame, afterstates_of
from quiltrail.train.afterstate.tables import Seen, Weights, nothing_seen, write_totals

_NAMES = ("gamma", "kind", "stage_length", "weights")
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
        with path.open("wb") as file:
            np.savez_compressed(
                file,
                kind=np.array(_KIND.format(self.game.name)),
                gamma=np.array(self.gamma),
                stage_length=np.array(self.stage_length),
                weights=self.weights,
            )


def load_value(path: Path) -> AfterstateValue:
    """Return the value in a file of `AfterstateValue.save`; nothing in it is executed.

    Raises:
        ModelMismatchError: one sentence, if it is no such file or a damaged one.
    """
    try:
        return read_value(path.read_bytes())
    except OSError as error:
        raise ModelMismatchError(f"cannot read {path.name}: {error.strerror}") from None
    except ModelMismatchError as error:
        raise ModelMismatchError(f"{path.name} holds no after-state value: {error}") from None


def read_value(content: bytes) -> AfterstateValue:
    """Return the value in the content of such a file.

    Raises:
        ModelMismatchError: as `load_value`, without the name of a file.
    """
    arrays = _arrays_in(content)
    if tuple(sorted(arrays)) != _NAMES:
        raise ModelMismatchError(f"it has to hold {', '.join(_NAMES)}")
    _check(arrays, "kind", "U", ())
    game = afterstates_of(_game_of(str(arrays["kind"])))
    _check(arrays, "gamma", "f", ())
    _check(arrays, "stage_length", "i", ())
    weights = arrays["weights"]
    _check(arrays, "weights", "f", (len(weights) if weights.ndim else 0, game.num_entries))
    gamma, stage_length = float(arrays["gamma"]), int(arrays["stage_length"])
    if not (0 < gamma <= 1 and stage_length >= 1 and len(weights) >= 1):
        raise ModelMismatchError("its gamma, stage_length or number of stages is out of range")
    if weights.dtype != np.float32 or not np.isfinite(weights).all():
        raise ModelMismatchError("its weights have to be finite float32")
    return AfterstateValue(game, np.ascontiguousarray(weights), stage_length, gamma)


def _game_of(kind: str) -> str:
    """Return the game that a file's kind names."""
    for name in AFTERSTATE_GAMES:
        if kind == _KIND.format(name):
            return name
    known = ", ".join(f'"{_KIND.format(name)}"' for name in AFTERSTATE_GAMES)
    raise ModelMismatchError(f'its kind has to be {known}, got "{kind:.60}"')


def _arrays_in(content: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of an archive, read without pickle; its checksums are checked."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile, AttributeError) as error:
        raise ModelMismatchError(" ".join(f"{error}".split()) or "it is damaged") from None
    except (TypeError, NotImplementedError, zlib.error, MemoryError) as error:
        raise ModelMismatchError(f"it is damaged ({type(error).__name__})") from None


def _check(arrays: dict[str, NDArray[Any]], name: str, kind: str, shape: tuple[int, ...]) -> None:
    array = arrays[name]
    if array.dtype.kind != kind or array.shape != shape:
        raise ModelMismatchError(
            f"{name} has to be of kind {kind} and shape {shape}, "
            f"got {array.dtype} of shape {array.shape}"
        )
