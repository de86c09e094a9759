"""Players of Patchwork: one patch ahead, and a whole tray ahead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.base import Agent
from quiltrail.agents.patchwork_search import (
    NODE,
    Nodes,
    ValueFunction,
    expand,
    greedy_value,
    keep_best,
    root_nodes,
)
from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import Rows
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError
from quiltrail.core.extras import callable_of
from quiltrail.envs.patchwork.rules import NUM_SLOTS, REVIVE

# Enough nodes to forget the cost of a call, few enough to stay in a cache.
_NODES_AT_ONCE = 50_000
_CHILDREN = 100  # of a node, roughly

_POSITION = ["quilt", "streak", "sewn", "tray"]  # what a plan depends on


class PatchworkGreedy(Agent):
    """Tries every placement and plays the one with the most points plus value.

    Of equal placements the first is played: lowest slot, then row by row. A stuck game is revived.

    Args:
        value: what a quilt is worth after the placement, a `ValueFunction` or "module:attribute"
            of one; `greedy_value` makes the publisher's kind of computer player (RULES,
            "Patchwork").

    Raises:
        OptionError: if the value is no function.
    """

    games: ClassVar[tuple[str, ...]] = ("patchwork",)

    def __init__(self, value: ValueFunction | str = greedy_value) -> None:
        self.value: ValueFunction = callable_of("value function", value)

    def act(self, engine: Engine) -> NDArray[np.int64]:
        """Return the best placement of every row."""
        self.check_game(engine)
        playing, actions = _playing_rows(engine)
        for rows in _portions(playing, _CHILDREN):
            nodes, bounds = expand(root_nodes(engine.state, rows), np.arange(len(rows) + 1))
            best, _ = keep_best(nodes, _totals(nodes, self.value), bounds, 1)
            actions[rows] = nodes["action"][best]
        return actions


class PatchworkBeam(Agent):
    """Searches whole trays, all orders of their patches, and sews the best plan it finds.

    After each patch it keeps the ``width`` best distinct nodes of a game by points won so far plus
    value. It searches when a tray is new, and again whenever a game is not where its plan is.
    A stuck game is revived.

    Args:
        width: how many nodes are kept, at least 1.
        value: what a quilt is worth after a placement, a `ValueFunction` or "module:attribute" of
            one.

    Raises:
        OptionError: if an argument is not allowed.
    """

    games: ClassVar[tuple[str, ...]] = ("patchwork",)

    def __init__(self, width: int = 16, value: ValueFunction | str = greedy_value) -> None:
        self.width = check_int("the beam width", width, 1)
        self.value: ValueFunction = callable_of("value function", value)
        self._plans = _no_plans(0)

    def act(self, engine: Engine) -> NDArray[np.int64]:
        """Return the next placement of every row's plan."""
        self.check_game(engine)
        if len(self._plans) != engine.num_games:
            self._plans = _no_plans(engine.num_games)
        playing, actions = _playing_rows(engine)
        here = root_nodes(engine.state, playing)
        lost = ~_on_plan(here, self._plans[playing]).any(axis=1)
        for rows in _portions(playing[lost], _CHILDREN * self.nodes_kept):
            self._plans[rows] = self.plan(engine, rows)
        plans = self._plans[playing]
        steps = _on_plan(here, plans).argmax(axis=1)
        actions[playing] = plans["action"][np.arange(len(playing)), steps]
        return actions

    @property
    def nodes_kept(self) -> int:
        """How many nodes of a game the search keeps at a time, at most."""
        return self.width

    def plan(self, engine: Engine, rows: Rows) -> Nodes:
        """Return the best plan found for each row, (R, 3) nodes.

        Each node is the position before a placement, and its ``action`` that placement; behind
        the end of a plan ``action`` is -1.
        """
        return trace(
            search(root_nodes(engine.state, rows), (self.width, self.width, 1), self.value)
        )


