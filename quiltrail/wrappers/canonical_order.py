"""CanonicalOrder: Patchrook placed square by square, 57 actions instead of 1209."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError
from quiltrail.envs.patchrook.engine import PatchrookEngine
from quiltrail.envs.patchrook.position import lowest_empty_squares
from quiltrail.envs.patchrook.rules import (
    BANK,
    LIFT,
    MAX_ORIENTATIONS,
    MAX_PATCHES,
    NUM_SQUARES,
)
from quiltrail.envs.vector import Observations
from quiltrail.wrappers.transform import Transform

NUM_PLACES = MAX_PATCHES * MAX_ORIENTATIONS
_NUM_OTHERS = BANK + 1 - LIFT
NUM_ACTIONS = NUM_PLACES + _NUM_OTHERS


def _game_actions() -> NDArray[np.int64]:
    """Return the game's action for each lowest empty square and each action of the view."""
    squares = np.arange(NUM_SQUARES)[:, None]
    places = NUM_SQUARES * np.arange(NUM_PLACES) + squares
    others = np.broadcast_to(np.arange(LIFT, BANK + 1), (NUM_SQUARES, _NUM_OTHERS))
    return np.concatenate([places, others], axis=1)


_GAME_ACTIONS = _game_actions()


class CanonicalOrder(Transform):
    """Leave only placements whose button lies on the lowest empty square, row by row.

    Whatever covers the lowest empty square of a growing cover has its button there, so every cover
    can still be laid, in exactly one order, and the optimum stays. The actions are renumbered:
    8 * patch + orientation (0 to 47), lift of A to F (48 to 53), restart 54, next 55, bank 56. The
    observation gains ``square`` (25,), one-hot: the square that a placement fills; zeros when there
    is none.

    `ForbidActions` goes below it (before it in a list). Where such a transform leaves nothing that
    this view can play, the mask shows what the game allows.

    Raises:
        OptionError: on binding, if the game is not Patchrook.
    """

    def bind(self, engine: Engine) -> None:
        """Refuse other games."""
        if not isinstance(engine, PatchrookEngine):
            raise OptionError(f"CanonicalOrder is for patchrook, got {engine.game}")

    def action_space(self, engine: Engine, space: spaces.Discrete) -> spaces.Discrete:
        """Return the 57 actions."""
        return spaces.Discrete(NUM_ACTIONS)

    def observation_space(self, engine: Engine, space: spaces.Dict) -> spaces.Dict:
        """Add ``square``."""
        return spaces.Dict({**space.spaces, "square": spaces.Box(0, 1, (NUM_SQUARES,), np.int8)})

    def to_game(self, engine: Engine, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Turn the view's actions into the game's."""
        inside = (actions >= 0) & (actions < NUM_ACTIONS)
        chosen = np.take_along_axis(
            _columns(engine), np.where(inside, actions, 0)[:, None], axis=1
        )[:, 0]
        outside = np.where(actions < 0, -1, engine.num_actions)
        return np.where(inside, chosen, outside)

    def masks(self, engine: Engine, masks: NDArray[np.int8]) -> NDArray[np.int8]:
        """Gather the masks of the view's actions, (B, 57)."""
        columns = _columns(engine)
        seen = np.take_along_axis(masks, columns, axis=1)
        nothing = ~seen.any(axis=1)  # left by a transform below; no row may be empty
        if nothing.any():
            seen[nothing] = np.take_along_axis(engine.mask[nothing], columns[nothing], axis=1)
        return seen

    def observations(self, engine: Engine, observations: Observations) -> Observations:
        """Add ``square``."""
        squares = lowest_empty_squares(engine.state)
        seen = np.arange(NUM_SQUARES) == squares[:, None]
        return {**observations, "square": seen.astype(np.int8)}


def _columns(engine: Engine) -> NDArray[np.int64]:
    """Return which of the game's actions each of the view's is, (B, 57)."""
    squares = lowest_empty_squares(engine.state)
    return _GAME_ACTIONS[np.maximum(squares, 0)]  # with no empty square no placement is legal
