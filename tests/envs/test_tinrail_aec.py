"""Tinrail for PettingZoo: the library's own tests, and the rules they leave out."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
from pettingzoo.utils import average_total_reward, turn_based_aec_to_parallel

import quiltrail
from quiltrail.agents.tinrail import EasyBot
from quiltrail.core.errors import (
    ActionTypeError,
    IllegalActionError,
    InvalidSeedError,
    OptionError,
    ResetNeededError,
    StateError,
)
from quiltrail.envs import tinrail_v0
from quiltrail.envs.tinrail import flat
from quiltrail.envs.tinrail.engine import TinrailEngine
from tests.reference.tinrail import TinrailReference

FIRST, SECOND = "player_0", "player_1"
LONG_MATCH = 457  # two Easy bots place all 35 tiles
# PettingZoo expects Dict observations only of its own games.
KNOWN_WARNINGS = ("Observation space for each agent probably", "Observation is not a NumPy array")


def choose(mask: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def play_match(env: Any, rng: np.random.Generator, illegal_share: float = 0.0) -> dict[str, float]:
    """Play one match by PettingZoo's loop; return each agent's sum of rewards from `last`."""
    returns = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        returns[agent] += reward
        if terminated or truncated:
            env.step(None)
        elif rng.random() < illegal_share:
            env.step(11)
        else:
            env.step(choose(observation["action_mask"], rng))
    return returns


def test_pettingzoos_api_test_passes() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(tinrail_v0.env(), num_cycles=1000)
        api_test(tinrail_v0.raw_env(), num_cycles=300)
    assert all(str(one.message).startswith(KNOWN_WARNINGS) for one in caught)


def test_pettingzoos_seed_and_render_tests_pass() -> None:
    seed_test(tinrail_v0.env, num_cycles=500)
    render_test(tinrail_v0.env)


@pytest.mark.slow
def test_pettingzoos_benchmark_runs(capsys: pytest.CaptureFixture[str]) -> None:
    performance_benchmark(tinrail_v0.env())
    assert "turns per second" in capsys.readouterr().out


def test_pettingzoos_average_reward_runs_without_masks(capsys: pytest.CaptureFixture[str]) -> None:
    assert average_total_reward(tinrail_v0.env(), max_episodes=30) == 0
    assert "Average total reward" in capsys.readouterr().out


def test_it_is_registered_with_pettingzoo_once() -> None:
    for name in ("quiltrail/tinrail-v0", "quiltrail/tinrail_v0"):
        env = pettingzoo.make("aec", name, max_refusals=7)
        assert env.unwrapped.max_refusals == 7
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quiltrail.register_envs()
    assert env.unwrapped.metadata["name"] == str(env) == "tinrail_v0"


def test_importing_the_package_imports_no_game_and_nothing_heavy() -> None:
    code = """
import sys, quiltrail
loaded = set(sys.modules)
assert not loaded & {"torch", "pygame", "quiltrail.render"}
assert not [name for name in loaded if name.startswith("quiltrail.envs.tinrail")]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_five_hundred_plies_repeat_exactly() -> None:
    envs = [tinrail_v0.env(), tinrail_v0.env()]
    rngs = [np.random.default_rng(5), np.random.default_rng(5)]
    plies = 0
    for env in envs:
        env.reset(seed=9)
    while plies < 500:
        said = []
        for env, rng in zip(envs, rngs, strict=True):
            if not env.agents:
                env.reset()
            observation, reward, terminated, truncated, info = env.last()
            over = terminated or truncated
            action = None if over else choose(observation["action_mask"], rng)
            parts = [observation[name].tobytes() for name in ("observation", "action_mask")]
            said.append((env.agent_selection, *parts, reward, terminated, dict(info), action))
            env.step(action)
        assert said[0] == said[1]
        plies += said[0][-1] is not None
    assert plies == 500


