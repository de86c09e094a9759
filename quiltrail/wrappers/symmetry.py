"""Symmetry for learners: play in a view, learn from every view, decide by all views at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Rows
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, shown
from quiltrail.core.mulberry32 import draws_at
from quiltrail.core.symmetry import Symmetry
from quiltrail.envs.vector import Observations
from quiltrail.wrappers.transform import Transform

#: Scores every action: (observations (B, ..), masks (B, A)) -> (B, A) floats.
ScoreActions = Callable[[Observations, NDArray[np.int8]], NDArray[np.floating[Any]]]

RANDOM, ALL = "random", "all"
_STREAM_VIEW = 0xD1B54A35  # ours: a view must tell nothing of what the same seed deals


class SymmetryViews(Transform):
    """Show each game in a view of its symmetry; actions and masks are those of the view.

    Put it next to the game: transforms between the two would see what it has turned.

    Args:
        view: "random": a view drawn from the game seed, so the same game always looks the same;
            "all": the games of a row go through all views in turn, beginning with the game as it
            is; an int: always this view.

    Raises:
        OptionError: if the view is none of these; on binding, if the game has no symmetry or fewer
            views.
    """

    def __init__(self, view: str | int = RANDOM) -> None:
        if view not in (RANDOM, ALL) and type(view) is not int:
            raise OptionError(
                f'view is "{RANDOM}", "{ALL}" or the number of a view, got {shown(view)}'
            )
        self.view = view
        self._symmetry: Symmetry
        self._views = np.zeros(0, np.int64)
        self._games = np.zeros(0, np.int64)

    def bind(self, engine: Engine) -> None:
        """Take the game's symmetry."""
        self._symmetry = symmetry_of(engine)
        if isinstance(self.view, int) and not 0 <= self.view < self._symmetry.order:
            last = self._symmetry.order - 1
            raise OptionError(f"{engine.game} has views 0 to {last}, got {self.view}")
        self._views = np.zeros(engine.num_games, np.int64)
        self._games = np.zeros(engine.num_games, np.int64)

    def begin(self, engine: Engine, rows: Rows) -> None:
        """Choose the views of fresh games."""
        if isinstance(self.view, int):
            self._views[rows] = self.view
        elif self.view == ALL:
            self._views[rows] = self._games[rows] % self._symmetry.order
            self._games[rows] += 1
        else:
            streams = engine.game_seed[rows].astype(np.uint64) ^ np.uint64(_STREAM_VIEW)
            outputs = draws_at(streams, np.ones(len(rows), np.int64))
            order = np.uint64(self._symmetry.order)
            self._views[rows] = (outputs * order) >> np.uint64(32)  # below(order)

    def to_game(self, engine: Engine, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Turn the view's actions back."""
        return self._symmetry.unturn_actions(engine.observation, actions, self._views)

    def masks(self, engine: Engine, masks: NDArray[np.int8]) -> NDArray[np.int8]:
        """Turn the masks."""
        return self._symmetry.turn_action_values(engine.observation, masks, self._views)

    def observations(self, engine: Engine, observations: Observations) -> Observations:
        """Turn the observations."""
        return self._symmetry.turn_observations(observations, self._views)


def symmetry_of(engine: Engine) -> Symmetry:
    """Return the symmetry of an engine's game.

    Raises:
        OptionError: if it has none.
    """
    symmetry = engine.symmetry()
    if symmetry is None:
        raise OptionError(f"{engine.game} has no symmetry")
    return symmetry


def augment(
    symmetry: Symmetry,
    observations: Mapping[str, NDArray[Any]],
    masks: NDArray[np.int8],
    actions: NDArray[np.int64],
) -> tuple[Observations, NDArray[np.int8], NDArray[np.int64]]:
    """Return a batch of B in all its views, order * B rows: first the batch itself, then view 1, ..

    What does not depend on the view, such as rewards and returns, is repeated with ``np.tile``.

    Args:
        symmetry: the game's, see `symmetry_of`.
        observations: (B, ..) of the game as it is.
        masks: (B, A) masks, or any other number for each action, such as probabilities.
        actions: (B,) the actions taken.
    """
    repeated, views = _every_view(symmetry, observations, len(actions))
    return (
        symmetry.turn_observations(repeated, views),
        symmetry.turn_action_values(repeated, np.tile(masks, (symmetry.order, 1)), views),
        symmetry.turn_actions(repeated, np.tile(actions, symmetry.order), views),
    )


def average_over_views(
    symmetry: Symmetry,
    score_actions: ScoreActions,
    observations: Mapping[str, NDArray[Any]],
    masks: NDArray[np.int8],
) -> NDArray[np.floating[Any]]:
    """Return the mean over all views of what a network says of every action, (B, A).

    The scores are turned back into the game's own numbering, so a player that takes the best one
    plays the same whichever way the board is turned.
    """
    repeated, views = _every_view(symmetry, observations, len(masks))
    seen = symmetry.turn_observations(repeated, views)
    turned = symmetry.turn_action_values(repeated, np.tile(masks, (symmetry.order, 1)), views)
    scores = symmetry.unturn_action_values(repeated, score_actions(seen, turned), views)
    mean: NDArray[np.floating[Any]] = scores.reshape(symmetry.order, *masks.shape).mean(axis=0)
    return mean


def _every_view(
    symmetry: Symmetry, observations: Mapping[str, NDArray[Any]], count: int
) -> tuple[Observations, NDArray[np.int64]]:
    """Return a batch once for each view, and the views."""
    repeated = {
        name: np.tile(value, (symmetry.order, *[1] * (value.ndim - 1)))
        for name, value in observations.items()
    }
    return repeated, np.repeat(np.arange(symmetry.order), count)
