"""Transforms: a change of what the learner sees or does, written once for batches.

A `Transform` works on batch arrays beside the engine they come from. Three thin faces put it
where it is needed: `TransformEnv` around a single environment, `TransformVectorEnv` around a
native vector environment (`quiltrail.wrappers.transform_envs`), and the argument ``transforms`` of
the SB3 VecEnv. Row i of the vector face equals the single face.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from quiltrail.core.array_types import Rows
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError
from quiltrail.envs.spaces import action_space, observation_space
from quiltrail.envs.vector import Observations


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
