"""An observation as one vector of int8, for interfaces that want a Box."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.observation import WORD_BYTES, field_words, sorted_fields
from quiltrail.envs.tinrail.observation import FIELDS

_ORDERED = sorted_fields(FIELDS)


def _places() -> dict[str, slice]:
    """Return where in the vector each field lies; the fields follow each other by name."""
    places, end = {}, 0
    for one in _ORDERED:
        places[one.name] = slice(end, end + prod(one.shape))
        end += prod(one.shape)
    return places


def _bytes() -> NDArray[np.int64]:
    """Return for each place of the vector the byte of the observation's words."""
    starts = field_words(FIELDS)
    return np.concatenate(
        [WORD_BYTES * starts[one.name] + np.arange(prod(one.shape)) for one in _ORDERED]
    )


#: Field -> its slice of the vector.
PLACES = _places()
_BYTES = _bytes()
LOW = np.concatenate([np.full(prod(one.shape), one.low, np.int8) for one in _ORDERED])
HIGH = np.concatenate([np.full(prod(one.shape), one.high, np.int8) for one in _ORDERED])


def flatten(words: NDArray[np.uint64]) -> NDArray[np.int8]:
    """Return observations given as words (.., W) as fresh vectors (.., 565) int8."""
    flat: NDArray[np.int8] = words.view(np.int8).take(_BYTES, axis=-1)
    return flat


def split(vector: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return the named fields of vectors (.., 565), each (.., *shape), as views."""
    return {
        one.name: vector[..., PLACES[one.name]].reshape(*vector.shape[:-1], *one.shape)
        for one in _ORDERED
    }
