"""Reading a published view of Tinrail back into a record; other hand and pile are hidden."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from quiltrail.core.array_types import Record
from quiltrail.core.engine import Engine
from quiltrail.envs.tinrail.rules import (
    EMPTY,
    HAND_SIZE,
    NUM_PORTS,
    NUM_ROTATIONS,
    NUM_SEATS,
    NUM_TILES,
    OFF,
    PILE_SIZE,
    RESULTS,
)
from quiltrail.envs.tinrail.study import laid_of


def record_of(engine: Engine, view: Mapping[str, Any]) -> Record:
    """Return a record with this view for its player; hidden tiles are dealt in ascending order.

    The view of an ended match shows no hand, so there the own hand is empty.

    Raises:
        KeyError, ValueError, TypeError, IndexError: if it is no view of this game.
    """
    game = np.zeros(1, engine.state.dtype)[0]
    seat = int(view["toMove"] or 0)
    game["seat"], game["to_move"] = seat, seat
    game["table"] = EMPTY
    for cell, strands in view["table"].items():
        game["table"][int(cell)] = laid_of(strands)
    game["notches"] = [
        OFF if one is None else NUM_PORTS * one["cell"] + one["port"] for one in view["engines"]
    ]
    game["turn"] = view["tilesPlaced"]
    game["result"] = RESULTS.index(view["result"])
    game["last_cell"], game["last_ports"] = -1, -1
    _deal(game, seat, [laid_of(one[0]) // NUM_ROTATIONS for one in view["hand"]], view)
    return game


def _deal(game: Record, seat: int, hand: list[int], view: Mapping[str, Any]) -> None:
    """Deal the own hand, and the tiles that are nowhere to be seen to pile and other hand."""
    seen = {int(laid) // NUM_ROTATIONS for laid in game["table"] if laid != EMPTY} | set(hand)
    unseen = [tile for tile in range(NUM_TILES) if tile not in seen]
    pile_length = int(view["pileLength"])
    pile = unseen[len(unseen) - pile_length :]
    other = unseen[: len(unseen) - pile_length][:HAND_SIZE]
    game["hands"] = EMPTY
    game["hands"][seat, : len(hand)] = hand
    game["hands"][(seat + 1) % NUM_SEATS, : len(other)] = other
    game["drawn"] = PILE_SIZE - pile_length
    game["pile"] = EMPTY
    game["pile"][PILE_SIZE - pile_length :] = pile
