"""Legality is one bit set per game; action mask and JSON legal list are its two expansions.

A legal set is W words of 64 bits, bit ``a % 64`` of word ``a // 64`` for action ``a``. It is
empty exactly when the game has ended. `expand` turns sets into mask bytes eight at a time with a
table, and marks the ended games.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.actions import RefusalCode
from quiltrail.core.bitboard import nth_bit, popcount
from quiltrail.core.jit import compiled

WORD_BITS = 64
_BYTES_PER_WORD = 8

#: Not a refusal yet: the action is not legal, and the game's rules say why.
UNDIAGNOSED = 255

_ACCEPTED = int(RefusalCode.ACCEPTED)
_RUN_ENDED = int(RefusalCode.RUN_ENDED)
_INDEX_OUT_OF_RANGE = int(RefusalCode.INDEX_OUT_OF_RANGE)
_ALL_ONES = np.uint64(0x0101010101010101)
_BYTE = np.uint64(0xFF)
_ONE = np.uint64(1)


def _byte_masks() -> NDArray[np.uint64]:
    """Return for each byte the eight bytes, packed in a word, that say which bits it has."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return bits.view(np.uint64)[:, 0].copy()


BYTE_MASKS = _byte_masks()


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
def count_actions(legal: NDArray[np.uint64]) -> int:
    """Return how many actions one game's legal set (W,) holds."""
    count = 0
    for word in legal:
        count += popcount(word)
    return count


@compiled
def nth_action(legal: NDArray[np.uint64], n: int) -> int:
    """Return the legal action that has n legal actions below it; there must be one."""
    for w in range(legal.shape[0]):
        here = popcount(legal[w])
        if n < here:
            return (w << 6) + nth_bit(legal[w], n)
        n -= here
    return -1


@compiled
def write_bits(words: NDArray[np.uint64], at: int, bits: np.uint64, count: int) -> None:
    """Write the lowest 8 * count bits as bytes, eight a word, into words[at] and those after."""
    for w in range(count):
        words[at + w] = BYTE_MASKS[(bits >> np.uint64(w << 3)) & _BYTE]


@compiled
def judge(
    legal: NDArray[np.uint64],
    terminated: NDArray[np.bool_],
    rows: NDArray[np.int64],
    actions: NDArray[np.int64],
    num_actions: int,
    reward: NDArray[np.float64],
    refusal: NDArray[np.int64],
) -> None:
    """Look each action up in its game's legal set, before any rule runs.

    Writes 0 into ``reward`` and, into ``refusal``, accepted, index-out-of-range, run-ended or
    `UNDIAGNOSED`, for the game in row ``rows[r]`` and the action ``actions[r]``.
    """
    for r in range(rows.shape[0]):
        row = rows[r]
        action = actions[r]
        reward[row] = 0.0
        if action < 0 or action >= num_actions:
            refusal[row] = _INDEX_OUT_OF_RANGE
        elif terminated[row]:
            refusal[row] = _RUN_ENDED
        elif has_action(legal[row], action):
            refusal[row] = _ACCEPTED
        else:
            refusal[row] = UNDIAGNOSED


@compiled
def expand(
    legal: NDArray[np.uint64],
    rows: NDArray[np.int64],
    mask_words: NDArray[np.uint64],
    terminated: NDArray[np.bool_],
) -> None:
    """Write the masks (one byte an action) and the end flags of some rows from their legal sets.

    After a game's end its mask is all ones, because no agent acts there and a sampler must not
    meet an empty mask.
    """
    for r in range(rows.shape[0]):
        row = rows[r]
        any_legal = False
        for w in range(legal.shape[1]):
            any_legal |= legal[row, w] != 0
        terminated[row] = not any_legal
        for m in range(mask_words.shape[1]):
            if any_legal:
                byte = (legal[row, m >> 3] >> np.uint64((m & 7) << 3)) & _BYTE
                mask_words[row, m] = BYTE_MASKS[byte]
            else:
                mask_words[row, m] = _ALL_ONES


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
