"""Sunpleat players that go by a guess of the flips to the target, learned or counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.sunpleat import Flipper
from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import Rows
from quiltrail.core.engine import Engine
from quiltrail.core.extras import callable_of

Garlands = NDArray[np.int8]
#: Takes garlands (N, n) and returns how many flips each is from the target, (N,).
FlipsFunction = Callable[[Garlands], NDArray[np.float64]]

_AT_TARGET = -1.0  # nearer than any estimate


def flipped(garlands: Garlands) -> Garlands:
    """Return what each flip makes of garlands (N, n), (N, n, n): flip k at [:, k - 1]."""
    n = garlands.shape[1]
    found = np.repeat(garlands[:, None], n, axis=1)
    for count in range(1, n + 1):
        found[:, count - 1, :count] = -garlands[:, :count][:, ::-1]
    return found


def at_target(garlands: Garlands) -> NDArray[np.bool_]:
    """Return which garlands (.., n) are 1 to n in order, all suns."""
    target = np.arange(1, garlands.shape[-1] + 1)
    found: NDArray[np.bool_] = (garlands == target).all(axis=-1)
    return found


def count_gaps(garlands: Garlands) -> NDArray[np.float64]:
    """Return how many neighbours are not v and v + 1 in garlands (N, n), n + 1 hanging behind.

    A flip parts and joins one pair, so no way to the target is shorter.
    """
    behind = np.full((len(garlands), 1), garlands.shape[1] + 1, garlands.dtype)
    steps = np.diff(np.concatenate([garlands, behind], axis=1), axis=1)
    gaps: NDArray[np.float64] = (steps != 1).sum(axis=1).astype(np.float64)
    return gaps


class SunpleatGreedy(Flipper):
    """Makes the flip whose garland is nearest to the target by a guess, of equal ones the shortest.

    Args:
        value: flips to the target, a `FlipsFunction` or "module:attribute" of one; by default
            `count_gaps`.

    Raises:
        OptionError: if the value is no function.
    """

    games: ClassVar[tuple[str, ...]] = ("sunpleat-levels",)

    def __init__(self, value: FlipsFunction | str = count_gaps) -> None:
        self.value: FlipsFunction = callable_of("flips function", value)

    def flips(self, engine: Engine, rows: Rows) -> NDArray[np.int64]:
        """Return the flips to the nearest garlands."""
        best: NDArray[np.int64] = self.distances(flipped(engine.state["garland"][rows])).argmin(1)
        return best

    def distances(self, garlands: Garlands) -> NDArray[np.float64]:
        """Return the value of garlands (.., n), (..); the target comes before all others."""
        values = self.value(garlands.reshape(-1, garlands.shape[-1]))
        return np.where(at_target(garlands), _AT_TARGET, values.reshape(garlands.shape[:-1]))


class SunpleatBeam(SunpleatGreedy):
    """Plans flips in its head, the ``width`` nearest garlands at a time, and makes the first.

    It plans until the target is among them or the moves of the leaf would be spent, and follows
    the plan while the garland is on it. Without a way to the target it makes the greedy flip.

    Args:
        value: flips to the target, a `FlipsFunction` or "module:attribute" of one; by default
            `count_gaps`.
        width: how many garlands it keeps, at least 1.

    Raises:
        OptionError: if an argument is not allowed.
    """

    def __init__(self, value: FlipsFunction | str = count_gaps, width: int = 16) -> None:
        super().__init__(value)
        self.width = check_int("the beam width", width, 1)
        self._plans: list[dict[bytes, int]] = []

    def flips(self, engine: Engine, rows: Rows) -> NDArray[np.int64]:
        """Return the next flips of the rows' plans."""
        if len(self._plans) != engine.num_games:
            self._plans = [{} for _ in range(engine.num_games)]
        garlands = engine.state["garland"][rows]
        keys = [garland.tobytes() for garland in garlands]
        off = [at for at, row in enumerate(rows.tolist()) if keys[at] not in self._plans[row]]
        for at in off:
            self._plans[int(rows[at])] = self._plan(garlands[at], _moves_left(engine, rows[at]))
        chosen = [self._plans[row].get(key) for row, key in zip(rows.tolist(), keys, strict=True)]
        greedy = super().flips(engine, rows) if None in chosen else np.zeros(len(rows), np.int64)
        pairs = zip(chosen, greedy.tolist(), strict=True)
        return np.array([flip if plan is None else plan for plan, flip in pairs], np.int64)

    def _plan(self, garland: Garlands, moves: int) -> dict[bytes, int]:
        """Return which flip to make at each garland of a way to the target, {} without one."""
        came_from: dict[bytes, tuple[bytes, int]] = {garland.tobytes(): (b"", 0)}
        layer = garland[None]
        for _ in range(moves):
            children = flipped(layer)
            nearest = np.argsort(self.distances(children), axis=None, kind="stable")
            kept = []
            for place in nearest.tolist():
                parent, flip = divmod(place, len(garland))
                key = children[parent, flip].tobytes()
                if key not in came_from:
                    came_from[key] = (layer[parent].tobytes(), flip)
                    kept.append(children[parent, flip])
                if len(kept) == self.width:
                    break
            if not kept:
                return {}
            layer = np.array(kept)
            if at_target(layer[0]):
                return _way_to(layer[0].tobytes(), came_from)
        return {}


def _way_to(key: bytes, came_from: dict[bytes, tuple[bytes, int]]) -> dict[bytes, int]:
    plan = {}
    while came_from[key][0]:
        key, flip = came_from[key]
        plan[key] = flip
    return plan


def _moves_left(engine: Engine, row: int) -> int:
    game = engine.state[row]
    spare: int = engine.settings["slack"]
    return int(game["par"]) + spare - int(game["moves_used"])
