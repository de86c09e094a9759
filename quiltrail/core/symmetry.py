"""Symmetry: the views in which a game looks different and plays the same.

A game writes a subclass of `Symmetry` that says how its observation and its action numbers look in
each view; turning and turning back whole batches follows from that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

_Number = TypeVar("_Number", bound=np.generic)
Observations = Mapping[str, NDArray[Any]]
Views = NDArray[np.int64]


class Symmetry(ABC):
    """A group of views; view 0 is the game as it is.

    Observations are batches (B, ..) of the game as it is, views are (B,) of 0 .. order - 1.

    Attributes:
        order: how many views there are.
        num_actions: A, the size of the game's action space.
        inverse: (order,) the view that undoes each view.
    """

    order: int
    num_actions: int
    inverse: NDArray[np.int64]

    @abstractmethod
    def turn_observations(
        self, observations: Observations, views: Views
    ) -> dict[str, NDArray[Any]]:
        """Return observations as they look in the views."""

    @abstractmethod
    def action_map(self, observations: Observations, views: Views) -> NDArray[np.int64]:
        """Return which action of the view each action of the game is, (B, A) permutations."""

    def turn_action_values(
        self, observations: Observations, values: NDArray[_Number], views: Views
    ) -> NDArray[_Number]:
        """Return a number for each action (B, A), a mask for example, as ordered in the views."""
        turned = np.empty_like(values)
        np.put_along_axis(turned, self.action_map(observations, views), values, axis=1)
        return turned

    def unturn_action_values(
        self, observations: Observations, values: NDArray[_Number], views: Views
    ) -> NDArray[_Number]:
        """Return numbers (B, A) ordered as in the views in the game's own order."""
        return np.take_along_axis(values, self.action_map(observations, views), axis=1)

    def turn_actions(
        self, observations: Observations, actions: NDArray[np.int64], views: Views
    ) -> NDArray[np.int64]:
        """Return the game's actions (B,) as the views number them; others stay as they are."""
        inside = (actions >= 0) & (actions < self.num_actions)
        known = np.where(inside, actions, 0)[:, None]
        turned = np.take_along_axis(self.action_map(observations, views), known, axis=1)[:, 0]
        return np.where(inside, turned, actions)

    def unturn_actions(
        self, observations: Observations, actions: NDArray[np.int64], views: Views
    ) -> NDArray[np.int64]:
        """Return the views' actions (B,) as the game numbers them; others stay as they are."""
        hits = self.action_map(observations, views) == actions[:, None]
        return np.where(hits.any(axis=1), hits.argmax(axis=1), actions)
