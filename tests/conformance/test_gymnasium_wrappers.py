"""Gymnasium's own wrappers go around every id unchanged, single and vector."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as vector_wrappers

from quiltrail.testing import random_actions
from quiltrail.wrappers import FlatObservation, apply_transforms
from tests.each import each_id

each_mode = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)


def run(env: gym.Env[Any, Any], steps: int = 12) -> list[Any]:
    """Play a wrapped environment by its masks; return what it said."""
    _, info = env.reset(seed=0)
    said = []
    for _ in range(steps):
        action = env.action_space.sample(info["action_mask"])
        said.append(env.step(action))
        info = said[-1][4]
        assert env.observation_space.contains(said[-1][0])
        if said[-1][2] or said[-1][3]:
            _, info = env.reset()
    return said


def run_vector(env: Any, steps: int = 12, in_space: bool = True) -> list[Any]:
    rng = np.random.default_rng(0)
    _, infos = env.reset(seed=0)
    said = []
    for _ in range(steps):
        said.append(env.step(random_actions(env, infos, rng)))
        infos = said[-1][4]
        assert not in_space or env.observation_space.contains(said[-1][0])
    return said


@each_id
def test_record_episode_statistics(env_id: str) -> None:
    env = wrappers.RecordEpisodeStatistics(gym.make(env_id, max_episode_steps=5))
    said = run(env, 20)
    ends = [one for one in said if one[2] or one[3]]
    assert ends
    for _, _, terminated, truncated, info in ends:
        assert info["episode"]["l"] <= 5
        assert info["episode"]["l"] == 5 or (terminated and not truncated)


@each_id
@each_mode
def test_episode_statistics_of_a_batch_are_what_was_paid(env_id: str, mode: AutoresetMode) -> None:
    if mode is AutoresetMode.SAME_STEP and gym.__version__.startswith("1.2."):
        pytest.skip("Gymnasium 1.2 counts wrongly with SameStep, for every environment")
    env = vector_wrappers.RecordEpisodeStatistics(
        gym.make_vec(env_id, num_envs=3, max_episode_steps=9, autoreset_mode=mode)
    )
    rng = np.random.default_rng(2)
    _, infos = env.reset(seed=0)
    lengths, returns, ended = np.zeros(3, int), np.zeros(3), np.zeros(3, np.bool_)
    told = 0
    for _ in range(40):
        resets = ended if mode is AutoresetMode.NEXT_STEP else np.zeros(3, np.bool_)
        _, rewards, terminated, truncated, infos = env.step(random_actions(env, infos, rng))
        lengths, returns = np.where(resets, 0, lengths + 1), np.where(resets, 0, returns + rewards)
        ended = terminated | truncated
        if ended.any():
            episode = statistics_in(infos)
            np.testing.assert_array_equal(episode["l"][ended], lengths[ended])
            np.testing.assert_allclose(episode["r"][ended], returns[ended])
            told += 1
            if mode is AutoresetMode.DISABLED:
                _, infos = env.reset(options={"reset_mask": ended})
        if mode is not AutoresetMode.NEXT_STEP:
            lengths, returns = np.where(ended, 0, lengths), np.where(ended, 0, returns)
    assert told


@each_id
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_episode_statistics_of_a_batch_are_those_of_single_environments(
    env_id: str, mode: AutoresetMode
) -> None:
    """Not with "Disabled": there, SyncVectorEnv takes the reset_mask away from the wrapper."""
    native = vector_wrappers.RecordEpisodeStatistics(
        gym.make_vec(env_id, num_envs=3, max_episode_steps=9, autoreset_mode=mode)
    )
    sync = vector_wrappers.RecordEpisodeStatistics(
        SyncVectorEnv([lambda: gym.make(env_id, max_episode_steps=9)] * 3, autoreset_mode=mode)
    )
    rng = np.random.default_rng(2)
    _, infos = native.reset(seed=0)
    sync.reset(seed=0)
    for _ in range(40):
        actions = random_actions(native, infos, rng)
        infos, theirs = native.step(actions)[4], sync.step(actions)[4]
        ours, other = statistics_in(infos), statistics_in(theirs)
        assert set(ours) == set(other)
        for name in set(ours) - {"t"}:
            np.testing.assert_array_equal(ours[name], other[name])


def statistics_in(infos: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return what the wrapper told, wherever it told it; {} if no episode ended."""
    place = infos if "episode" in infos else infos.get("final_info", {})
    episode: dict[str, np.ndarray] = place.get("episode", {})
    return episode


@each_id
def test_dict_info_to_list(env_id: str) -> None:
    listed = vector_wrappers.DictInfoToList(gym.make_vec(env_id, num_envs=3))
    assert len(listed.reset(seed=1)[1]) == 3
    assert len(listed.step(np.zeros(3, np.int64))[4]) == 3


@each_id
def test_normalize_observation(env_id: str) -> None:
    flat = apply_transforms(gym.make(env_id), FlatObservation())
    env = wrappers.NormalizeObservation(flat)
    assert all(np.isfinite(one[0]).all() for one in run(env))
    assert env.obs_rms.count > 12
    batch = apply_transforms(gym.make_vec(env_id, num_envs=3), FlatObservation())
    # before Gymnasium 1.4 the vector form kept the bounds of what it normalizes
    for said in run_vector(vector_wrappers.NormalizeObservation(batch), in_space=False):
        assert np.isfinite(said[0]).all()


@each_id
def test_normalize_reward(env_id: str) -> None:
    run(wrappers.NormalizeReward(gym.make(env_id)))
    run_vector(vector_wrappers.NormalizeReward(gym.make_vec(env_id, num_envs=3)))


@each_id
def test_time_limit(env_id: str) -> None:
    env = wrappers.TimeLimit(gym.make(env_id).unwrapped, 3)
    env.reset(seed=0)
    assert [env.step(-1)[2:4] for _ in range(3)] == [(False, False)] * 2 + [(False, True)]


@each_id
def test_frame_stack_observation(env_id: str) -> None:
    env = wrappers.FrameStackObservation(gym.make(env_id), 3)
    for observation, *_ in run(env):
        assert all(len(values) == 3 for values in observation.values())


@each_id
def test_flatten_and_filter_observation(env_id: str) -> None:
    env = gym.make(env_id)
    name = min(env.observation_space.spaces)
    run(wrappers.FilterObservation(env, [name]))
    flat = wrappers.FlattenObservation(gym.make(env_id))
    assert flat.reset(seed=0)[0].ndim == 1


@each_id
def test_vectorized_single_wrappers(env_id: str) -> None:
    env = gym.make_vec(
        env_id, num_envs=2, vectorization_mode="sync", wrappers=(wrappers.RecordEpisodeStatistics,)
    )
    run_vector(env)
    clipped = vector_wrappers.ClipReward(gym.make_vec(env_id, num_envs=2), -1.0, 1.0)
    assert all(np.abs(said[1]).max() <= 1 for said in run_vector(clipped))


@each_id
def test_render_collection(env_id: str) -> None:
    env = wrappers.RenderCollection(gym.make(env_id, render_mode="ansi"))
    env.reset(seed=0)
    for _ in range(3):
        env.step(-1)
    assert len(env.render()) == 4


@each_id
def test_record_video(env_id: str, tmp_path: Path) -> None:
    env = gym.make(env_id, render_mode="rgb_array", render_size=64, max_episode_steps=4)
    env = wrappers.RecordVideo(env, str(tmp_path), episode_trigger=lambda episode: episode == 0)
    run(env, 5)
    env.close()
    assert list(tmp_path.glob("*.mp4"))
