"""The checks of `quiltrail.testing` find the faults they are for, and pass what is right."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from quiltrail.testing import (
    CheckFailedError,
    assert_same,
    check_batch_size,
    check_determinism,
    check_fresh_arrays,
    check_masks,
    check_partial_reset,
    check_snapshots,
    check_vector_env,
)
from quiltrail.wrappers import FlatObservation, ForbidActions, StepCost, apply_transforms

ENV = "quiltrail/Tinrail-v0"
LIMIT = 9


class Faulty(gym.Wrapper[Any, Any, Any, Any]):
    """A wrapper with one fault."""

    def __init__(self, fault: str) -> None:
        super().__init__(gym.make("quiltrail/Sunpleat-v0", max_episode_steps=LIMIT))
        self.fault = fault
        self.kept: Any = None
        self.calls = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        if self.fault == "seed 0 is no seed" and not seed:
            seed = None
        if self.fault == "the same game again" and seed is None:
            seed = 5
        return self.spoiled(*self.env.reset(seed=seed, options=options))

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = self.env.step(action)
        observation, info = self.spoiled(observation, info)
        if self.fault == "chance from outside":
            reward += float(np.random.default_rng().random())
        return observation, reward, terminated, truncated, info

    def spoiled(self, observation: Any, info: Any) -> Any:
        self.calls += 1
        mask = info["action_mask"]
        if self.fault == "the mask is one step late":
            mask, self.kept = (mask if self.kept is None else self.kept), mask
        if self.fault == "the mask is bool":
            mask = mask.astype(bool)
        if self.fault == "the mask is empty":
            mask = np.zeros_like(mask)
        if self.fault == "too much is legal" and self.calls > 3:
            mask = np.ones_like(mask)
        if self.fault == "one buffer":
            self.kept = observation if self.kept is None else self.kept
            for name, values in observation.items():
                self.kept[name][...] = values
            observation = self.kept
        return observation, {**info, "action_mask": mask}

    def __deepcopy__(self, memo: Any) -> Any:
        twin = Faulty(self.fault)
        twin.reset(seed=0)
        if self.fault != "copies forget":
            twin.unwrapped.set_state(self.unwrapped.get_state())
            # the time limit is Gymnasium's
            twin.env._elapsed_steps = self.env._elapsed_steps  # type: ignore[attr-defined]
        return twin


FAULTS: list[tuple[str, Callable[[Any], None]]] = [
    ("the mask is one step late", check_masks),
    ("the mask is bool", check_masks),
    ("the mask is empty", check_masks),
    ("too much is legal", check_masks),
    ("chance from outside", check_determinism),
    ("seed 0 is no seed", check_determinism),
    ("the same game again", check_determinism),
    ("one buffer", check_determinism),
    ("copies forget", check_snapshots),
]


@pytest.mark.parametrize(("fault", "check"), FAULTS, ids=[fault for fault, _ in FAULTS])
def test_a_faulty_environment_is_found(fault: str, check: Any) -> None:
    check(Faulty(""))
    with pytest.raises(CheckFailedError):
        check(Faulty(fault))


class FaultyBatch(gym.vector.VectorWrapper):  # type: ignore[type-arg]
    """A vector wrapper with one fault."""

    def __init__(self, env: Any, fault: str) -> None:
        super().__init__(env)
        self.fault = fault
        self.kept: Any = None

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        if self.fault == "all rows are reset" and options:
            options.pop("reset_mask")
        if self.fault == "rows have one seed" and seed is not None:
            seed = [seed] * self.num_envs
        if self.fault == "seeds depend on the batch" and seed is not None:
            seed += self.num_envs
        return self.spoiled(self.env.reset(seed=seed, options=options))

    def step(self, actions: Any) -> Any:
        return self.spoiled(self.env.step(actions))

    def spoiled(self, said: Any) -> Any:
        observations, infos = said[0], said[-1]
        if self.fault == "infos are lists":
            infos = {**infos, "score": infos["score"].tolist()}
        if self.fault == "a flag is missing":
            infos = {name: value for name, value in infos.items() if name != "_score"}
        if self.fault == "rewards are float32" and len(said) == 5:
            said = (said[0], said[1].astype(np.float32), *said[2:])
        if self.fault == "one buffer":
            self.kept = observations if self.kept is None else self.kept
            for name, values in observations.items():
                self.kept[name][...] = values
            observations = self.kept
        return (observations, *said[1:-1], infos)


def batch(fault: str = "", limit: int = LIMIT) -> Any:
    return lambda num_envs, mode: FaultyBatch(
        gym.make_vec(ENV, num_envs=num_envs, autoreset_mode=mode, max_episode_steps=limit), fault
    )


def single() -> Any:
    return gym.make(ENV, max_episode_steps=LIMIT)


def test_a_right_batch_passes() -> None:
    check_vector_env(batch(), single, steps=60)


@pytest.mark.parametrize(
    "fault",
    [
        "rows have one seed",
        "seeds depend on the batch",
        "infos are lists",
        "a flag is missing",
        "rewards are float32",
        "one buffer",
        "all rows are reset",
    ],
)
def test_a_faulty_batch_is_found(fault: str) -> None:
    with pytest.raises((CheckFailedError, AssertionError)):
        check_vector_env(batch(fault), single, steps=60)


def test_a_row_that_is_cut_off_one_step_early_is_found() -> None:
    with pytest.raises(CheckFailedError, match="step 7"):
        check_vector_env(batch(limit=LIMIT - 1), single, steps=60)


@pytest.mark.parametrize(
    ("fault", "check"),
    [
        ("seeds depend on the batch", check_batch_size),
        ("all rows are reset", check_partial_reset),
        ("one buffer", check_fresh_arrays),
    ],
)
def test_each_part_finds_its_fault_alone(fault: str, check: Any) -> None:
    check(batch(), AutoresetMode.NEXT_STEP)
    with pytest.raises(CheckFailedError):
        check(batch(fault), AutoresetMode.NEXT_STEP)


def test_transformed_environments_pass_too() -> None:
    def transforms() -> Any:
        return StepCost(0.5), FlatObservation()

    check_vector_env(
        lambda num_envs, mode: apply_transforms(
            gym.make_vec(ENV, num_envs=num_envs, autoreset_mode=mode, max_episode_steps=LIMIT),
            *transforms(),
        ),
        lambda: apply_transforms(single(), *transforms()),
        modes=[AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED],
        steps=60,
    )
    env = apply_transforms(gym.make("quiltrail/Sunpleat-v0"), ForbidActions("bank"))
    check_masks(env)
    check_determinism(env)
    check_snapshots(env)


def test_environments_without_masks_are_checked_as_far_as_that_goes() -> None:
    check_determinism(gym.make("CartPole-v1"), steps=50)
    check_snapshots(gym.make("CartPole-v1"), steps=50)


def test_a_copy_by_its_state_knows_nothing_of_a_wrappers_time_limit() -> None:
    check_snapshots(gym.make("quiltrail/Sunpleat-v0", max_episode_steps=40))


def test_a_difference_is_named_by_its_place() -> None:
    said: dict[str, Any] = {"board": [np.zeros((2, 3), np.int8)]}
    other: dict[str, Any] = {"board": [np.zeros((2, 3), np.int8)]}
    assert_same(said, other, "step 3: ")
    other["board"][0][1, 2] = 7
    with pytest.raises(CheckFailedError, match=r"step 3: /board\[0\]\[1, 2\]: 0 and 7"):
        assert_same(said, other, "step 3: ")
    for left, right in (
        (1, 1.0),
        ({"a": 1}, {"b": 1}),
        ([1], [1, 2]),
        (np.zeros(2, np.int8), np.zeros(2, np.int16)),
    ):
        with pytest.raises(CheckFailedError):
            assert_same(left, right)
    assert_same(np.array([np.nan]), np.array([np.nan]))


def test_the_kit_needs_no_pytest() -> None:
    code = "import sys, quiltrail.testing; print('pytest' in sys.modules, 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
