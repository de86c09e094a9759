"""Tracks strand by strand, for pictures, checks and studies; the engine never walks them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Record
from quiltrail.envs.tinrail.rails import PARTNERS, neighbour
from quiltrail.envs.tinrail.rules import (
    EMPTY,
    NUM_PORTS,
    NUM_ROTATIONS,
    NUM_SEATS,
    OFF,
    UNDECIDED,
)

#: One strand in one direction: cell, port in, port out.
Passage = tuple[int, int, int]


@dataclass(frozen=True)
class Track:
    """The strands of a ride in order, and the notch it ends at, OFF for off the table."""

    passages: tuple[Passage, ...]
    end: int


@dataclass(frozen=True)
class Placement:
    """The last placement of a match.

    Attributes:
        seat: who placed.
        tile: which tile, in rotation ``rotation``, in cell ``cell``.
        rides: the ride of every engine that faced the cell, by seat.
        head_on: whether the two rides met head on.
    """

    seat: int
    tile: int
    rotation: int
    cell: int
    rides: dict[int, Track]
    head_on: bool


def walk(table: NDArray[np.int16], notch: int) -> Track:
    """Follow the rails of a table (36,) from a notch to their end; a circle ends OFF."""
    passages: list[Passage] = []
    walked = set()
    while notch != OFF and notch not in walked and table[notch // NUM_PORTS] != EMPTY:
        walked.add(notch)
        cell, port = divmod(notch, NUM_PORTS)
        way_out = int(PARTNERS[table[cell], port])
        passages.append((cell, port, way_out))
        notch = neighbour(cell, way_out)
    return Track(tuple(passages), OFF if notch in walked else notch)


def _mover_before(game: Record) -> int:
    """Return who made the last placement of a match."""
    mover = int(game["to_move"])
    return mover if game["result"] != UNDECIDED else 1 - mover


def last_placement(game: Record) -> Placement | None:
    """Return the last placement with its rides, None before the first."""
    cell = int(game["last_cell"])
    if cell < 0:
        return None
    tile, rotation = divmod(int(game["table"][cell]), NUM_ROTATIONS)
    rides = {
        seat: walk(game["table"], NUM_PORTS * cell + int(game["last_ports"][seat]))
        for seat in range(NUM_SEATS)
        if game["last_ports"][seat] >= 0
    }
    return Placement(_mover_before(game), tile, rotation, cell, rides, _meet_head_on(rides))


def _meet_head_on(rides: dict[int, Track]) -> bool:
    """Return whether two rides have a strand in common, in opposite directions."""
    if len(rides) < NUM_SEATS:
        return False
    backwards = {(cell, way_out, way_in) for cell, way_in, way_out in rides[1].passages}
    return not backwards.isdisjoint(rides[0].passages)
