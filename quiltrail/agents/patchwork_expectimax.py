"""Expectimax for Patchwork: whole trays, judged by deals that might come next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.patchwork import Layers, PatchworkBeam, search, trace
from quiltrail.agents.patchwork_search import (
    NODE,
    Nodes,
    ValueFunction,
    greedy_value,
    root_nodes,
    write_root,
)
from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import Rows, StateArray
from quiltrail.core.engine import Engine
from quiltrail.core.jit import compiled
from quiltrail.core.mulberry32 import draws_at
from quiltrail.envs.patchwork.deal import deal
from quiltrail.envs.patchwork.position import STATE
from quiltrail.envs.patchwork.rules import NUM_SLOTS

_STREAM = np.uint64(0x2545F491)  # game seed XOR this: the deals a player imagines; ours


class PatchworkExpectimax(PatchworkBeam):
    """Searches whole trays as the beam does, and chooses among the best by sampled deals.

    The best ``candidates`` positions behind the tray are each worth the points won so far plus the
    mean, over ``deals`` trays that might be dealt there, of the best way found to sew such a tray:
    its points plus value. All candidates meet the same random numbers, which makes differences
    between them less noisy than their values. It draws from a stream of its own and never sees the
    game's next deals.

    Args:
        width: how many nodes are kept while searching the tray, at least 1.
        candidates: how many positions behind it are judged, at least 1.
        deals: how many deals each is judged by, at least 1.
        leaf_width: how many nodes are kept while searching such a deal, at least 1.
        value: what a quilt is worth after a placement, a `ValueFunction` or "module:attribute" of
            one.

    Raises:
        OptionError: if an argument is not allowed.

    Source: expectimax of Michie (1966) on sampled chance, as sparse sampling: Kearns, Mansour, Ng,
    "A sparse sampling algorithm for near-optimal planning in large MDPs", Machine Learning 2002.
    """

    def __init__(
        self,
        width: int = 16,
        candidates: int = 4,
        deals: int = 8,
        leaf_width: int = 1,
        value: ValueFunction | str = greedy_value,
    ) -> None:
        super().__init__(width, value)
        self.candidates = check_int("candidates", candidates, 1)
        self.deals = check_int("deals", deals, 1)
        self.leaf_width = check_int("leaf_width", leaf_width, 1)

    @property
    def nodes_kept(self) -> int:
        """How many nodes of a game the search keeps at a time, at most."""
        return max(self.width, self.candidates * self.deals * self.leaf_width)

    def plan(self, engine: Engine, rows: Rows) -> Nodes:
        """Return the plan of each row whose end is worth most; see `PatchworkBeam.plan`."""
        widths = (self.width, self.width, self.candidates)
        layers = search(root_nodes(engine.state, rows), widths, self.value)
        if len(layers.nodes) > NUM_SLOTS:  # some tray can be sewn to its end
            ends, bounds = layers.nodes[NUM_SLOTS], layers.bounds[NUM_SLOTS]
            cursors = self._cursors(engine.state[rows]).repeat(np.diff(bounds), axis=0)
            layers.scores[NUM_SLOTS] = ends["points"] + self._worth(ends, cursors)
        return trace(layers)

    def _cursors(self, games: StateArray) -> NDArray[np.uint64]:
        """Return where the imagined deals of games (R,) begin in their streams, (R, deals)."""
        streams = games["seed"].astype(np.uint64) ^ _STREAM
        counts = games["turn"][:, None] * self.deals + np.arange(1, self.deals + 1)
        return draws_at(streams.repeat(self.deals), counts.ravel()).reshape(counts.shape)

    def _worth(self, ends: Nodes, cursors: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Return what positions (E,) are worth by the deals from cursors (E, deals), (E,)."""
        futures = np.empty(cursors.size, NODE)
        _deal_futures(ends, cursors, np.zeros(1, STATE), futures)
        layers = search(futures, (self.leaf_width, self.leaf_width, 1), self.value)
        worth: NDArray[np.float64] = _best_worth(layers).reshape(cursors.shape).mean(axis=1)
        return worth


@compiled
def _deal_futures(
    ends: Nodes, cursors: NDArray[np.uint64], scratch: StateArray, futures: Nodes
) -> None:
    """Write the root behind every deal at every position, by position; ``scratch`` is one game."""
    game = scratch[0]
    for e in range(ends.shape[0]):
        for m in range(cursors.shape[1]):
            game["quilt"][0] = ends[e]["quilt"][0]
            game["quilt"][1] = ends[e]["quilt"][1]
            game["streak"] = ends[e]["streak"]
            game["sewn"] = ends[e]["sewn"]
            game["cursor"] = cursors[e, m]
            deal(game)
            write_root(futures[e * cursors.shape[1] + m], game)


def _best_worth(layers: Layers) -> NDArray[np.float64]:
    """Return the points plus value of each root's best way, (R,); a game that ends is worth 0."""
    worth = np.zeros(len(layers.nodes[0]))
    for depth in range(1, len(layers.nodes)):
        best = layers.best(depth)
        there = np.flatnonzero(best >= 0)
        of = layers.scores[depth] if depth == NUM_SLOTS else layers.nodes[depth]["points"]
        worth[there] = of[best[there]]
    return worth
