"""Patchwork's states: those of play come back, impossible ones are refused by field."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from quiltrail.agents import RandomLegal
from quiltrail.core.errors import StateError
from quiltrail.envs.patchwork.engine import PatchworkEngine
from tests.impossible_states import assert_refused_by_field


def _states_along_play(revive: bool) -> Iterator[tuple[PatchworkEngine, int]]:
    engine, agent = PatchworkEngine(24, revive=revive), RandomLegal(5)
    engine.reset(np.arange(24), np.arange(24, dtype=np.uint64), sewn=np.arange(24) * 100)
    for _ in range(70):
        for row in range(24):
            yield engine, row
        engine.step(agent.act(engine))


@pytest.mark.parametrize("revive", [False, True])
def test_every_state_of_play_is_taken_back(revive: bool) -> None:
    other = PatchworkEngine(1, revive=revive)
    for engine, row in _states_along_play(revive):
        state = engine.get_state(row)
        other.set_state(0, state)
        assert other.get_state(0) == state
        assert other.view(0) == engine.view(row)


def _after(count: int, seed: int = 3, *, revive: bool = False) -> PatchworkEngine:
    engine, agent = PatchworkEngine(1, revive=revive), RandomLegal(seed)
    engine.reset(np.array([0]), np.array([seed], np.uint64))
    for _ in range(count):
        engine.step(agent.act(engine))
    return engine


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("quilt", [511, 0]),  # row 0 is full
        ("quilt", [1 << 45, 0]),
        ("quilt", [0, 1 << 36]),
        ("quilt", [2**45 - 2, 2**36 - 2]),  # more squares than seven patches have
        ("fabric", [[2**45 - 1, 0], [0, 0], [0, 0]]),
        ("tray", [-1, -1, -1]),
        ("tray", [0, 1, 37]),
        ("tray", [0, 1, -2]),
        ("tray", [0, 0, 0]),
        ("revive", 1),
        ("revive", 3),
        ("turn", 6),
        ("turn", -1),
        ("sewn", 6),
        ("sewn", -1),
        ("start", -1),
        ("streak", -1),
        ("streak", 8),
        ("score", 6),
        ("score", 10**6),
        ("cursor", 12345),
        ("seed", 4),
        ("seed", 2**32),
        ("seed", None),
        ("turn", True),
        ("game", "sunpleat"),
        ("settings", {"revive": True}),
    ],
)
def test_an_impossible_state_is_refused_by_field(field: str, value: object) -> None:
    named = {"sewn": "sewn|turn", "seed": "seed|cursor"}.get(field)
    assert_refused_by_field(_after(7), field, value, named)


def test_a_fabric_number_beyond_the_six_is_impossible() -> None:
    engine = _after(7)
    state = engine.get_state(0)
    state["fabric"] = [state["quilt"]] * 3
    with pytest.raises(StateError, match="fabric"):
        engine.set_state(0, state)


def test_a_revive_is_declined_only_when_no_patch_fits() -> None:
    engine = _after(7, revive=True)
    state = {**engine.get_state(0), "revive": 2, "turn": 8}
    with pytest.raises(StateError, match="revive"):
        engine.set_state(0, state)
