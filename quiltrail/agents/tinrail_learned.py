"""A Tinrail player that places by a learned value, without search."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.base import Agent
from quiltrail.agents.tinrail_network import (
    Network,
    choose_learned_rows,
    load_networks,
    room_for,
    shipped_network,
)
from quiltrail.core.arguments import check_int
from quiltrail.core.engine import Engine

NetworkLike = Network | str | Path | None


def network_of(network: NetworkLike) -> Network:
    """Return a network from itself, from a saved file, or for None the one of the package.

    Raises:
        ModelMismatchError: if the file holds none.
    """
    if network is None:
        return shipped_network()
    if isinstance(network, Network):
        return network
    return load_networks(Path(network))[0]


class TinrailLearned(Agent):
    """Plays the placement whose afterstate has the highest learned value, looking no further.

    An immediate win is taken, a loss avoided where it can be; of equals the first is played. The
    choice depends on the table and the own hand only.

    Args:
        network: networks, a file that a run of ``tinrail_league`` has saved, or None for the one
            that comes with the package.
        member: which of the networks plays: 0 is the learner, snapshots follow.

    Raises:
        OptionError: if there is no such member.
        ModelMismatchError: if the file holds no networks.
    """

    games: ClassVar[tuple[str, ...]] = ("tinrail",)

    def __init__(self, network: NetworkLike = None, member: int = 0) -> None:
        self.network = network_of(network)
        self.member = check_int("member", member, 0, len(self.network.bias) - 1)
        self._room = room_for(self.network)

    def act(self, engine: Engine) -> NDArray[np.int64]:
        """Return the action of the seat to move in every row."""
        self.check_game(engine)
        actions = np.zeros(engine.num_games, np.int64)
        choose_learned_rows(
            self.network, self.member, engine.state, engine.derived, self._room, actions
        )
        return actions
