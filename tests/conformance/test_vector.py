"""Every id as a native vector environment: row i is the single environment, in every mode."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from quiltrail.core.errors import (
    ActionTypeError,
    IllegalActionError,
    OptionError,
    ResetNeededError,
)
from quiltrail.testing import (
    check_batch_size,
    check_fresh_arrays,
    check_lane_parity,
    check_partial_reset,
)
from tests.each import each_id

each_mode = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)


def choose(native: Any, rng: np.random.Generator, illegal_share: float = 0.05) -> np.ndarray:
    masks = native.unwrapped.action_masks()
    actions = (rng.random(masks.shape) * masks).argmax(axis=1)
    wild = rng.random(len(actions)) < illegal_share
    return np.where(wild, rng.integers(masks.shape[1], size=len(actions)), actions)


def native_of(env_id: str, limit: int | None = 23) -> Any:
    return lambda num_envs, mode: gym.make_vec(
        env_id, num_envs=num_envs, autoreset_mode=mode, max_episode_steps=limit
    )


@each_id
@each_mode
def test_rows_equal_single_environments(env_id: str, mode: AutoresetMode) -> None:
    """Observations, rewards, flags and the whole layout of the infos, autoreset included."""
    check_lane_parity(native_of(env_id), lambda: gym.make(env_id, max_episode_steps=23), mode)


@each_id
def test_a_row_does_not_depend_on_how_many_there_are(env_id: str) -> None:
    check_batch_size(native_of(env_id, None), AutoresetMode.NEXT_STEP)


@each_id
def test_each_single_row_can_be_reset_and_the_others_go_on(env_id: str) -> None:
    check_partial_reset(native_of(env_id, 9), AutoresetMode.DISABLED)
    check_partial_reset(native_of(env_id, 9), AutoresetMode.NEXT_STEP)


@each_id
def test_seeds_come_as_a_list_too_and_none_goes_on(env_id: str) -> None:
    env = gym.make_vec(env_id, num_envs=3)
    _, infos = env.reset(seed=[5, 0, 2**32 - 1])
    assert infos["game_seed"].tolist() == [5, 0, 2**32 - 1]
    _, infos = env.reset(seed=[None, 9, None])
    single = gym.make(env_id)
    single.reset(seed=5)
    assert infos["game_seed"].tolist()[:2] == [single.reset()[1]["game_seed"], 9]
    _, infos = env.reset(seed=2**32 - 2)
    assert infos["game_seed"].tolist() == [2**32 - 2, 2**32 - 1, 0]
    with pytest.raises(OptionError, match="3 rows"):
        env.reset(seed=[1, 2])


@each_id
def test_a_partial_reset_leaves_the_other_rows_alone(env_id: str) -> None:
    env = gym.make_vec(env_id, num_envs=4, autoreset_mode=AutoresetMode.DISABLED)
    for row in range(4):
        env.reset(seed=7)
        observations, *_ = env.step(choose(env, np.random.default_rng(row), 0.0))
        before = [env.get_state(other) for other in range(4)]
        mask = np.arange(4) == row
        fresh, infos = env.reset(seed=50, options={"reset_mask": mask})
        assert infos["_action_mask"].tolist() == mask.tolist()
        assert infos["game_seed"][row] == 50 + row
        assert not infos["action_mask"][~mask].any()
        for other in set(range(4)) - {row}:
            assert env.get_state(other) == before[other]
            for name, values in fresh.items():
                np.testing.assert_array_equal(values[other], observations[name][other])


@each_id
@pytest.mark.parametrize(
    "mask", [[True, False], np.array([1, 0]), np.array([True]), np.array([False, False]), "all"]
)
def test_a_bad_reset_mask_is_refused(env_id: str, mask: Any) -> None:
    env = gym.make_vec(env_id, num_envs=2)
    env.reset(seed=1)
    with pytest.raises(OptionError, match="reset_mask"):
        env.reset(options={"reset_mask": mask})


@each_id
def test_disabled_autoreset_demands_the_reset(env_id: str) -> None:
    env = gym.make_vec(
        env_id, num_envs=2, autoreset_mode=AutoresetMode.DISABLED, max_episode_steps=2
    )
    env.reset(seed=1)
    env.step(choose(env, np.random.default_rng(0), 0.0))
    env.step(choose(env, np.random.default_rng(1), 0.0))
    with pytest.raises(ResetNeededError, match="reset_mask"):
        env.step(np.zeros(2, np.int64))


@each_id
def test_states_and_game_seeds_go_into_chosen_rows(env_id: str) -> None:
    env = gym.make_vec(env_id, num_envs=3)
    env.reset(seed=1)
    env.step(choose(env, np.random.default_rng(0), 0.0))
    state = env.get_state(1)
    _, infos = env.reset(options={"game_seed": [7, 8, 9]})
    assert infos["game_seed"].tolist() == [7, 8, 9]
    env.reset(options={"state": [None, None, state], "reset_mask": np.arange(3) == 2})
    apart = {"stream": 0, "elapsed": 0}  # a state option brings the game, not its row's history
    assert {**env.get_state(2), **apart} == {**state, **apart}
    assert env.view(2) == view_of(env_id, state)
    with pytest.raises(OptionError, match="rows"):
        env.reset(options={"game_seed": [1, 2]})


def view_of(env_id: str, state: dict[str, Any]) -> dict[str, Any]:
    single = gym.make(env_id).unwrapped
    single.set_state(state)
    return single.view()


@each_id
def test_one_class_serves_all_modes_without_sharing_metadata(env_id: str) -> None:
    envs = [gym.make_vec(env_id, num_envs=1, autoreset_mode=mode) for mode in AutoresetMode]
    assert [env.metadata["autoreset_mode"] for env in envs] == list(AutoresetMode)
    assert "autoreset_mode" not in type(envs[0]).metadata
    with pytest.raises(OptionError, match="NextStep"):
        gym.make_vec(env_id, num_envs=1, autoreset_mode="Never")


@each_id
@each_mode
def test_returned_arrays_are_fresh(env_id: str, mode: AutoresetMode) -> None:
    check_fresh_arrays(native_of(env_id, 2), mode)


@each_id
def test_copy_false_hands_out_live_arrays(env_id: str) -> None:
    live = gym.make_vec(env_id, num_envs=4, copy=False)
    observations, _ = live.reset(seed=3)
    for name, values in observations.items():
        assert np.shares_memory(values, live.engine.observation[name])


@each_id
def test_refusals_raise_before_any_row_moves(env_id: str) -> None:
    env = gym.make_vec(env_id, num_envs=3, on_refusal="raise")
    env.reset(seed=2)
    before = [env.get_state(row) for row in range(3)]
    actions = choose(env, np.random.default_rng(0), 0.0)
    actions[2] = env.single_action_space.n
    with pytest.raises(IllegalActionError, match="row 2"):
        env.step(actions)
    with pytest.raises(ActionTypeError, match="3 integers"):
        env.step(actions[:2])
    assert [env.get_state(row) for row in range(3)] == before
