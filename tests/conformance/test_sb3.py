"""SB3 and sb3-contrib over every id: the faults their issue trackers tell of, as tests."""

from __future__ import annotations

import multiprocessing
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.utils import obs_as_tensor
from stable_baselines3.common.vec_env import SubprocVecEnv

from quiltrail.train.config import load_config
from quiltrail.train.randomness import borrowed_randomness, fix_randomness
from quiltrail.train.vec_env import EngineVecEnv
from tests.each import each_id

SMALL: dict[str, Any] = {
    "n_steps": 16,
    "batch_size": 16,
    "n_epochs": 1,
    "seed": 3,
    "policy_kwargs": {"net_arch": [8]},
}


@each_id
def test_evaluation_without_masks_ends(env_id: str) -> None:
    env = Monitor(gym.make(env_id, max_episode_steps=12))
    model = PPO("MultiInputPolicy", env, **SMALL)
    _, lengths = evaluate_policy(model, env, n_eval_episodes=2, return_episode_rewards=True)
    assert len(lengths) == 2
    assert max(lengths) <= 12


@each_id
def test_a_masked_learner_is_never_refused(env_id: str) -> None:
    env = EngineVecEnv(env_id, 4, max_episode_steps=11)
    MaskablePPO("MultiInputPolicy", env, **SMALL).learn(128)
    assert env.refusals == 0


@each_id
def test_predictions_with_many_actions_raise_nothing(env_id: str) -> None:
    env = EngineVecEnv(env_id, 4)
    model = MaskablePPO("MultiInputPolicy", env, **SMALL)
    observations = env.reset()
    rng = np.random.default_rng(0)
    for share in (0.001, 0.01, 0.5, 1.0):
        masks = rng.random((4, env.action_space.n)) < share
        masks[:, 0] |= ~masks.any(axis=1)
        for deterministic in (True, False, True, False):
            actions, _ = model.predict(
                observations, action_masks=masks, deterministic=deterministic
            )
            assert masks[np.arange(4), actions].all()


class _Log(BaseCallback):
    """Keeps what the environment paid, and checks the rollout before it is learned from."""

    def __init__(self) -> None:
        super().__init__()
        self.paid: list[np.ndarray] = []
        self.ends: list[tuple[int, int, dict[str, Any]]] = []
        self.kinds: set[str] = set()

    def _on_step(self) -> bool:
        step = len(self.paid)
        # a copy: SB3 adds its bootstrap to this very array
        self.paid.append(self.locals["rewards"].copy())
        for row, info in enumerate(self.locals["infos"]):
            if self.locals["dones"][row]:
                self.ends.append((step, row, info))
        return True

    def _on_rollout_end(self) -> None:
        stored = self.model.rollout_buffer.rewards
        expected = np.stack(self.paid).astype(np.float32)
        for step, row, info in self.ends:
            if not info["TimeLimit.truncated"]:
                self.kinds.add("terminated")
                continue
            self.kinds.add("truncated")
            last = {name: value[None] for name, value in info["terminal_observation"].items()}
            value = self.model.policy.predict_values(obs_as_tensor(last, self.model.device))
            expected[step, row] += self.model.gamma * value.item()
        np.testing.assert_allclose(stored, expected, rtol=1e-4, atol=1e-5)
        assert stored.dtype == np.float32


@each_id
def test_truncations_bootstrap_from_the_last_observation_and_ends_do_not(env_id: str) -> None:
    log = _Log()
    env = EngineVecEnv(env_id, 4, max_episode_steps=3)
    MaskablePPO("MultiInputPolicy", env, **SMALL).learn(64, callback=log)
    assert "truncated" in log.kinds


@each_id
def test_sb3s_environment_truncates_exactly_at_the_limit(env_id: str) -> None:
    env = EngineVecEnv(env_id, 2, max_episode_steps=4)
    env.seed(0)
    env.reset()
    refused = np.full(2, env.action_space.n)
    for step in range(1, 9):
        _, rewards, dones, infos = env.step(refused)
        assert dones.tolist() == [step % 4 == 0] * 2
        assert rewards.tolist() == [0.0, 0.0]
        for info in infos:
            assert info.get("TimeLimit.truncated", False) == (step % 4 == 0)


def test_a_win_on_the_last_allowed_step_is_stored_unchanged() -> None:
    """Sunpleat ends with bank: on the limit's own step it is an end, and nothing is added."""
    env = EngineVecEnv("sunpleat", 1, max_episode_steps=2)
    env.seed(0)
    env.reset()
    env.step(np.array([1]))
    _, rewards, dones, infos = env.step(np.array([8]))
    assert dones[0]
    assert infos[0]["TimeLimit.truncated"] is False
    assert rewards.dtype == np.float32


def test_a_run_takes_the_threads_its_config_says_one_by_default() -> None:
    config = load_config("sunpleat")
    assert type(config.training).model_fields["threads"].default == 1
    before = torch.get_num_threads()
    try:
        with borrowed_randomness(0):
            fix_randomness(config.training.seed, 2)
            assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def _make(env_id: str) -> Any:
    return gym.make(f"quiltrail:{env_id}")


@pytest.mark.slow
@each_id
def test_spawned_workers_know_the_ids_and_tell_masks(env_id: str) -> None:
    from functools import partial

    assert "spawn" in multiprocessing.get_all_start_methods()
    env = SubprocVecEnv([partial(_make, env_id)] * 2, start_method="spawn")
    try:
        env.reset()
        masks = get_action_masks(env)
        assert masks.shape == (2, env.action_space.n)
        assert masks.any(axis=1).all()
    finally:
        env.close()
