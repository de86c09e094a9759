"""Patchrook's states: impossible ones are refused by field."""

from __future__ import annotations

import numpy as np
import pytest

from quiltrail.core.errors import StateError
from quiltrail.envs.patchrook.engine import PatchrookEngine
from tests.impossible_states import assert_refused_by_field

LESSON_CLEARED = {"placed": [25, 30, 82, -1, -1, -1], "turn": 3, "phase": 1, "score": 300}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("quilt", 0),
        ("quilt", 2**41),
        ("cursor", 1),
        ("stage", 1),
        ("width", 4),
        ("height", 2),
        ("usable", 0),
        ("num_patches", 4),
        ("shape", [1, 2, 3, 0, 0, 0]),
        ("tray_order", [0, 2, 1, -1, -1, -1]),
        ("initial", [1, 0, 0, -1, -1, -1]),
        ("placed", [-1, -1, -1, 0, -1, -1]),
        ("placed", [-2, -1, -1, -1, -1, -1]),
        ("placed", [200, -1, -1, -1, -1, -1]),
        ("placed", [50, -1, -1, -1, -1, -1]),
        ("placed", [27, -1, -1, -1, -1, -1]),
        ("placed", [25, 25, -1, -1, -1, -1]),
        ("phase", 3),
        ("phase", -1),
        ("phase", 1),
        ("last_points", 300),
        ("score", 300),
        ("score", -300),
        ("turn", -1),
        ("seed", 2**32),
        ("seed", 1.0),
        ("turn", True),
        ("placed", [-1]),
        ("placed", 7),
        ("game", "sunpleat"),
        ("format", 2),
        ("settings", {"source": 1}),
    ],
)
def test_an_impossible_state_is_refused_by_field(field: str, value: object) -> None:
    assert_refused_by_field(PatchrookEngine(1), field, value)


def test_a_cleared_quilt_has_its_phase_points_and_turns() -> None:
    engine = PatchrookEngine(1)
    cleared = {**engine.get_state(0), **LESSON_CLEARED, "last_points": 300}
    engine.set_state(0, cleared)
    assert engine.view(0)["board"] == ["AAA", "BBC", "BCC"]
    for field, value in (("phase", 0), ("last_points", 0), ("score", 0), ("turn", 2)):
        with pytest.raises(StateError, match=f'"{field}"'):
            engine.set_state(0, {**cleared, field: value})


@pytest.mark.parametrize("points", [0, 390, 780, 1080])
def test_a_score_is_the_sum_of_the_quilts_since_some_start(points: int) -> None:
    engine = PatchrookEngine(1)
    engine.reset(np.array([0]), np.array([5], np.uint64), quilt=np.array([4]))
    state = {**engine.get_state(0), "turn": 14}
    engine.set_state(0, {**state, "score": points})
    with pytest.raises(StateError, match='"score"'):
        engine.set_state(0, {**state, "score": points + 10})
