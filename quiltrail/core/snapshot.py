"""A game's record from and to JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Record
from quiltrail.core.errors import StateError, shown, unknown_name_text

STATE_FORMAT = 1


def fill_record(record: Record, state: object, game: str, settings: Mapping[str, Any]) -> None:
    """Copy the JSON values of a state into a record, checking types, shapes and ranges.

    Raises:
        StateError: a sentence that names the field that is wrong.
    """
    if not isinstance(state, Mapping):
        raise StateError(f"a state is a dict from get_state, got {type(state).__name__}")
    names: tuple[str, ...] = record.dtype.names
    expected = {"game": game, "format": STATE_FORMAT, "settings": dict(settings)}
    for name in state:
        if name not in names and name not in expected:
            raise StateError(unknown_name_text("state field", name, [*expected, *names]))
    for name in (*expected, *names):
        if name not in state:
            raise StateError(f'the state lacks the field "{name}"')
    for name, value in expected.items():
        if state[name] != value:
            raise StateError(
                f'state field "{name}" has to be {shown(value)}, got {shown(state[name])}'
            )
    for name in names:
        record[name] = _field_values(name, state[name], record.dtype[name])


def _field_values(name: str, value: object, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return a state field as an array of its exact shape and type."""
    base, shape = dtype.subdtype or (dtype, ())
    leaves = _leaves(name, value, shape)
    bounds = np.iinfo(base)
    for leaf in leaves:
        if type(leaf) is not int or not bounds.min <= leaf <= bounds.max:
            raise StateError(
                f'state field "{name}" holds ints from {bounds.min} to {bounds.max}, '
                f"got {shown(leaf)}"
            )
    return np.array(leaves, base).reshape(shape)


def _leaves(name: str, value: object, shape: tuple[int, ...]) -> list[Any]:
    """Return the numbers of nested lists of this shape, row by row."""
    if not shape:
        return [value]
    if not isinstance(value, (list, tuple)) or len(value) != shape[0]:
        raise StateError(f'state field "{name}" is a list of shape {shape}, got {shown(value)}')
    return [leaf for part in value for leaf in _leaves(name, part, shape[1:])]
