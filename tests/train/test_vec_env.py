"""The SB3 door: every silent corruption known of custom VecEnvs, as a test."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from quiltrail.core.errors import ActionTypeError, OptionError, UnknownNameError
from quiltrail.testing import assert_same
from quiltrail.wrappers import ForbidActions, RewardScale

pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecMonitor

from quiltrail.train.vec_env import EngineVecEnv
from tests.each import each_id


def legal(env: EngineVecEnv, rng: np.random.Generator) -> np.ndarray:
    masks = env.action_masks()
    return (rng.random(masks.shape) * masks).argmax(axis=1)


@each_id
def test_rows_equal_single_environments_with_same_step_autoreset(env_id: str) -> None:
    env = EngineVecEnv(env_id, 3, max_episode_steps=19)
    singles = [gym.make(env_id, max_episode_steps=19) for _ in range(3)]
    env.seed(30)
    observations = env.reset()
    for row, single in enumerate(singles):
        assert_same({k: v[row] for k, v in observations.items()}, single.reset(seed=30 + row)[0])
    rng = np.random.default_rng(1)
    for _ in range(120):
        actions = legal(env, rng)
        observations, rewards, dones, infos = env.step(actions)
        assert rewards.dtype == np.float32
        for row, single in enumerate(singles):
            seen, reward, terminated, truncated, info = single.step(actions[row])
            assert (rewards[row], dones[row]) == (np.float32(reward), terminated or truncated)
            assert "action_mask" not in infos[row]
            assert ("terminal_observation" in infos[row]) == bool(dones[row])
            if dones[row]:
                assert_same(infos[row]["terminal_observation"], seen)
                assert infos[row]["TimeLimit.truncated"] == (truncated and not terminated)
                assert infos[row]["score"] == info["score"]
                seen, _ = single.reset()
            assert_same({k: v[row] for k, v in observations.items()}, seen)


@each_id
def test_nothing_returned_is_a_view_of_what_changes_later(env_id: str) -> None:
    env = EngineVecEnv(env_id, 4, max_episode_steps=5)
    rng = np.random.default_rng(2)
    env.seed(1)
    first = env.reset()
    returned: list[Any] = [(first, {k: v.copy() for k, v in first.items()})]
    for _ in range(12):
        masks = env.action_masks()
        observations, rewards, dones, infos = env.step(legal(env, rng))
        ends = [info.get("terminal_observation", {}) for info in infos]
        for value in (observations, {"r": rewards, "d": dones, "m": masks}, *ends):
            returned.append((value, {k: v.copy() for k, v in value.items()}))
        assert len({id(info) for info in infos}) == len(infos)
    for value, kept in returned:
        assert_same(value, kept)


@each_id
def test_the_rollout_buffer_holds_what_was_seen(env_id: str) -> None:
    """A VecEnv that hands out its buffer fills the rollout with the next observation."""

    class Log(EngineVecEnv):
        seen: list[dict[str, np.ndarray]]

        def reset(self) -> dict[str, np.ndarray]:
            observations = super().reset()
            self.seen = [{k: v.copy() for k, v in observations.items()}]
            return observations

        def step_wait(self) -> Any:
            result = super().step_wait()
            self.seen.append({k: v.copy() for k, v in result[0].items()})
            return result

    env = Log(env_id, 2, max_episode_steps=7)
    model = MaskablePPO(
        "MultiInputPolicy",
        env,
        n_steps=16,
        batch_size=8,
        n_epochs=1,
        seed=3,
        policy_kwargs={"net_arch": [8]},
    )
    model.learn(32)
    assert env.refusals == 0, "a masked learner never meets a refusal"
    buffered = model.rollout_buffer.observations
    for name in env.seen[0]:
        logged = np.stack([one[name] for one in env.seen[:16]])
        stored = buffered[name]
        if stored.shape[:2] != (16, 2):  # SB3 flattens the buffer when it trains
            stored = stored.reshape(2, 16, *stored.shape[1:]).swapaxes(0, 1)
        np.testing.assert_array_equal(stored, logged)


@each_id
def test_masks_come_whole_for_some_rows_and_through_sb3s_helper(env_id: str) -> None:
    env = EngineVecEnv(env_id, 3)
    env.seed(5)
    env.reset()
    assert is_masking_supported(env)
    masks = get_action_masks(VecMonitor(env))
    assert masks.dtype == np.bool_
    assert masks.shape == (3, env.action_space.n)
    np.testing.assert_array_equal(masks, env.engine.mask != 0)
    np.testing.assert_array_equal(env.env_method("action_masks", indices=[2])[0], masks[2])
    assert env.env_method("legal_actions", indices=1) == [env.engine.legal_actions(1)]


def test_truncation_bootstraps_and_a_win_on_the_last_step_does_not() -> None:
    env = EngineVecEnv("sunpleat", 2, max_episode_steps=2)
    env.seed(0)
    env.reset()
    env.step(np.array([0, 0]))
    _, _, dones, infos = env.step(np.array([0, 8]))  # row 1 banks on its last allowed step
    assert dones.tolist() == [True, True]
    assert [info["TimeLimit.truncated"] for info in infos] == [True, False]


def test_seeds_and_options_are_used_once() -> None:
    env = EngineVecEnv("sunpleat", 2)
    env.seed(9)
    env.set_options([{"board": 3}, {"board": 8}])
    env.reset()
    assert env.engine.state["board"].tolist() == [3, 8]
    assert [info["game_seed"] for info in env.reset_infos] == [9, 10]
    env.reset()
    assert env.engine.state["board"].tolist() == [1, 1]
    assert [info["game_seed"] for info in env.reset_infos] != [9, 10]


def test_starts_and_transforms_shape_training_episodes() -> None:
    env = EngineVecEnv(
        "sunpleat",
        2,
        max_episode_steps=1,
        transforms=[ForbidActions("bank"), RewardScale(0.01)],
        starts=lambda engine, rows, rng: {"board": [1, 5]},
    )
    env.seed(0)
    env.reset()
    assert not env.action_masks()[:, 8].any()
    _, rewards, dones, _ = env.step(np.array([1, 0]))
    np.testing.assert_allclose(rewards, [2.15, 0.0], rtol=1e-6)
    assert dones.all()
    assert env.engine.state["board"].tolist() == [1, 5]


def test_attributes_answer_once_a_row_and_unknown_ones_are_errors() -> None:
    env = EngineVecEnv("sunpleat", 3)
    assert env.get_attr("render_mode") == [None] * 3
    assert not env.has_attr("no_such_thing")
    env.set_attr("note", 5)
    assert env.get_attr("note", indices=[0]) == [5]
    with pytest.raises(AttributeError):
        env.get_attr("no_such_thing")
    with pytest.raises(AttributeError, match="no row method"):
        env.env_method("no_such_thing")
    with pytest.raises(OptionError, match="all 3 rows"):
        env.set_attr("note", 5, indices=[0])
    assert env.env_is_wrapped(VecMonitor) == [False] * 3


def test_bad_ids_settings_and_actions_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="Sunpleat"):
        EngineVecEnv("quiltrail/Sunpleat-v9", 2)
    with pytest.raises(OptionError, match="colour"):
        EngineVecEnv("sunpleat", 2, colour="red")
    for count in (0, -1, 1.0, True):
        with pytest.raises(OptionError, match="number of games"):
            EngineVecEnv("sunpleat", count)
    env = EngineVecEnv("sunpleat", 2)
    env.reset()
    with pytest.raises(ActionTypeError, match="2 integers"):
        env.step(np.array([0.5, 1.0]))
