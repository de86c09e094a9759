"""Tinrail for PettingZoo: the library's own tests, and the rules they leave out."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
from pettingzoo.utils import average_total_reward, turn_based_aec_to_parallel

import quiltrail
from quiltrail.core.errors import (
    OptionError,
)
from quiltrail.envs import tinrail_v0
from tests.envs.tinrail_matches import FIRST, SECOND, choose, play_match
from tests.reference.tinrail import TinrailReference

# PettingZoo expects Dict observations only of its own games.
KNOWN_WARNINGS = ("Observation space for each agent probably", "Observation is not a NumPy array")


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


def test_it_can_be_played_in_parallel_form() -> None:
    env = turn_based_aec_to_parallel(tinrail_v0.raw_env())
    observations, _ = env.reset(seed=0)
    assert set(observations) == {FIRST, SECOND}
