"""Mulberry32: the only randomness of the engines.

A stream is a 32-bit cursor that grows by a constant, so the k-th draw of any stream can be
computed directly. Kernels use `advance`, `mix` and `below` on a cursor they keep in the game's
state; Python code uses the class `Mulberry32`; whole batches use `draws_at`.

Source: RULES, "All games"; the generator is Tommy Ettinger's, in the public domain.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.errors import InvalidSeedError, shown
from quiltrail.core.jit import compiled

SEED_RANGE = 1 << 32
_SEED_MASK = SEED_RANGE - 1

# Streams beside the game's own: the game seed XOR one of these.
STREAM_BOT = 0x9E3779B9
STREAM_SEAT = 0x7F4A7C15
STREAM_REDEAL = 0x94D049BB
STREAM_LEVEL = 0xBF58476D
STREAM_NEXT_GAMES = 0x51ED2701

_INCREMENT = np.uint64(0x6D2B79F5)
_MASK = np.uint64(0xFFFFFFFF)
_ONE = np.uint64(1)
_SEVEN = np.uint64(7)
_FOURTEEN = np.uint64(14)
_FIFTEEN = np.uint64(15)
_THIRTY_TWO = np.uint64(32)
_SIXTY_ONE = np.uint64(61)


def as_seed(seed: object) -> int:
    """Return a seed as an int in 0 .. 2**32 - 1.

    Raises:
        InvalidSeedError: if it is not a Python int (bool, numpy integers, floats and strings are
            not).
    """
    if type(seed) is not int:
        raise InvalidSeedError(
            f"a seed is a Python int (taken modulo 2**32), got {type(seed).__name__} {shown(seed)}"
        )
    return seed % SEED_RANGE


@compiled
def advance(cursor: np.uint64) -> np.uint64:
    """Return the cursor of the next draw; cursors are uint64 that hold 32 bits."""
    return (cursor + _INCREMENT) & _MASK


@compiled
def jump(cursor: np.uint64, draws: int) -> np.uint64:
    """Return the cursor behind a number of draws, without making them."""
    steps = np.uint64(np.int64(draws) & _SEED_MASK)  # negative draws go back
    return (cursor + ((steps * _INCREMENT) & _MASK)) & _MASK


@compiled
def mix(cursor: np.uint64) -> np.uint64:
    """Return the 32-bit output that belongs to an advanced cursor.

    Everything is 64-bit and masked, because numba widens 32-bit sums and numpy wraps them.
    """
    t = ((cursor ^ (cursor >> _FIFTEEN)) * (cursor | _ONE)) & _MASK
    t ^= (t + (((t ^ (t >> _SEVEN)) * (t | _SIXTY_ONE)) & _MASK)) & _MASK
    return t ^ (t >> _FOURTEEN)


@compiled
def below(output: np.uint64, n: int) -> int:
    """Return the integer in 0 .. n - 1 that an output stands for, n < 2**32."""
    return int(np.int64((np.uint64(output) * np.uint64(n)) >> _THIRTY_TWO))


@compiled
def shuffle(items: NDArray[Any], n: int, cursor: np.uint64) -> np.uint64:
    """Shuffle the first n items in place; return the cursor behind its n - 1 draws.

    For i from n - 1 down to 1, item i changes places with item below(i + 1).
    """
    for i in range(n - 1, 0, -1):
        cursor = advance(cursor)
        j = below(mix(cursor), i + 1)
        items[i], items[j] = items[j], items[i]
    return cursor


@compiled
def _draws_at(
    seeds: NDArray[np.uint64], counts: NDArray[np.int64], outputs: NDArray[np.uint64]
) -> None:
    for i in range(seeds.shape[0]):
        outputs[i] = mix(jump(seeds[i], counts[i]))


def draws_between(cursor: int, later: int) -> int:
    """Return how many draws, modulo 2**32, lead from one cursor of a stream to a later one."""
    return (later - cursor) * pow(int(_INCREMENT), -1, SEED_RANGE) % SEED_RANGE


def draws_at(seeds: NDArray[np.uint64], counts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the ``counts[i]``-th output (the first is 1) of the stream seeded ``seeds[i]``."""
    outputs = np.empty_like(seeds)
    _draws_at(seeds, counts, outputs)
    return outputs


class Mulberry32:
    """One stream in Python integers, for code outside the kernels."""

    def __init__(self, seed: int) -> None:
        self.cursor = as_seed(seed)

    def next_uint32(self) -> int:
        """Return the next output, 0 .. 2**32 - 1."""
        self.cursor = int(advance(np.uint64(self.cursor)))
        return int(mix(np.uint64(self.cursor)))

    def below(self, n: int) -> int:
        """Return an integer in 0 .. n - 1."""
        return (self.next_uint32() * n) >> 32

    def shuffle(self, items: list[int]) -> None:
        """Shuffle in place: for i from the last place down to 1, swap i with below(i + 1)."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
