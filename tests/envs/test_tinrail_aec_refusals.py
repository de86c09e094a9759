"""Illegal actions in Tinrail's turn-by-turn form: refused, lost by, raised, counted."""

from __future__ import annotations

import numpy as np
import pytest

from quiltrail.agents.tinrail import EasyBot
from quiltrail.core.errors import (
    ActionTypeError,
    IllegalActionError,
    ResetNeededError,
)
from quiltrail.envs import tinrail_v0
from tests.envs.tinrail_matches import FIRST, SECOND, losing_env, play_match

LONG_MATCH = 457  # two Easy bots place all 35 tiles


def test_a_refused_action_changes_nothing_and_the_mover_plays_again() -> None:
    env = tinrail_v0.raw_env()
    env.reset(seed=LONG_MATCH)
    agent = EasyBot(both_seats=True)
    while env.engine.legal_indices(0)[-1] == 11:
        env.step(int(agent.act(env.engine)[0]))
    before, view, mover = env.engine.get_state(0), env.view(), env.agent_selection
    env.step(11)
    assert env.engine.get_state(0) == before
    assert (env.view(), env.agent_selection) == (view, mover)
    assert env.infos[mover]["refusal"] == 17
    assert env.rewards == {FIRST: 0.0, SECOND: 0.0}
    env.step(0)
    assert env.infos[mover]["refusal"] == 0


def test_both_are_truncated_after_the_last_allowed_refusal() -> None:
    env = tinrail_v0.raw_env(max_refusals=3)
    env.reset(seed=0)
    for refusals in range(1, 4):
        assert not any(env.truncations.values())
        env.step(-1)
        assert env.refusals == refusals
    assert env.truncations == {FIRST: True, SECOND: True}
    assert env.terminations == {FIRST: False, SECOND: False}
    assert play_match(env, np.random.default_rng(0)) == {FIRST: 0.0, SECOND: 0.0}
    env.reset()
    assert (env.refusals, env.truncations[FIRST]) == (0, False)
    assert env.max_refusals == 3


def test_the_default_allows_a_hundred_refusals() -> None:
    env = tinrail_v0.raw_env()
    env.reset(seed=0)
    for _ in range(99):
        env.step(12)
    assert not env.truncations[FIRST]
    env.step(12)
    assert env.truncations[FIRST]


def test_with_on_refusal_lose_an_illegal_action_loses() -> None:
    env = losing_env()
    loser, winner = SECOND, FIRST
    assert env.view()["result"] == "win0"
    assert env.rewards == {winner: 1.0, loser: -1.0}
    assert env.terminations == {FIRST: True, SECOND: True}
    view = env.view()
    assert (view["phase"], view["toMove"], view["hand"]) == ("ended", None, [])
    assert env.legal_actions() == view["legalActions"] == []
    assert env.observe(loser)["action_mask"].all()
    returns = play_match(env, np.random.default_rng(0))
    assert returns == {winner: 1.0, loser: -1.0}


def test_matches_with_illegal_actions_sum_to_zero_too() -> None:
    rng = np.random.default_rng(12)
    for policy in ("refuse", "lose"):
        env = tinrail_v0.env(on_refusal=policy, max_refusals=5)
        for seed in range(60):
            env.reset(seed=seed)
            returns = play_match(env, rng, illegal_share=0.3)
            assert returns[FIRST] + returns[SECOND] == 0


def test_refusals_raise_on_request() -> None:
    env = tinrail_v0.raw_env(on_refusal="raise")
    env.reset(seed=0)
    before = env.get_state()
    with pytest.raises(IllegalActionError, match=r"player_0, action 12.*legal now: place"):
        env.step(12)
    assert env.get_state() == before


def test_integers_of_numpy_are_actions_and_nothing_else_is() -> None:
    env = tinrail_v0.raw_env()
    for action in (np.int32(1), np.int64(1), 1):
        env.reset(seed=0)
        env.step(action)
        assert env.engine.state["turn"][0] == 1
    for action in (None, 1.0, "1", True):
        env.reset(seed=0)
        with pytest.raises(ActionTypeError):
            env.step(action)


def test_a_step_without_agents_asks_for_a_reset() -> None:
    env = tinrail_v0.raw_env()
    with pytest.raises(ResetNeededError, match="reset"):
        env.step(0)
    env.reset(seed=0)
    play_match(env, np.random.default_rng(0))
    with pytest.raises(ResetNeededError, match="reset"):
        env.step(0)
