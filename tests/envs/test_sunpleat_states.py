"""Sunpleat's states: impossible ones are refused by field."""

from __future__ import annotations

import pytest

from quiltrail.core.errors import StateError
from quiltrail.envs.sunpleat.engine import SunpleatEngine
from tests.impossible_states import assert_refused_by_field

SOLVED = {"garland": [1, 2, 3, 0, 0], "moves_used": 1}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("board", 0),
        ("n", 4),
        ("par", 2),
        ("start", [-2, -1, 3, 0, 4]),
        ("garland", [1, 1, 3, 0, 0]),
        ("garland", [-2, -1, 3, 0, 1]),
        ("moves_used", -1),
        ("moves_used", 6),
        ("leaves", 0),
        ("leaves", 4),
        ("phase", 4),
        ("end_reason", 1),
        ("cleared", 1),
        ("score", 5),
        ("last_award", 215),
        ("turn", -1),
        ("seed", 2**32),
        ("seed", -1),
        ("seed", 1.0),
        ("seed", None),
        ("turn", True),
        ("garland", [1, 2, 3]),
        ("garland", 7),
        ("game", "patchrook"),
        ("format", 2),
    ],
)
def test_an_impossible_state_is_refused_by_field(field: str, value: object) -> None:
    assert_refused_by_field(SunpleatEngine(1), field, value)


def test_a_phase_that_does_not_fit_the_rest_is_impossible() -> None:
    engine = SunpleatEngine(1)
    for changes in ({"phase": 1}, {"phase": 2, "leaves": 2}, {"moves_used": 5}, SOLVED):
        with pytest.raises(StateError, match="phase"):
            engine.set_state(0, {**engine.get_state(0), **changes})


def test_a_garland_that_needs_more_moves_than_were_used_is_impossible() -> None:
    engine = SunpleatEngine(1)
    state = {**engine.get_state(0), "garland": [-3, 1, 2, 0, 0]}
    with pytest.raises(StateError, match="moves_used"):
        engine.set_state(0, state)