@dataclass
class Layers:
    """Nodes kept by a search, layer by layer: roots, behind one patch, behind two, behind three.

    Attributes:
        nodes: (N,) of each layer; layers in which no root has nodes are left out.
        bounds: (R + 1,) of each layer, the boundaries of the roots.
        scores: (N,) of each layer, points plus value.
    """

    nodes: list[Nodes]
    bounds: list[NDArray[np.int64]]
    scores: list[NDArray[np.float64]]

    def best(self, depth: int) -> NDArray[np.int64]:
        """Return each root's best node of a layer, (R,); -1 where it has none."""
        best = np.full(len(self.bounds[depth]) - 1, -1, np.int64)
        kept, ends = keep_best(self.nodes[depth], self.scores[depth], self.bounds[depth], 1)
        best[np.diff(ends) > 0] = kept
        return best


def search(roots: Nodes, widths: Sequence[int], value: ValueFunction) -> Layers:
    """Sew the trays of all roots; behind each patch keep the best distinct nodes of each root.

    Args:
        roots: (R,) positions, one a game.
        widths: how many nodes are kept behind each patch.
        value: what a quilt is worth after a placement.
    """
    layers = Layers([roots], [np.arange(len(roots) + 1)], [np.zeros(len(roots))])
    for width in widths:
        children, ends = expand(layers.nodes[-1], layers.bounds[-1])
        if not len(children):
            break
        worth = _totals(children, value)
        kept, ends = keep_best(children, worth, ends, width)
        layers.nodes.append(children[kept])
        layers.bounds.append(ends)
        layers.scores.append(worth[kept])
    return layers


def trace(layers: Layers) -> Nodes:
    """Return the way to the best of each root's last nodes, as `PatchworkBeam.plan` describes."""
    num_rows = len(layers.nodes[0])
    plans = _no_plans(num_rows)
    at = np.full(num_rows, -1, np.int64)  # the node of the way in the layer above, if there is one
    for depth in range(len(layers.nodes) - 1, 0, -1):
        at = np.where(at < 0, layers.best(depth), at)
        on_way = np.flatnonzero(at >= 0)
        nodes = layers.nodes[depth][at[on_way]]
        before = layers.nodes[depth - 1][nodes["parent"]]
        before["action"] = nodes["action"]
        plans[on_way, depth - 1] = before
        at[on_way] = nodes["parent"]
    return plans


def _totals(nodes: Nodes, value: ValueFunction) -> NDArray[np.float64]:
    """Return points won plus value, (N,) float64.

    Raises:
        OptionError: if the value function does not return one number a node.
    """
    values = np.asarray(value(nodes), np.float64)
    if values.shape != nodes.shape:
        raise OptionError(
            f"a value function returns shape {nodes.shape} for as many nodes, got {values.shape}"
        )
    sums: NDArray[np.float64] = nodes["points"] + values
    return sums


def _playing_rows(engine: Engine) -> tuple[Rows, NDArray[np.int64]]:
    """Return the rows with a placement to choose, and actions (B,) that revive the stuck ones."""
    actions = np.zeros(engine.num_games, np.int64)
    running = ~engine.terminated
    if engine.num_actions > REVIVE:
        stuck = running & (engine.mask[:, REVIVE] != 0)
        actions[stuck] = REVIVE
        running &= ~stuck
    return np.flatnonzero(running), actions


def _portions(rows: Rows, nodes_a_row: int) -> Iterator[Rows]:
    """Yield the rows in portions whose nodes fit a cache."""
    size = max(1, _NODES_AT_ONCE // nodes_a_row)
    for first in range(0, len(rows), size):
        yield rows[first : first + size]


def _no_plans(num_games: int) -> Nodes:
    plans = np.zeros((num_games, NUM_SLOTS), NODE)
    plans["action"] = -1
    return plans


def _on_plan(here: Nodes, plans: Nodes) -> NDArray[np.bool_]:
    """Return which step of its plan, (R, 3), each position (R,) is at."""
    at = plans["action"] >= 0
    for name in _POSITION:
        same = plans[name] == here[name][:, None]
        at &= same if same.ndim == at.ndim else same.all(axis=-1)
    return at
