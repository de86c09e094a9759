"""Transforms: a change of what the learner sees or does, written once for batches.

A `Transform` works on batch arrays beside the engine they come from. Three thin faces put it
where it is needed: `TransformEnv` around a single environment, `TransformVectorEnv` around a
native vector environment, and the argument ``transforms`` of the SB3 VecEnv. Row i of the vector
face equals the single face.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from quiltrail.core.actions import as_index, as_indices, clamp_index
from quiltrail.core.engine import Engine, Rows
from quiltrail.core.errors import OptionError
from quiltrail.envs.single import GameEnv
from quiltrail.envs.spaces import action_space, observation_space
from quiltrail.envs.vector import GameVectorEnv, StepResult, zero_elsewhere

Observations = dict[str, NDArray[Any]]

if TYPE_CHECKING:
    VectorWrapper = gym.vector.VectorWrapper[Any, Any, Any, Any, Any]
else:
    VectorWrapper = gym.vector.VectorWrapper  # Gymnasium 1.2 has no subscripts for it


class Transform:
    """Identity in everything; a subclass overrides what it changes.

    Every hook gets the engine, whose arrays show the position the hook speaks of, and must not
    change it. Hooks return fresh arrays or what they were given.

    Attributes:
        reads_fields: whether `observations` takes named fields, so that whatever turns them into
            something else has to come after it.
        shows_masks: whether `show_masks` puts the masks into the observation.
    """

    reads_fields: ClassVar[bool] = True
    shows_masks: ClassVar[bool] = False

    def bind(self, engine: Engine) -> None:
        """Prepare for this engine.

        Raises:
            OptionError: if the transform does not fit its game.
        """

    def action_space(self, engine: Engine, space: spaces.Discrete) -> spaces.Discrete:
        """Return the learner's action space."""
        return space

    def observation_space(self, engine: Engine, space: spaces.Dict) -> spaces.Space[Any]:
        """Return the learner's observation space, of one game."""
        return space

    def to_game(self, engine: Engine, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Turn the learner's actions (B,) into the game's; called before the step.

        Indices out of range come in as they are and must stay out of range.
        """
        return actions

    def masks(self, engine: Engine, masks: NDArray[np.int8]) -> NDArray[np.int8]:
        """Turn the game's masks (B, A) into the learner's; never a row of zeros."""
        return masks

    def observations(self, engine: Engine, observations: Observations) -> Any:
        """Turn the game's observations, each (B, ..), into the learner's.

        They may also become one array (B, ..) or a tuple of B values.
        """
        return observations

    def show_masks(self, observations: Any, masks: NDArray[np.int8]) -> Any:
        """Put the learner's masks (B, A) into what `observations` returned."""
        return observations

    def rewards(self, engine: Engine, rewards: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn the rewards (B,) of the step just made into the learner's."""
        return rewards

    def ends(self, engine: Engine) -> NDArray[np.bool_] | None:
        """Return the rows (B,) whose episode ends with the step just made, the game or not.

        None for no row. Such an episode counts as terminated.
        """
        return None

    def infos(self, engine: Engine) -> Observations:
        """Return what else is told in ``info``, each (B, ..), for the position at hand.

        The SB3 VecEnv leaves it out, as it does masks.
        """
        return {}

    def begin(self, engine: Engine, rows: Rows) -> None:
        """Take note that these rows hold fresh games (or restored ones)."""


class TransformEnv(gym.Wrapper[Any, np.int64, Any, np.int64]):
    """A transform around a single environment of this package.

    Args:
        env: a `GameEnv`, wrapped by Gymnasium or not, or another `TransformEnv`.
        transform: what to change.
    """

    def __init__(self, env: gym.Env[Any, np.int64], transform: Transform) -> None:
        super().__init__(env)
        self._engine = _engine_of(env, GameEnv)
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
        self._engine = _engine_of(env, GameVectorEnv)
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


def _engine_of(env: Any, kind: type[GameEnv] | type[GameVectorEnv]) -> Engine:
    base = getattr(env, "unwrapped", env)
    if not isinstance(base, kind):
        raise OptionError(f"transforms go around a {kind.__name__}, got {type(base).__name__}")
    engine: Engine = base.engine
    return engine


def _discrete(space: spaces.Space[Any]) -> spaces.Discrete:
    if not isinstance(space, spaces.Discrete):
        raise OptionError(f"transforms need a Discrete action space below, got {space}")
    return space


def learner_space(
    transform: Transform, engine: Engine, space: spaces.Space[Any]
) -> spaces.Space[Any]:
    """Return the observation space above a transform.

    Raises:
        OptionError: if the transform reads named fields and there are none below it any more.
    """
    reads = type(transform).observations is not Transform.observations and transform.reads_fields
    if reads and not isinstance(space, spaces.Dict):
        raise OptionError(
            f"{type(transform).__name__} reads named fields; put it before what turns them into "
            f"{type(space).__name__}"
        )
    seen: spaces.Space[Any] = transform.observation_space(engine, space)  # type: ignore[arg-type]
    return seen


def bound_spaces(
    transforms: Sequence[Transform], engine: Engine
) -> tuple[spaces.Discrete, spaces.Space[Any]]:
    """Bind transforms to an engine; return the action and observation space of one game above them.

    Raises:
        OptionError: if one does not fit the game or what is below it.
    """
    actions = action_space(engine)
    observations: spaces.Space[Any] = observation_space(engine)
    for transform in transforms:
        transform.bind(engine)
        actions = transform.action_space(engine, actions)
        observations = learner_space(transform, engine, observations)
    return actions, observations


def seen_through(
    transforms: Sequence[Transform], engine: Engine, observations: Observations
) -> tuple[Any, NDArray[np.int8]]:
    """Return the learner's observations and masks (B, A) of an engine's position."""
    seen: Any = observations
    masks = engine.mask
    for transform in transforms:
        seen = transform.observations(engine, seen)
        masks = transform.masks(engine, masks)
        seen = transform.show_masks(seen, masks)
    return seen, masks


def played_through(
    transforms: Sequence[Transform], engine: Engine, actions: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the game's actions (B,) for the learner's."""
    for transform in reversed(transforms):
        actions = transform.to_game(engine, actions)
    return actions


def row_of(observations: Any, row: int) -> Any:
    """Return one row of batched observations: of an array, a tuple, or a dict of such."""
    if isinstance(observations, dict):
        return {name: row_of(part, row) for name, part in observations.items()}
    return observations[row]


def _batch_of_one(observation: Any) -> Any:
    if isinstance(observation, dict):
        return {name: _batch_of_one(part) for name, part in observation.items()}
    return observation[None] if isinstance(observation, np.ndarray) else (observation,)
