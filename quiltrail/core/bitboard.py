"""Bit sets in 64-bit words: counting and scanning. Bit i is 1 << i.

Counts and indices are int64 in compiled kernels: mixed with uint64 they would become floats.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.jit import compiled

_WORD_BITS = 64

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_TWO = np.uint64(2)
_FOUR = np.uint64(4)
_EIGHT = np.uint64(8)
_SIXTEEN = np.uint64(16)
_THIRTY_TWO = np.uint64(32)
_PAIRS = np.uint64(0x5555555555555555)
_NIBBLES = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
_LOW_SEVEN = np.uint64(0x7F)


@compiled
def popcount(word: np.uint64) -> int:
    """Return the number of set bits (no multiplication, so nothing overflows uncompiled)."""
    word = word - ((word >> _ONE) & _PAIRS)
    word = (word & _NIBBLES) + ((word >> _TWO) & _NIBBLES)
    word = (word + (word >> _FOUR)) & _BYTES
    word = word + (word >> _EIGHT)
    word = word + (word >> _SIXTEEN)
    word = word + (word >> _THIRTY_TWO)
    return int(np.int64(word & _LOW_SEVEN))


@compiled
def lowest_bit(word: np.uint64) -> int:
    """Return the index of the lowest set bit of a word that is not zero."""
    return popcount((word & (~word + _ONE)) - _ONE)


@compiled
def without_lowest(word: np.uint64) -> np.uint64:
    """Return a word that is not zero with its lowest set bit cleared."""
    return word & (word - _ONE)


@compiled
def nth_bit(word: np.uint64, n: int) -> int:
    """Return the index of the set bit that has n set bits below it; there must be one."""
    for _ in range(n):
        word = without_lowest(word)
    return lowest_bit(word)


@compiled
def set_bits(words: NDArray[np.uint64], first: int, bits: np.uint64) -> None:
    """Set, in a bit set of many words, the given bits moved up by ``first``; all have to fit."""
    word, shift = first // _WORD_BITS, first % _WORD_BITS
    words[word] |= bits << np.uint64(shift)
    if shift > 0:
        above = bits >> np.uint64(_WORD_BITS - shift)
        if above != 0:
            words[word + 1] |= above