def test_seeds_deal_different_tiles_and_equal_seeds_equal_ones() -> None:
    env = tinrail_v0.raw_env()
    hands = {}
    for seed in (1, 2, 1, 0, 0):
        env.reset(seed=seed)
        shown = env.observe(FIRST)["observation"].tobytes()
        assert hands.setdefault(seed, shown) == shown
        assert env.view() == TinrailReference(seed).view()
    assert len(set(hands.values())) == 3


def test_the_next_games_follow_the_published_stream() -> None:
    from tests.reference.mulberry32 import Mulberry32

    env, stream = tinrail_v0.raw_env(), Mulberry32(7 ^ 0x51ED2701)
    env.reset(seed=7)
    seeds = [env.infos[FIRST]["game_seed"]]
    for _ in range(3):
        env.reset()
        seeds.append(env.infos[SECOND]["game_seed"])
    assert seeds == [7, *(stream.next_uint32() for _ in range(3))]


def test_spaces_are_the_same_objects_and_hold_every_observation() -> None:
    env = tinrail_v0.env()
    rng = np.random.default_rng(1)
    spaces = {agent: env.observation_space(agent) for agent in (FIRST, SECOND)}
    for seed in range(10):
        env.reset(seed=seed)
        while env.agents:
            for agent in (FIRST, SECOND):
                assert env.observation_space(agent) is spaces[agent]
                assert env.action_space(agent) is env.action_space(agent)
                assert spaces[agent].contains(env.observe(agent))
            over = env.terminations[env.agent_selection]
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(None if over else choose(mask, rng))


def test_an_agent_can_be_observed_at_any_time_and_waits_with_an_empty_mask() -> None:
    env = tinrail_v0.raw_env()
    env.reset(seed=3)
    assert env.observe(FIRST)["action_mask"].all()
    assert not env.observe(SECOND)["action_mask"].any()
    rng = np.random.default_rng(3)
    play_match(env, rng)
    assert env.agents == []
    for agent in (FIRST, SECOND):
        observation = env.observe(agent)
        assert observation["action_mask"].all()
        assert env.observation_space(agent).contains(observation)


def test_observations_are_fresh_arrays() -> None:
    env = tinrail_v0.raw_env()
    env.reset(seed=3)
    first = env.observe(FIRST)
    kept = copy.deepcopy(first)
    env.step(0)
    again = env.observe(FIRST)
    for name, array in first.items():
        assert (array == kept[name]).all()
        assert not np.shares_memory(array, again[name])


def test_each_agent_sees_its_own_side_and_never_the_hidden_tiles() -> None:
    env = tinrail_v0.raw_env()
    rng = np.random.default_rng(8)
    for seed in range(6):
        env.reset(seed=seed)
        while not env.terminations[FIRST]:
            for seat, agent in enumerate((FIRST, SECOND)):
                view = env.view(agent)
                seen = flat.split(env.observe(agent)["observation"])
                assert seen["seat"].argmax() == seat
                assert (seen["hand"] != 0).all(axis=1).sum() == 4 * len(view["hand"])
                assert seen["unseen"].sum() == 35 - view["tilesPlaced"] - len(view["hand"])
                assert bool(view["legalActions"]) == (agent == env.agent_selection)
            mover = env.agent_selection
            assert env.view() == env.view(mover)
            env.step(choose(env.observe(mover)["action_mask"], rng))
        assert env.view(FIRST)["hand"] == env.view(SECOND)["legalActions"] == []


def test_the_vector_is_the_named_fields_of_the_engine_in_order() -> None:
    env = tinrail_v0.raw_env()
    env.reset(seed=2)
    engine = TinrailEngine(1)
    engine.reset(np.array([0]), np.array([2], np.uint64))
    fields = flat.split(env.observe(FIRST)["observation"])
    assert list(fields) == list(engine.observation)
    for name, values in engine.observation.items():
        np.testing.assert_array_equal(fields[name], values[0])
    assert sum(place.stop - place.start for place in flat.PLACES.values()) == flat.LENGTH


