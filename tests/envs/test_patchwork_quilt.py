"""Patchwork's bit work: seams, single holes and full units against squares counted one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quiltrail.envs.patchwork.quilt import full_units, seams, single_holes
from quiltrail.envs.patchwork.tables import squares_as_words
from tests.reference import patchwork_greedy as by_hand
from tests.reference.patchwork_quilt import UNITS as REFERENCE_UNITS

quilts = st.frozensets(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=81)


@given(quilts)
def test_seams_and_single_holes_are_those_counted_square_by_square(quilt: frozenset) -> None:
    words = squares_as_words(sorted(quilt))
    assert seams(*words) == by_hand.seams(quilt)
    assert single_holes(*words) == by_hand.single_holes(quilt)


@given(quilts, st.sets(st.sampled_from(sorted(REFERENCE_UNITS))))
def test_full_units_are_those_found_one_by_one(quilt: frozenset, chosen: set[str]) -> None:
    quilt = quilt.union(*(REFERENCE_UNITS[name] for name in chosen))
    full = [unit for unit in REFERENCE_UNITS.values() if unit <= quilt]
    count, top, bottom = full_units(*squares_as_words(sorted(quilt)))
    assert count == len(full)
    expected = squares_as_words(sorted(frozenset().union(*full)))
    assert [int(top), int(bottom)] == expected.tolist()
