"""Transforms around environments: single, or native vector."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from quiltrail.core.actions import as_index, as_indices, clamp_index
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError
from quiltrail.envs.single import GameEnv
from quiltrail.envs.vector import GameVectorEnv, StepResult, zero_elsewhere
from quiltrail.wrappers.base import VectorWrapper, base_of
from quiltrail.wrappers.transform import Transform, learner_space, row_of


class TransformEnv(gym.Wrapper[Any, np.int64, Any, np.int64]):
    """A transform around a single environment of this package.

    Args:
        env: a `GameEnv`, wrapped by Gymnasium or not, or another `TransformEnv`.
        transform: what to change.
    """

    def __init__(self, env: gym.Env[Any, np.int64], transform: Transform) -> None:
        super().__init__(env)
        self._engine: Engine = base_of(env, GameEnv, "a transform").engine
        self.transform = transform
        transform.bind(self._engine)
        self.action_space = transform.action_space(self._engine, _discrete(env.action_space))
        self.observation_space = learner_space(transform, self._engine, env.observation_space)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode; see `GameEnv.reset`."""
        observation, info = self.env.reset(seed=seed, options=options)
        self.transform.begin(self._engine, np.array([0]))
        return self._seen(observation), self._told(info)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play one of the learner's actions; see `GameEnv.step`."""
        actions = np.array([clamp_index(as_index(action))])
        in_game = int(self.transform.to_game(self._engine, actions)[0])
        observation, reward, terminated, truncated, info = self.env.step(np.int64(in_game))
        rewards = self.transform.rewards(self._engine, np.array([reward], np.float64))
        ends = self.transform.ends(self._engine)
        return (
            self._seen(observation),
            float(rewards[0]),
            terminated or (ends is not None and bool(ends[0])),
            truncated,
            self._told(info),
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the learner's legal actions as bool (A,)."""
        inner: NDArray[np.bool_] = self.env.get_wrapper_attr("action_masks")()
        masks = self.transform.masks(self._engine, inner[None].astype(np.int8))
        legal: NDArray[np.bool_] = masks[0] != 0
        return legal

    def _seen(self, observation: Any) -> Any:
        seen = self.transform.observations(self._engine, _batch_of_one(observation))
        if self.transform.shows_masks:
            seen = self.transform.show_masks(seen, self.action_masks()[None].astype(np.int8))
        return row_of(seen, 0)

    def _told(self, info: dict[str, Any]) -> dict[str, Any]:
        masks = self.transform.masks(self._engine, info["action_mask"][None])
        more = self.transform.infos(self._engine)
        told = {name: value[0].tolist() for name, value in more.items()}
        return {**info, **told, "action_mask": masks[0]}


class TransformVectorEnv(VectorWrapper):
    """A transform around a native vector environment of this package.

    Autoreset has to be "NextStep" or "Disabled": with "SameStep" an ended game is gone before a
    wrapper can look at it.

    Args:
        env: a `GameVectorEnv` or another `TransformVectorEnv`.
        transform: what to change.
    """

    def __init__(self, env: gym.vector.VectorEnv[Any, Any, Any], transform: Transform) -> None:
        super().__init__(env)
        self._engine: Engine = base_of(env, GameVectorEnv, "a transform").engine
        if env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP:
            raise OptionError(
                'transforms need autoreset_mode "NextStep" or "Disabled" in a vector environment; '
                "with SameStep an ended game is gone before a wrapper sees it"
            )
        self.transform = transform
        transform.bind(self._engine)
        self.single_action_space = transform.action_space(
            self._engine, _discrete(env.single_action_space)
        )
        self.single_observation_space = learner_space(
            transform, self._engine, env.single_observation_space
        )
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start episodes; see `GameVectorEnv.reset`."""
        observations, infos = self.env.reset(seed=seed, options=options)
        self.transform.begin(self._engine, np.flatnonzero(infos["_action_mask"]))
        return self._seen(observations), self._told(infos)

    def step(self, actions: NDArray[np.int64]) -> StepResult:
        """Play one of the learner's actions in every row; see `GameVectorEnv.step`."""
        base: Any = self.unwrapped
        batch = as_indices(actions, self.num_envs)
        in_game = self.transform.to_game(self._engine, batch)
        resets: NDArray[np.bool_] = base.ended_episodes()  # NextStep ignores their actions
        observations, rewards, terminated, truncated, infos = self.env.step(in_game)
        if resets.any():
            self.transform.begin(self._engine, np.flatnonzero(resets))
        rewards = np.where(resets, 0.0, self.transform.rewards(self._engine, rewards))
        ends = self.transform.ends(self._engine)
        if ends is not None:
            terminated = terminated | (ends & ~resets)
            base.end_episodes(ends & ~resets)
        return self._seen(observations), rewards, terminated, truncated, self._told(infos)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the learner's legal actions as bool (B, A)."""
        below: Any = self.env  # vector wrappers of Gymnasium pass no attributes on
        while not hasattr(below, "action_masks"):
            below = below.env
        inner: NDArray[np.bool_] = below.action_masks()
        return np.not_equal(self.transform.masks(self._engine, inner.astype(np.int8)), 0)

    def _seen(self, observations: Any) -> Any:
        seen = self.transform.observations(self._engine, observations)
        if self.transform.shows_masks:
            seen = self.transform.show_masks(seen, self.action_masks().astype(np.int8))
        return seen

    def _told(self, infos: dict[str, Any]) -> dict[str, Any]:
        masks = self.transform.masks(self._engine, infos["action_mask"])
        spoken_of = infos["_action_mask"]
        told: dict[str, Any] = {"action_mask": zero_elsewhere(masks, spoken_of)}
        for name, value in self.transform.infos(self._engine).items():
            told[name] = zero_elsewhere(value, spoken_of)
            told[f"_{name}"] = spoken_of.copy()
        return {**infos, **told}


def apply_transforms(
    env: gym.Env[Any, Any] | gym.vector.VectorEnv[Any, Any, Any], *transforms: Transform
) -> Any:
    """Return an environment, single or vector, with transforms around it, the last outermost.

    Raises:
        OptionError: if it is not an environment of this package, or a transform does not fit.
    """
    for transform in transforms:
        if isinstance(env, gym.vector.VectorEnv):
            env = TransformVectorEnv(env, transform)
        else:
            env = TransformEnv(env, transform)
    return env


def _discrete(space: spaces.Space[Any]) -> spaces.Discrete:
    if not isinstance(space, spaces.Discrete):
        raise OptionError(f"transforms need a Discrete action space below, got {space}")
    return space


def _batch_of_one(observation: Any) -> Any:
    if isinstance(observation, dict):
        return {name: _batch_of_one(part) for name, part in observation.items()}
    return observation[None] if isinstance(observation, np.ndarray) else (observation,)
