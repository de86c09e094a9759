"""Matches of Tinrail's turn-by-turn form saved, copied, loaded and chosen."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest

from quiltrail.agents.tinrail import EasyBot
from quiltrail.core.errors import (
    InvalidSeedError,
    OptionError,
    StateError,
)
from quiltrail.envs import tinrail_v0
from tests.envs.tinrail_matches import choose, copies, losing_env, play_match
from tests.reference.tinrail import TinrailReference


@pytest.mark.parametrize("make", [tinrail_v0.env, tinrail_v0.raw_env])
def test_a_copy_made_mid_match_continues_identically(make: Any) -> None:
    env = make(render_mode="rgb_array")
    env.reset(seed=21)
    for _ in range(3):
        env.step(int(EasyBot(both_seats=True).act(env.unwrapped.engine)[0]))
    env.render()
    for twin in copies(env):
        original = copy.deepcopy(env)
        rng = np.random.default_rng(1)
        assert twin.agents == original.agents
        while original.agents:
            said, again = original.last(), twin.last()
            np.testing.assert_array_equal(said[0]["action_mask"], again[0]["action_mask"])
            np.testing.assert_array_equal(said[0]["observation"], again[0]["observation"])
            assert said[1:] == again[1:]
            action = None if said[2] else choose(said[0]["action_mask"], rng)
            original.step(action)
            twin.step(action)
            assert original.agents == twin.agents


def test_states_travel_as_json_and_go_on_the_same() -> None:
    env = tinrail_v0.raw_env()
    env.reset(seed=30)
    env.step(12)
    for _ in range(4):
        env.step(int(EasyBot(both_seats=True).act(env.engine)[0]))
    twin = tinrail_v0.raw_env()
    twin.set_state(json.loads(json.dumps(env.get_state())))
    assert twin.get_state() == env.get_state()
    assert (twin.agent_selection, twin.refusals) == (env.agent_selection, 1)
    assert play_match(twin, np.random.default_rng(2)) == play_match(env, np.random.default_rng(2))
    env.reset()
    twin.reset()
    assert env.view() == twin.view()


def test_a_lost_match_can_be_saved_too() -> None:
    env = losing_env()
    twin = tinrail_v0.raw_env(on_refusal="lose")
    twin.set_state(env.get_state())
    assert twin.view() == env.view()
    assert twin.terminations == env.terminations


@pytest.mark.parametrize(
    ("field", "value"), [("refusals", -1), ("refusals", 101), ("forfeiter", 2), ("turn", 9)]
)
def test_an_impossible_state_is_refused(field: str, value: int) -> None:
    env = tinrail_v0.raw_env()
    env.reset(seed=0)
    state = env.get_state()
    with pytest.raises(StateError, match=field):
        env.set_state({**state, field: value})
    with pytest.raises(StateError, match="dict"):
        env.set_state([])
    assert env.get_state() == state


def test_reset_options_choose_the_match() -> None:
    env = tinrail_v0.raw_env()
    env.reset(seed=1, options={"game_seed": 5})
    assert env.view() == TinrailReference(5).view()
    state = env.engine.get_state(0)
    env.reset(options={"state": state, "options": 1})
    assert env.view() == TinrailReference(5).view()
    with pytest.raises(OptionError, match="game_seed"):
        env.reset(options={"game_sed": 5})
    with pytest.raises(InvalidSeedError):
        env.reset(seed=1.5)
