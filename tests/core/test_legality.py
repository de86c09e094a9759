"""Legal sets and their two expansions."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quiltrail.core import bitboard, legality
from quiltrail.core.mulberry32 import Mulberry32


@st.composite
def legal_sets(draw: st.DrawFn) -> tuple[int, set[int]]:
    size = draw(st.integers(1, 300))
    return size, draw(st.sets(st.integers(0, size - 1)))


def _words(size: int, actions: set[int]) -> np.ndarray:
    words = np.zeros((1, legality.word_count(size)), np.uint64)
    for action in actions:
        legality.add_action(words[0], action)
    return words


def _published(size: int, words: np.ndarray, mask_words: np.ndarray, actions: set[int]) -> bool:
    found, legal, masks = map(legality.records_of_words, (_words(size, actions), words, mask_words))
    return legality.publish(found[0], legal[0], masks[0])


@given(st.lists(legal_sets(), min_size=1, max_size=4))
def test_mask_and_list_say_the_same(cases: list[tuple[int, set[int]]]) -> None:
    size = max(size for size, _ in cases)
    words = _words(size, set())
    mask_words = np.zeros((1, legality.mask_word_count(size)), np.uint64)
    for _, actions in cases:  # one set after the other in the same row
        ended = _published(size, words, mask_words, actions)
        mask = mask_words.view(np.int8)[0, :size]
        assert legality.indices(words[0]) == sorted(actions)
        assert ended == (not actions)
        assert np.flatnonzero(mask).tolist() == (sorted(actions) or list(range(size)))
        assert set(mask.tolist()) <= {0, 1}


def test_mask_bytes_whose_bits_stay_are_not_written() -> None:
    words, mask_words = _words(130, set()), np.zeros((1, 17), np.uint64)
    _published(130, words, mask_words, {1, 70})
    mask_words[0, 0] = 7
    _published(130, words, mask_words, {1, 71})
    assert mask_words[0, 0] == 7
    assert mask_words.view(np.int8)[0, 64:80].nonzero()[0].tolist() == [7]


@given(legal_sets(), st.sets(st.integers(0, 20)), st.integers(0, 2**32 - 1))
def test_a_random_action_is_the_drawn_one_of_the_allowed(
    case: tuple[int, set[int]], without: set[int], cursor: int
) -> None:
    size, actions = case
    without = {action for action in without if action < size}
    allowed = sorted(actions - without) or sorted(actions)
    stream = Mulberry32(cursor)
    expected = allowed[stream.below(len(allowed))] if allowed else -1
    words, forbidden = _words(size, actions)[0], _words(size, without)[0]
    drawn, after = legality.random_action(words, forbidden, np.uint64(cursor))
    assert drawn == expected
    assert int(after) == stream.cursor


@given(st.integers(0, 2**64 - 1))
def test_bits_are_counted_and_scanned(value: int) -> None:
    word = np.uint64(value)
    assert bitboard.popcount(word) == value.bit_count()
    if value:
        lowest = (value & -value).bit_length() - 1
        assert bitboard.lowest_bit(word) == lowest
        assert int(bitboard.without_lowest(word)) == value & (value - 1)
        assert bitboard.nth_bit(word, value.bit_count() - 1) == value.bit_length() - 1


def test_judging_looks_at_range_then_end_then_legality() -> None:
    def judged(actions: set[int], action: int, *, ended: bool = False) -> int:
        legal = legality.records_of_words(_words(9, actions))[0]
        return legality.judge(legal, ended, action, 9)

    assert judged({2}, 2) == 0
    assert judged({2}, 9, ended=True) == judged({2}, -1) == 18
    assert judged(set(), 0, ended=True) == 6
    assert judged({3}, 2) == legality.UNDIAGNOSED
