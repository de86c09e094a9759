"""The layout of observations: named arrays, each of which starts a new word of eight bytes.

A kernel may then write rows of int8 eight at a time; one-hot rows come from small tables of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

WORD_BYTES = 8


@dataclass(frozen=True)
class ObservationField:
    """One named array of the observation: inclusive bounds, and its meaning for the docs."""

    name: str
    shape: tuple[int, ...]
    high: int
    meaning: str
    low: int = 0
    dtype: DTypeLike = np.int8

    @property
    def num_bytes(self) -> int:
        """How long the field is."""
        return np.dtype((self.dtype, self.shape)).itemsize


def word_span(num_bytes: int) -> int:
    """Return how many words hold so many bytes."""
    return -(-num_bytes // WORD_BYTES)


def sorted_fields(fields: Sequence[ObservationField]) -> tuple[ObservationField, ...]:
    """Return the fields in the order of a `gymnasium.spaces.Dict`."""
    return tuple(sorted(fields, key=lambda one: one.name))


def field_words(fields: Sequence[ObservationField]) -> dict[str, int]:
    """Return at which word of an observation each field starts."""
    starts, end = {}, 0
    for one in sorted_fields(fields):
        starts[one.name] = end
        end += word_span(one.num_bytes)
    return starts


def observation_dtype(fields: Sequence[ObservationField]) -> np.dtype[np.void]:
    """Return the record of an observation: its fields, and ``words``, all of it as (W,) uint64."""
    ordered, starts = sorted_fields(fields), field_words(fields)
    count = sum(word_span(one.num_bytes) for one in ordered)
    return np.dtype(
        {
            "names": ["words", *(one.name for one in ordered)],
            "formats": [(np.uint64, (count,)), *((one.dtype, one.shape) for one in ordered)],
            "offsets": [0, *(WORD_BYTES * starts[one.name] for one in ordered)],
            "itemsize": WORD_BYTES * count,
        }
    )