def test_hundreds_of_matches_in_a_row_sum_to_zero_and_keep_the_agents() -> None:
    env = tinrail_v0.env()
    rng = np.random.default_rng(4)
    outcomes = set()
    for seed in range(1000):
        env.reset(seed=seed)
        returns = play_match(env, rng)
        assert returns[FIRST] + returns[SECOND] == 0
        outcomes.add(returns[FIRST])
        assert env.possible_agents == [FIRST, SECOND]
    assert outcomes == {-1.0, 0.0, 1.0}


def test_turns_alternate_and_each_agent_has_one_dead_step() -> None:
    env = tinrail_v0.env()
    rng = np.random.default_rng(6)
    for seed in range(50):
        env.reset(seed=seed)
        live, dead = [], []
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            over = terminated or truncated
            (dead if over else live).append(agent)
            env.step(None if over else choose(observation["action_mask"], rng))
        assert live == [f"player_{ply % 2}" for ply in range(len(live))]
        assert sorted(dead) == [FIRST, SECOND]
        assert dead[0] == f"player_{len(live) % 2}"


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


def losing_env() -> Any:
    """Return an environment in which the first player has just lost by an illegal action."""
    env = tinrail_v0.raw_env(on_refusal="lose")
    env.reset(seed=0)
    env.step(2)
    env.step(12)
    return env


def test_with_on_refusal_lose_an_illegal_action_loses() -> None:
    env = losing_env()
    loser, winner = SECOND, FIRST
    if env.view()["result"] != "win0":
        pytest.fail("the second player acted illegally")
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


def test_scores_are_told_and_paid_on_request() -> None:
    env = tinrail_v0.env(reward="score")
    rng = np.random.default_rng(13)
    for seed in range(20):
        env.reset(seed=seed)
        returns = dict.fromkeys((FIRST, SECOND), 0.0)
        for agent in env.agent_iter():
            observation, reward, terminated, _, info = env.last()
            returns[agent] += reward
            if terminated:
                assert info["score"] == returns[agent]
            env.step(None if terminated else choose(observation["action_mask"], rng))
        engine = env.unwrapped.engine
        assert [returns[FIRST], returns[SECOND]] == [engine.final_score(0, s) for s in (0, 1)]


def copies(env: Any) -> Iterator[Any]:
    yield copy.deepcopy(env)
    yield pickle.loads(pickle.dumps(env))


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


@pytest.mark.parametrize(
    "wrong",
    [
        {"reward": "points"},
        {"on_refusal": "resign"},
        {"max_refusals": 0},
        {"max_refusals": True},
        {"render_mode": "hologram"},
        {"theme": "sepia"},
    ],
)
def test_wrong_arguments_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(wrong))):
        tinrail_v0.raw_env(**wrong)


def test_arguments_are_kept_by_a_seeded_reset() -> None:
    env = tinrail_v0.raw_env(reward="score", on_refusal="lose", max_refusals=2)
    env.reset(seed=3)
    assert (env.reward, env.on_refusal, env.max_refusals) == ("score", "lose", 2)


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


def test_it_can_be_played_in_parallel_form() -> None:
    env = turn_based_aec_to_parallel(tinrail_v0.raw_env())
    observations, _ = env.reset(seed=0)
    assert set(observations) == {FIRST, SECOND}


def test_pictures_and_text_show_the_match() -> None:
    env = tinrail_v0.raw_env(render_mode="rgb_array", render_size=96, theme="dark")
    env.reset(seed=0)
    assert env.render().shape == (96, 96, 3)
    env = tinrail_v0.raw_env(render_mode="ansi")
    env.reset(seed=0)
    assert "first player to move" in env.render()
    assert tinrail_v0.raw_env().render() is None


def test_human_mode_opens_a_window_and_survives_copying(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = tinrail_v0.raw_env(render_mode="human", render_size=64)
    env.metadata["render_fps"], old = 1000, env.metadata["render_fps"]
    try:
        env.reset(seed=0)
        env.step(0)
        assert pygame.display.get_surface().get_size() == (64, 64)
        for twin in copies(env):
            assert twin.view() == env.view()
        assert env.render() is None
    finally:
        env.metadata["render_fps"] = old
        env.close()
    assert pygame.display.get_surface() is None
