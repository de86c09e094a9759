"""Tinrail's states and positions: those of play come back, impossible ones are refused by field."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quiltrail.agents.tinrail import WiseBot
from quiltrail.core.errors import StateError
from quiltrail.envs.tinrail.engine import TinrailEngine
from quiltrail.envs.tinrail.position import STATE
from quiltrail.envs.tinrail.study import Position
from tests.impossible_states import assert_refused_by_field

CORNER = [[0, 3], [1, 2], [4, 5], [6, 7]]


def test_every_state_of_play_is_taken_back(tinrail_states: list[Any]) -> None:
    engine, other = TinrailEngine(1), TinrailEngine(1)
    for game in tinrail_states[::11]:
        engine.restore(np.array([0]), [game])
        other.set_state(0, engine.get_state(0))
        assert other.state[0] == game
        assert other.view(0) == engine.view(0)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"table": {36: CORNER}}, "table"),
        ({"table": {14: CORNER}}, "engines"),
        ({"table": {3: [[0, 1], [2, 3], [4, 5], [6, 6]]}}, "table"),
        ({"engines": [[14, 5]]}, "engines"),
        ({"engines": [[14, 5], [14, 8]]}, "engines"),
        ({"hands": [[1], [1]]}, "hands"),
        ({"hands": [[1, 2, 3, 4], [5]]}, "hands"),
        ({"hands": [[], [5]]}, "to_move"),
        ({"to_move": 2}, "to_move"),
        ({"pile": list(range(5, 35))}, "pile"),
    ],
)
def test_a_position_that_makes_no_sense_is_refused_by_part(
    wrong: dict[str, Any], field: str
) -> None:
    engine = TinrailEngine(1)
    before = engine.get_state(0)
    parts = {"table": {}, "engines": [[14, 5], [14, 0]], "hands": [[1], [2]], "to_move": 0}
    with pytest.raises(StateError, match=f'"{field}"'):
        engine.set_position(0, Position(**{**parts, **wrong}))
    assert engine.get_state(0) == before


def _after(count: int, seed: int = 5) -> TinrailEngine:
    engine, agent = TinrailEngine(1), WiseBot()
    engine.reset(np.array([0]), np.array([seed], np.uint64))
    for _ in range(count):
        engine.step(agent.act(engine))
    return engine


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("table", lambda old: [140, *old[1:]]),
        ("table", lambda old: [-2, *old[1:]]),
        ("table", lambda old: old[1:]),
        ("turn", lambda old: old + 1),
        ("notches", lambda old: [old[1], old[0]]),
        ("notches", lambda old: [-1, old[1]]),
        ("hands", lambda old: [old[0], [old[1][0], old[1][1], -1]]),
        ("hands", lambda old: [[-1, *old[0][:2]], old[1]]),
        ("pile", lambda old: [old[-1], *old[1:]]),
        ("pile", lambda old: [*old[:-1], -1]),
        ("pile", lambda old: [*old[:-1], old[-2]]),
        ("pile", lambda old: [*old[:-1], 35]),
        ("drawn", lambda old: old + 1),
        ("to_move", lambda old: 1 - old),
        ("result", lambda old: 1),
        ("result", lambda old: 4),
        ("last_cell", lambda old: -1),
        ("last_ports", lambda old: [-1, -1]),
        ("last_ports", lambda old: old[::-1]),
        ("last_ports", lambda old: [old[0], (old[1] + 9) % 8]),
        ("seat", lambda old: 1),
        ("opponent", lambda old: 0),
        ("unread", lambda old: 1),
        ("score", lambda old: 10),
        ("seed", lambda old: -1),
        ("seed", lambda old: 2**32),
        ("turn", lambda old: True),
        ("game", lambda old: "sunpleat"),
    ],
)
def test_an_impossible_state_is_refused_by_field(field: str, change: Any) -> None:
    engine = _after(9)
    assert_refused_by_field(engine, field, change(engine.get_state(0)[field]))


def test_hidden_tiles_may_lie_anywhere_in_a_loaded_state() -> None:
    state = _after(9).get_state(0)
    tiles = [*state["hands"][0], *state["pile"][state["drawn"] :]]
    tiles = tiles[3:] + tiles[:3]
    state["hands"][0] = tiles[:3]
    state["pile"][state["drawn"] :] = tiles[3:]
    engine = TinrailEngine(1)
    engine.set_state(0, state)
    assert engine.get_state(0) == state


def test_the_record_of_a_match_is_small() -> None:
    assert STATE.itemsize <= 200
