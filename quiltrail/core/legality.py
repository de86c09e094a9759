"""Legality is one bit set per game; action mask and JSON legal list are its two expansions.

A legal set is W words of 64 bits, bit ``a % 64`` of word ``a // 64`` for action ``a``. It is
empty exactly when the game has ended. `publish` turns a set into mask bytes eight at a time with a
table, and leaves alone what did not change.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.actions import RefusalCode
from quiltrail.core.array_types import Record
from quiltrail.core.bitboard import nth_bit, popcount
from quiltrail.core.jit import compiled
from quiltrail.core.mulberry32 import advance, below, mix

WORD_BITS = 64
_BYTES_PER_WORD = 8

#: Not a refusal yet: the action is not legal, and the game's rules say why.
UNDIAGNOSED = 255

_ACCEPTED = int(RefusalCode.ACCEPTED)
_RUN_ENDED = int(RefusalCode.RUN_ENDED)
_INDEX_OUT_OF_RANGE = int(RefusalCode.INDEX_OUT_OF_RANGE)
_ALL_ONES = np.uint64(0x0101010101010101)
_BYTE = np.uint64(0xFF)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)


def _byte_masks() -> NDArray[np.uint64]:
    """Return for each byte the eight bytes, packed in a word, that say which bits it has."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return bits.view(np.uint64)[:, 0].copy()


_BYTE_MASKS = _byte_masks()


def word_count(num_actions: int) -> int:
    """Return W, the number of 64-bit words of a legal set."""
    return -(-num_actions // WORD_BITS)


def mask_word_count(num_actions: int) -> int:
    """Return the number of 64-bit words that hold a mask of one byte an action."""
    return -(-num_actions // _BYTES_PER_WORD)


@compiled
def has_action(legal: NDArray[np.uint64], action: int) -> bool:
    """Return whether one game's legal set (W,) holds an action inside the space."""
    return bool((legal[action >> 6] >> np.uint64(action & 63)) & _ONE)


@compiled
def add_action(legal: NDArray[np.uint64], action: int) -> None:
    """Put an action into one game's legal set (W,)."""
    legal[action >> 6] |= _ONE << np.uint64(action & 63)


@compiled
def write_bits(words: NDArray[np.uint64], at: int, bits: np.uint64, count: int) -> None:
    """Write the lowest 8 * count bits as bytes, eight a word, into words[at] and those after."""
    for w in range(count):
        words[at + w] = _BYTE_MASKS[(bits >> np.uint64(w << 3)) & _BYTE]


@compiled
def judge(legal: Record, ended: bool, action: int, num_actions: int) -> int:
    """Look an action up in one game's legal set, before any rule runs.

    Returns accepted, index-out-of-range, run-ended or `UNDIAGNOSED`.
    """
    if action < 0 or action >= num_actions:
        return _INDEX_OUT_OF_RANGE
    if ended:
        return _RUN_ENDED
    if has_action(legal["words"], action):
        return _ACCEPTED
    return UNDIAGNOSED


@compiled
def publish(found: Record, legal: Record, mask: Record) -> bool:
    """Make what was found one game's legal set and mask; return whether the game has ended.

    Only what changes is written. After a game's end its mask is all ones, because no agent acts
    there and a sampler must not meet an empty mask.

    Args:
        found: the new set, a record of `records_of_words`, as are the other two.
        legal: the set before; an empty one says nothing about the mask.
        mask: one byte an action.
    """
    before = _ZERO
    now = _ZERO
    for w in range(len(legal["words"])):
        before |= legal["words"][w]
        now |= found["words"][w]
    for w in range(len(legal["words"])):
        bits = found["words"][w]
        if bits == legal["words"][w] and before != _ZERO and now != _ZERO:
            continue
        legal["words"][w] = bits
        first = w << 3
        for m in range(first, min(first + _BYTES_PER_WORD, len(mask["words"]))):
            byte = (bits >> np.uint64((m - first) << 3)) & _BYTE
            mask["words"][m] = _BYTE_MASKS[byte] if now != _ZERO else _ALL_ONES
    return bool(now == _ZERO)


@compiled
def _count(legal: NDArray[np.uint64], without: NDArray[np.uint64], respected: np.uint64) -> int:
    count = 0
    for w in range(legal.shape[0]):
        count += popcount(legal[w] & ~(without[w] & respected))
    return count


@compiled
def random_action(
    legal: NDArray[np.uint64], forbidden: NDArray[np.uint64], cursor: np.uint64
) -> tuple[int, np.uint64]:
    """Draw one of a game's legal actions (W,); return it and the cursor behind the draw.

    Forbidden ones (W,) are drawn only where no other is legal. Where none is, the action is -1
    and nothing is drawn.
    """
    respected = ~_ZERO
    count = _count(legal, forbidden, respected)
    if count == 0:
        respected = _ZERO
        count = _count(legal, forbidden, respected)
    if count == 0:
        return -1, cursor
    cursor = advance(cursor)
    n = below(mix(cursor), count)
    w = 0
    bits = legal[w] & ~(forbidden[w] & respected)
    while n >= popcount(bits):
        n -= popcount(bits)
        w += 1
        bits = legal[w] & ~(forbidden[w] & respected)
    return (w << 6) + nth_bit(bits, n), cursor


def records_of_words(words: NDArray[np.uint64]) -> NDArray[np.void]:
    """Return rows of words (B, W) as records (B,) with one field ``words``, a live view.

    Kernels take a row of these as one pointer, whose length the compiler knows.
    """
    return words.view(np.dtype([("words", np.uint64, words.shape[1:])]))[:, 0]


def action_set(actions: Iterable[int], num_actions: int) -> NDArray[np.uint64]:
    """Return some flat actions as a set (W,)."""
    words = np.zeros(word_count(num_actions), np.uint64)
    for action in actions:
        add_action(words, action)
    return words


def indices(legal: NDArray[np.uint64]) -> list[int]:
    """Return one game's legal actions, ascending, from its legal set (W,)."""
    octets = legal.astype("<u8").view(np.uint8)
    found: list[int] = np.flatnonzero(np.unpackbits(octets, bitorder="little")).tolist()
    return found
