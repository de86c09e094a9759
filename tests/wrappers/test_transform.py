"""The shared transforms: single and vector faces agree, and each does what it says."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from quiltrail.core.errors import OptionError
from quiltrail.envs.sunpleat.par import progress
from quiltrail.wrappers import (
    ForbidActions,
    PotentialShaping,
    RewardScale,
    StepCost,
    Transform,
    apply_transforms,
)
from tests.each import each_id
from tests.wrappers.faces import compare_faces

ENV = "quiltrail/Sunpleat-v0"


def shaped() -> list[Transform]:
    return [ForbidActions("bank", "restart"), PotentialShaping(progress, 0.9), StepCost(0.25)]


def test_rows_of_the_vector_face_equal_the_single_face() -> None:
    compare_faces(ENV, shaped, steps=120)


def test_next_step_autoreset_gives_the_reset_row_no_reward() -> None:
    env = apply_transforms(gym.make_vec(ENV, num_envs=2, max_episode_steps=3), StepCost(1.0))
    env.reset(seed=0)
    rewards = [env.step(np.array([0, 0]))[1].tolist() for _ in range(5)]
    assert rewards == [[-1, -1], [-1, -1], [-1, -1], [0, 0], [-1, -1]]


def test_same_step_autoreset_is_refused_with_the_reason() -> None:
    env = gym.make_vec(ENV, num_envs=2, autoreset_mode=AutoresetMode.SAME_STEP)
    with pytest.raises(OptionError, match="NextStep"):
        apply_transforms(env, StepCost(1.0))


def test_only_environments_of_this_package_can_be_transformed() -> None:
    with pytest.raises(OptionError, match="GameEnv"):
        apply_transforms(gym.make("CartPole-v1"), StepCost(1.0))


def test_forbidden_actions_leave_the_mask_but_the_game_takes_them() -> None:
    env = apply_transforms(gym.make(ENV), ForbidActions("bank", "restart"))
    _, info = env.reset(seed=0)
    assert np.flatnonzero(info["action_mask"]).tolist() == [0, 1, 2]
    _, _, terminated, _, info = env.step(8)
    assert terminated
    assert info["refusal"] == 0
    assert info["action_mask"].all()


def test_a_mask_is_never_emptied() -> None:
    env = apply_transforms(gym.make(ENV), ForbidActions("next", "bank"))
    env.reset(seed=0)
    _, _, _, _, info = env.step(1)  # clears board 1: only next and bank are legal
    assert np.flatnonzero(info["action_mask"]).tolist() == [5, 8]


@each_id
def test_an_unknown_action_type_is_refused_with_the_known_ones(env_id: str) -> None:
    with pytest.raises(OptionError, match="allowed"):
        apply_transforms(gym.make(env_id), ForbidActions("teleport"))


def test_shaping_telescopes_to_the_potential_of_the_start() -> None:
    gamma = 0.9
    plain, shaped_env = (
        gym.make(ENV),
        apply_transforms(gym.make(ENV), PotentialShaping(progress, gamma)),
    )
    plain.reset(seed=0)
    shaped_env.reset(seed=0)
    start = float(progress(shaped_env.unwrapped.engine)[0])
    surplus, weight = 0.0, 1.0
    for action in (0, 2, 7, 1, 5, 0, 2, 8):  # ends on bank, where the potential counts as 0
        reward, other = plain.step(action)[1], shaped_env.step(action)[1]
        surplus += weight * (other - reward)
        weight *= gamma
    assert surplus == pytest.approx(-start)


def test_progress_counts_optimal_flips_and_stands_still_between_boards() -> None:
    env = gym.make(ENV).unwrapped
    env.reset(seed=0)
    values = [float(progress(env.engine)[0])]
    for action in (1, 5, 0, 2, 5, 3):
        env.step(action)
        values.append(float(progress(env.engine)[0]))
    assert values == [0, 1, 1, 2, 3, 3, 4]
    for board, before in ((9, 34), (10, 39), (12, 51), (13, 58)):
        env.reset(options={"board": board})
        assert progress(env.engine)[0] == before


@pytest.mark.parametrize(
    "build",
    [
        lambda: PotentialShaping(progress, 1.5),
        lambda: RewardScale(0.0),
        lambda: RewardScale(float("nan")),
        lambda: StepCost(-1.0),
        lambda: StepCost(float("inf")),
    ],
)
def test_numbers_out_of_range_are_refused(build: Any) -> None:
    with pytest.raises(OptionError, match="number"):
        build()


def test_rewards_are_scaled() -> None:
    env = apply_transforms(gym.make(ENV), RewardScale(0.01))
    env.reset(seed=0)
    assert env.step(1)[1] == pytest.approx(2.15)
