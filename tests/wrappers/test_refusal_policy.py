"""RefusalPolicy: ignore, penalise, end and raise, in single, vector and SB3 form."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from quiltrail.core.errors import IllegalActionError, OptionError
from quiltrail.wrappers import CanonicalOrder, RefusalPolicy, StepCost, apply_transforms
from tests.each import each_id
from tests.wrappers.faces import compare_faces

ENV = "quiltrail/Sunpleat-v0"
NEXT, BANK = 5, 8  # while a board is being played, next is refused


@each_id
@pytest.mark.parametrize("policy", ["ignore", "penalise", "end"])
def test_single_and_vector_faces_say_the_same(env_id: str, policy: str) -> None:
    compare_faces(env_id, lambda: [RefusalPolicy(policy, 2.0)], illegal_share=0.3)


@pytest.mark.parametrize(
    ("policy", "reward", "ends"),
    [("ignore", 0.0, False), ("penalise", -3.0, False), ("end", -3.0, True)],
)
def test_a_refusal_costs_what_the_policy_says(policy: str, reward: float, ends: bool) -> None:
    env = apply_transforms(gym.make(ENV), RefusalPolicy(policy, 3.0))
    env.reset(seed=0)
    before = env.unwrapped.view()
    _, got, terminated, truncated, info = env.step(NEXT)
    assert (got, terminated, truncated) == (reward, ends, False)
    assert info["refusal"] == 7
    assert env.unwrapped.view() == before
    assert env.step(1)[1] == 215.0


def test_raise_refuses_before_anything_moves() -> None:
    vector = apply_transforms(gym.make_vec(ENV, num_envs=2), RefusalPolicy("raise"))
    vector.reset(seed=0)
    before = [vector.unwrapped.get_state(row) for row in range(2)]
    for action in (NEXT, 99, -1):
        with pytest.raises(IllegalActionError, match="row 1"):
            vector.step(np.array([0, action]))
    assert [vector.unwrapped.get_state(row) for row in range(2)] == before
    vector.step(np.array([0, 0]))


@pytest.mark.parametrize("policy", ["penalise", "end", "raise"])
def test_a_step_after_the_end_is_left_as_it_is(policy: str) -> None:
    env = apply_transforms(gym.make(ENV), RefusalPolicy(policy))
    env.reset(seed=0)
    env.step(BANK)
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["refusal"]) == (0.0, True, 6)


def test_an_ended_row_is_reset_with_the_next_step_and_told_to_every_layer() -> None:
    env = apply_transforms(gym.make_vec(ENV, num_envs=2), StepCost(1.0), RefusalPolicy("end", 0.0))
    env.reset(seed=0)
    _, rewards, terminated, _, _ = env.step(np.array([NEXT, 0]))
    assert terminated.tolist() == [True, False]
    assert rewards.tolist() == [-1.0, -1.0]
    seen, rewards, terminated, _, infos = env.step(np.array([0, 0]))
    assert rewards.tolist() == [0.0, -1.0], "the reset row pays no step cost"
    assert not terminated.any()
    single = gym.make(ENV)
    single.reset(seed=0)
    assert infos["game_seed"][0] == single.reset()[1]["game_seed"]
    assert seen["garland"].shape[0] == 2


def test_an_ended_row_demands_its_reset_when_autoreset_is_disabled() -> None:
    env = gym.make_vec(ENV, num_envs=2, autoreset_mode=AutoresetMode.DISABLED)
    env = apply_transforms(env, RefusalPolicy("end"))
    env.reset(seed=0)
    env.step(np.array([NEXT, 0]))
    with pytest.raises(AssertionError, match="reset_mask"):
        env.step(np.array([0, 0]))
    env.reset(options={"reset_mask": np.array([True, False])})
    env.step(np.array([0, 0]))


def test_sb3_sees_the_end_and_the_last_observation() -> None:
    vec_env = pytest.importorskip("quiltrail.train.vec_env")
    env = vec_env.EngineVecEnv("sunpleat", 2, transforms=[RefusalPolicy("end", 5.0)])
    env.seed(0)
    env.reset()
    _, rewards, dones, infos = env.step(np.array([NEXT, 0]))
    assert (rewards.tolist(), dones.tolist()) == ([-5.0, 0.0], [True, False])
    assert "terminal_observation" in infos[0]
    assert infos[0]["TimeLimit.truncated"] is False


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(OptionError, match="ignore"):
        RefusalPolicy("forgive")
    with pytest.raises(OptionError, match="penalty"):
        RefusalPolicy("end", -1.0)
    env = gym.make("quiltrail/Patchrook-v0")
    with pytest.raises(OptionError, match="before"):
        apply_transforms(env, CanonicalOrder(), RefusalPolicy())
