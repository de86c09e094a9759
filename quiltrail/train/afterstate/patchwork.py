"""Patchwork for the learner of after-states: a placement, then the deal."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents import Agent
from quiltrail.agents.patchwork import PatchworkGreedy
from quiltrail.agents.patchwork_search import Nodes, expand, root_nodes
from quiltrail.core.array_types import Rows, StateArray
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError
from quiltrail.envs.patchwork.rules import REVIVE
from quiltrail.train.afterstate.game import AfterstateGame, Moves, ValueFunction
from quiltrail.train.afterstate.patchwork_features import (
    MOST_ACTIVE,
    NUM_ENTRIES,
    write_active_entries,
)
from quiltrail.train.afterstate.value import AfterstateValue, read_value

_WEIGHTS = "patchwork_td.npz"


class PatchworkAfterstates(AfterstateGame):
    """After-states are the nodes that Patchwork's players search: a quilt and what is in the tray.

    What the tables see of one is in `quiltrail.train.afterstate.patchwork_features`; progress is
    patches sewn, by which the deals get harder.
    """

    name: ClassVar[str] = "patchwork"
    num_entries: ClassVar[int] = NUM_ENTRIES
    most_active: ClassVar[int] = MOST_ACTIVE
    scale: ClassVar[float] = 20.0
    start_option: ClassVar[str | None] = "sewn"

    def check(self, engine: Engine) -> None:
        """Refuse games with a revive, of which the value knows nothing."""
        if engine.num_actions > REVIVE:
            raise OptionError("Patchwork is learned without revive")

    def moves(self, engine: Engine, rows: Rows) -> Moves:
        """Return all placements; equal patches in two slots are one choice."""
        nodes, bounds = expand(root_nodes(engine.state, rows), np.arange(len(rows) + 1))
        points = nodes["points"].astype(np.float64)
        return Moves(nodes, points, nodes["action"].astype(np.int64), bounds)

    def progress(self, afterstates: StateArray) -> NDArray[np.int64]:
        """Return patches sewn."""
        sewn: NDArray[np.int64] = afterstates["sewn"]
        return sewn

    def write_active(
        self, afterstates: StateArray, active: NDArray[np.int32], counts: NDArray[np.int64]
    ) -> None:
        """Write the entries of `quiltrail.train.afterstate.patchwork_features`."""
        write_active_entries(afterstates, active, counts)

    def player(self, value: ValueFunction) -> Agent:
        """Return the greedy player."""
        return PatchworkGreedy(value)


@cache
def _shipped() -> AfterstateValue:
    """Return the value that comes with the package."""
    return read_value(files(__package__).joinpath(_WEIGHTS).read_bytes())


def learned_value(nodes: Nodes) -> NDArray[np.float64]:
    """Return what nodes are worth by the weights that come with the package.

    Its name for agents is "quiltrail.train.afterstate.patchwork:learned_value".
    """
    return _shipped()(nodes)
