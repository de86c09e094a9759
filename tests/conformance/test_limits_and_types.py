"""Time limits, spaces and types, as every door of every id has them."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import hypothesis.strategies as st
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import given, settings

from quiltrail.testing import random_action
from tests.each import IDS, each_id

LIMIT = 6


def harmless(env: Any) -> np.ndarray:
    """Return one refused action for every row."""
    return np.full(env.num_envs, env.single_action_space.n)


@each_id
def test_the_vector_environments_time_limit_truncates_exactly_then(env_id: str) -> None:
    env = gym.make_vec(env_id, num_envs=2, max_episode_steps=LIMIT)
    env.reset(seed=0)
    for _ in range(2):
        for step in range(1, LIMIT + 1):
            _, _, terminated, truncated, _ = env.step(harmless(env))
            assert truncated.tolist() == [step == LIMIT] * 2
            assert not terminated.any()
        env.step(harmless(env))  # resets


@each_id
def test_a_reset_in_mid_episode_clears_the_step_counter(env_id: str) -> None:
    env = gym.make_vec(env_id, num_envs=2, max_episode_steps=LIMIT)
    single = gym.make(env_id, max_episode_steps=LIMIT)
    for seed in (0, 1):
        env.reset(seed=seed)
        single.reset(seed=seed)
        for _ in range(LIMIT - 2):
            assert not env.step(harmless(env))[3].any()
            assert not single.step(-1)[3]
    env.reset()
    single.reset()
    lengths = [(env.step(harmless(env))[3].tolist(), single.step(-1)[3]) for _ in range(LIMIT)]
    assert lengths == [([False, False], False)] * (LIMIT - 1) + [([True, True], True)]


@each_id
def test_a_partial_reset_clears_the_step_counter_of_its_rows_only(env_id: str) -> None:
    env = gym.make_vec(
        env_id, num_envs=2, max_episode_steps=LIMIT, autoreset_mode=AutoresetMode.DISABLED
    )
    env.reset(seed=0)
    env.step(harmless(env))
    env.reset(options={"reset_mask": np.array([True, False])})
    for _ in range(LIMIT - 2):
        assert not env.step(harmless(env))[3].any()
    assert env.step(harmless(env))[3].tolist() == [False, True]


@each_id
def test_rewards_and_flags_have_plain_types_and_one_dimension(env_id: str) -> None:
    env, batch = gym.make(env_id), gym.make_vec(env_id, num_envs=3)
    env.reset(seed=0)
    batch.reset(seed=0)
    for action in (0, np.int64(0), np.int32(1), -1):
        _, reward, terminated, truncated, _ = env.step(action)
        assert [type(one) for one in (reward, terminated, truncated)] == [float, bool, bool]
    _, rewards, terminated, truncated, _ = batch.step(harmless(batch))
    assert (rewards.dtype, rewards.shape) == (np.float64, (3,))
    assert [(one.dtype, one.shape) for one in (terminated, truncated)] == [(np.bool_, (3,))] * 2


@each_id
def test_the_action_space_is_int64_and_holds_no_number_outside(env_id: str) -> None:
    space: Any = gym.make(env_id).action_space
    assert space.dtype == np.int64
    assert space.start == 0
    huge = () if gym.__version__.startswith("1.2.") else (10**30,)  # 1.2 raises OverflowError
    for outside in (-1, int(space.n), *huge):
        assert not space.contains(outside)


PLAYED = {env_id: gym.make(env_id, max_episode_steps=40) for env_id in IDS}


@each_id
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), illegal_share=st.sampled_from([0.0, 0.1, 0.7]))
def test_every_observation_lies_in_its_space_terminal_ones_too(
    env_id: str, seed: int, illegal_share: float
) -> None:
    env = PLAYED[env_id]
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    over = False
    while not over:
        assert env.observation_space.contains(observation)
        action = random_action(env, info, rng, illegal_share)
        observation, _, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    assert env.observation_space.contains(observation)
    for _ in range(2):
        assert env.observation_space.contains(env.unwrapped.step(0)[0]), "after the end too"


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)
@each_id
def test_final_observations_lie_in_the_space(env_id: str, mode: AutoresetMode) -> None:
    env = gym.make_vec(env_id, num_envs=3, max_episode_steps=4, autoreset_mode=mode)
    env.reset(seed=0)
    ends = 0
    for _ in range(4):
        seen, _, terminated, truncated, infos = env.step(np.zeros(3, np.int64))
        ended = env.unwrapped.ended_episodes()
        if mode is AutoresetMode.DISABLED and ended.any():
            seen, _ = env.reset(options={"reset_mask": ended})
        assert env.observation_space.contains(seen)
        over = terminated | truncated
        ends += int(over.sum())
        finals = infos.get("final_obs", [None] * 3)
        told = over if mode is AutoresetMode.SAME_STEP else np.zeros(3, bool)
        assert [final is not None for final in finals] == told.tolist()
        assert all(env.single_observation_space.contains(one) for one in finals if one is not None)
    assert ends > 0


@each_id
def test_masks_are_right_at_reset_and_when_a_state_is_restored(env_id: str) -> None:
    env, twin = gym.make(env_id), gym.make(env_id)
    rng = np.random.default_rng(3)
    _, info = env.reset(seed=3)
    for _ in range(40):
        _, told = twin.reset(options={"state": env.unwrapped.get_state()})
        np.testing.assert_array_equal(told["action_mask"], info["action_mask"])
        legal = {int(one) for one in np.flatnonzero(info["action_mask"])}
        probe = env.unwrapped.engine
        for action in rng.permutation(probe.num_actions)[:25].tolist():
            assert (probe.refusal_of(0, action) == 0) == (action in legal)
        action = random_action(env, info, rng, illegal_share=0.0)
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            _, info = env.reset()


def test_every_id_is_registered() -> None:
    assert set(IDS) <= set(gym.registry)
