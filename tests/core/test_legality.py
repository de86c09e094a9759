"""Legal sets and their two expansions."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quiltrail.core import bitboard, legality


@st.composite
def legal_sets(draw: st.DrawFn) -> tuple[int, set[int]]:
    size = draw(st.integers(1, 300))
    return size, draw(st.sets(st.integers(0, size - 1)))


def _words(size: int, actions: set[int]) -> np.ndarray:
    words = np.zeros((1, legality.word_count(size)), np.uint64)
    for action in actions:
        legality.add_action(words[0], action)
    return words


@given(legal_sets())
def test_mask_and_list_say_the_same(case: tuple[int, set[int]]) -> None:
    size, actions = case
    words = _words(size, actions)
    mask_words = np.zeros((1, legality.mask_word_count(size)), np.uint64)
    terminated = np.zeros(1, np.bool_)
    legality.expand(words, np.array([0]), mask_words, terminated)
    mask = mask_words.view(np.int8)[0, :size]
    assert legality.indices(words[0]) == sorted(actions)
    assert terminated[0] == (not actions)
    assert np.flatnonzero(mask).tolist() == (sorted(actions) or list(range(size)))
    assert set(mask.tolist()) <= {0, 1}


@given(legal_sets())
def test_the_nth_legal_action_is_the_nth_of_the_list(case: tuple[int, set[int]]) -> None:
    size, actions = case
    words = _words(size, actions)[0]
    assert legality.count_actions(words) == len(actions)
    listed = [legality.nth_action(words, n) for n in range(len(actions))]
    assert listed == sorted(actions)
    assert legality.nth_action(words, len(actions)) == -1


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
    words = np.concatenate([_words(9, {2}), _words(9, {2}), _words(9, set()), _words(9, {3})])
    refusal, reward = np.zeros(4, np.int64), np.ones(4)
    legality.judge(
        words,
        np.array([False, False, True, False]),
        np.arange(4),
        np.array([2, 9, 0, 2]),
        9,
        reward,
        refusal,
    )
    assert refusal.tolist() == [0, 18, 6, legality.UNDIAGNOSED]
    assert reward.tolist() == [0.0] * 4
