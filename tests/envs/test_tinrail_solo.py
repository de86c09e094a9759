"""Tinrail against an opponent: replies, seats, scores, and matches that end early."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from quiltrail.agents import Agent
from quiltrail.agents.tinrail import EasyBot, WiseBot
from quiltrail.core.errors import OptionError, StateError
from quiltrail.core.mulberry32 import Mulberry32
from quiltrail.envs.tinrail.env import TinrailEnv, TinrailVectorEnv
from quiltrail.envs.tinrail.solo import TinrailSoloEngine
from quiltrail.envs.tinrail.study import Position
from tests.agreement import Visits, assert_visited, compare_batch, find_disagreement
from tests.reference.tinrail import TinrailReference
from tests.reference.tinrail_bots import RandomBot
from tests.reference.tinrail_solo import TinrailSoloReference

SEAT_STREAM = 0x7F4A7C15


def _describe(view: dict[str, Any], refusal: str) -> list[str]:
    return [f"result {view['result']}"] if view["result"] else []


def _compare(steps: int, opponent: str, seat: int, seed: int) -> Visits:
    guide: Agent = WiseBot() if opponent == "easy" else EasyBot(1)
    return compare_batch(
        lambda n: TinrailSoloEngine(n, opponent=opponent, seat=seat),
        lambda one: TinrailSoloReference(one, opponent, seat),
        steps=steps,
        guide=guide.act,
        describe=_describe,
        seed=seed,
    )


# In the second seat "random" may end a match at once, which a later test is about.
MATCH_UPS = [("wise", 0), ("wise", 1), ("easy", 0), ("easy", 1), ("random", 0)]


@pytest.mark.parametrize(("opponent", "seat"), MATCH_UPS)
def test_turns_and_replies_agree_with_the_reference(opponent: str, seat: int) -> None:
    visits = _compare(1_500, opponent, seat, seed=3)
    assert_visited(visits, {"result win0", "result win1"})


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("opponent", "seat"), MATCH_UPS)
def test_many_turns_and_replies_agree_with_the_reference(opponent: str, seat: int) -> None:
    visits = _compare(30_000, opponent, seat, seed=50)
    assert_visited(visits, {"result win0", "result win1", "result draw"})


def test_no_line_of_play_is_found_that_the_reference_plays_otherwise() -> None:
    find_disagreement(
        lambda count: TinrailSoloEngine(count, opponent="easy", seat=1),
        lambda seed: TinrailSoloReference(seed, "easy", 1),
        examples=30,
        steps=25,
    )


def play_out(env: Any, rng: np.random.Generator) -> tuple[float, dict[str, Any]]:
    """Play random legal actions to the end; return the sum of rewards and the last info."""
    total, over, info = 0.0, False, {}
    while not over:
        action = int(rng.choice(np.flatnonzero(env.unwrapped.action_masks())))
        _, reward, over, _, info = env.step(action)
        total += reward
    return total, info


@pytest.mark.parametrize("seat", [0, 1, "random"])
@pytest.mark.parametrize("opponent", ["wise", "easy", "random"])
def test_the_losers_minus_one_arrives(opponent: str, seat: int | str) -> None:
    env = gym.make("quiltrail/Tinrail-v0", opponent=opponent, seat=seat, reward="outcome")
    rng, outcomes = np.random.default_rng(0), []
    for seed in range(80):
        env.reset(seed=seed)
        total, info = play_out(env, rng)
        game = env.unwrapped.engine.state[0]
        outcomes.append({3: 0, 1 + game["seat"]: 1}.get(int(game["result"]), -1))
        assert total == outcomes[-1]
        assert info["is_success"] == (total == 1)
    assert -1 in outcomes
    assert len(set(outcomes)) >= 2 or opponent == "wise"


@pytest.mark.parametrize(("opponent", "share"), [("wise", 1.0), ("easy", 0.6), ("random", 1.0)])
def test_the_score_is_paid_at_the_end_times_the_multiplier(opponent: str, share: float) -> None:
    env = gym.make("quiltrail/Tinrail-v0", opponent=opponent, seat="random")
    rng = np.random.default_rng(1)
    for seed in range(40):
        env.reset(seed=seed)
        total, info = play_out(env, rng)
        view = env.unwrapped.view()
        seat = int(env.unwrapped.engine.state["seat"][0])
        survived = view["tilesSurvived"][seat]
        won, drawn = view["result"] == f"win{seat}", view["result"] == "draw"
        plain = 100 + 5 * survived if won else 50 + 2 * survived if drawn else 2 * survived
        assert total == info["score"] == (plain * 3 // 5 if share < 1 else plain)


def test_the_random_seat_is_drawn_from_the_seed() -> None:
    env = gym.make("quiltrail/Tinrail-v0", seat="random")
    seats = []
    for seed in range(40):
        observation, _ = env.reset(seed=seed)
        seats.append(int(observation["seat"].argmax()))
        assert seats[-1] == Mulberry32(seed ^ SEAT_STREAM).below(2)
    assert {0, 1} == set(seats)


def seed_of_an_early_end() -> int:
    """Return a seed whose random first player goes off the table at once."""
    for seed in range(200):
        match = TinrailReference(seed)
        match.play(match.decode(RandomBot(seed).choose(match)))
        if match.ended:
            return seed
    raise AssertionError


@pytest.mark.parametrize("action", [0, 11, 12, -1, 10**30])
def test_a_match_over_before_the_first_turn_is_told_by_the_first_step(action: int) -> None:
    env = TinrailEnv(opponent="random", seat=1)
    observation, info = env.reset(seed=seed_of_an_early_end())
    assert (info["score"], info["action_mask"].all()) == (0, True)
    assert env.view()["phase"] == "ended"
    assert env.legal_actions() == env.view()["legalActions"] == []
    assert env.observation_space.contains(observation)
    saved = json.loads(json.dumps(env.get_state()))
    _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated, info["refusal"]) == (105.0, True, False, 0)
    assert (info["score"], info["is_success"]) == (105, True)
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["refusal"], info["score"]) == (0.0, True, 6, 105)
    env.set_state(saved)
    assert env.step(action)[1:3] == (105.0, True)


def test_an_early_end_is_told_in_a_batch_too() -> None:
    seed = seed_of_an_early_end()
    for mode in ("NextStep", "SameStep"):
        env = TinrailVectorEnv(3, opponent="random", seat=1, autoreset_mode=mode)
        env.reset(seed=seed)
        _, reward, terminated, _, _ = env.step(np.zeros(3, np.int64))
        assert (reward[0], terminated[0]) == (105.0, True)


def test_a_truncated_match_pays_nothing() -> None:
    env = gym.make("quiltrail/Tinrail-v0", max_episode_steps=3)
    env.reset(seed=0)
    rewards = [env.step(-1)[1] for _ in range(3)]
    assert rewards == [0.0, 0.0, 0.0]
    assert env.unwrapped.engine.score[0] == 0


def test_a_refused_action_gets_no_reply() -> None:
    env = TinrailEnv()
    env.reset(seed=4)
    before = env.get_state()
    for action in (12, -1):
        assert env.step(action)[4]["refusal"] == 18
    assert env.get_state() == before


@pytest.mark.parametrize(
    "wrong", [{"seat": 2}, {"seat": True}, {"seat": "first"}, {"reward": "points"}]
)
def test_other_wrong_arguments_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(wrong))):
        TinrailEnv(**wrong)


def test_states_of_other_settings_or_seats_are_refused() -> None:
    env = TinrailEnv(seat=0)
    env.reset(seed=1)
    state = env.get_state()
    with pytest.raises(StateError, match="settings"):
        TinrailEnv(seat=1).set_state(state)
    for field, value in (("seat", 1), ("opponent", 1), ("opponent", -2), ("unread", 1)):
        with pytest.raises(StateError, match=f'"{field}"'):
            env.set_state({**state, field: value})


def test_a_position_can_be_set_up_against_an_opponent() -> None:
    engine = TinrailSoloEngine(1, opponent="wise")
    engine.set_position(0, Position({}, [[14, 5], [20, 0]], [[33], [34, 1]], 0, [2, 3]))
    engine.step(np.array([0]))
    assert engine.state["turn"][0] == 2
    assert engine.view(0)["toMove"] == 0
