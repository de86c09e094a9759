"""The shapes, units and weights of Patchwork against the case file and the published facts."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from tests.cases.patchwork import (
    SCHEDULE,
)
from tests.cases.patchwork import SHAPES as CASE_SHAPES
from tests.reference.patchwork_quilt import NAMES, SHAPES, UNITS, Cells, weight


def test_the_37_shapes_have_the_ids_names_and_cells_of_the_case_file() -> None:
    ours = {
        name: {"id": NAMES.index(name), "cells": [list(cell) for cell in sorted(cells)]}
        for name, cells in SHAPES.items()
    }
    assert len(ours) == 37
    assert ours == CASE_SHAPES


@pytest.mark.parametrize("sewn", [int(sewn) for sewn in SCHEDULE["weights"]])
def test_weights_follow_the_schedule(sewn: int) -> None:
    small, medium, big = SCHEDULE["weights"][str(sewn)]
    by_size = {1: small, 2: small, 3: small, 4: medium, 5: big, 6: big, 9: big}
    assert {name: weight(name, sewn) for name in NAMES} == {
        name: by_size[len(cells)] for name, cells in SHAPES.items()
    }
    assert sum(weight(name, sewn) for name in NAMES) == SCHEDULE["totals"][str(sewn)]


def test_there_are_1_2_6_19_6_2_and_1_shapes_of_1_2_3_4_5_6_and_9_squares() -> None:
    counts = Counter(len(cells) for cells in SHAPES.values())
    assert counts == {1: 1, 2: 2, 3: 6, 4: 19, 5: 6, 6: 2, 9: 1}
    assert len(set(SHAPES.values())) == 37


def test_the_shapes_are_closed_under_the_eight_symmetries() -> None:
    def to_corner(cells: list[tuple[int, int]]) -> Cells:
        top, left = min(r for r, _ in cells), min(c for _, c in cells)
        return frozenset((r - top, c - left) for r, c in cells)

    for cells in SHAPES.values():
        assert to_corner(list(cells)) == cells
        for flip, swap, mirror in itertools.product((1, -1), (False, True), (1, -1)):
            image = [(flip * r, mirror * c) for r, c in cells]
            image = [(c, r) for r, c in image] if swap else image
            assert to_corner(image) in SHAPES.values()


def test_each_square_lies_in_one_row_one_column_and_one_block() -> None:
    assert len(UNITS) == 27
    for square in itertools.product(range(9), range(9)):
        around = [name[:-1] for name, unit in UNITS.items() if square in unit]
        assert around == ["row", "col", "block"]
