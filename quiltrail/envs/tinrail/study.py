"""Positions set up by hand, for studies and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quiltrail.core.array_types import Record
from quiltrail.core.errors import demand
from quiltrail.envs.tinrail.position import STATE
from quiltrail.envs.tinrail.rules import (
    EMPTY,
    HAND_SIZE,
    NUM_CELLS,
    NUM_PORTS,
    NUM_ROTATIONS,
    NUM_SEATS,
    NUM_TILES,
    PILE_SIZE,
    TILES,
    turned,
)


@dataclass(frozen=True)
class Position:
    """A running match to start from; play need not be able to reach it.

    Attributes:
        table: the strands of every laid tile, by cell.
        engines: [cell, port] of both engines, in empty cells.
        hands: tile numbers of both seats, at most three each.
        to_move: the seat to move; it holds a tile.
        pile: tile numbers, top first.
    """

    table: Mapping[int, Sequence[Sequence[int]]]
    engines: Sequence[Sequence[int]]
    hands: Sequence[Sequence[int]]
    to_move: int
    pile: Sequence[int] = ()

    def record(self) -> Record:
        """Return the state of this position.

        Raises:
            StateError: naming the part that makes no sense.
        """
        game = np.zeros(1, STATE)[0]
        self._write_table(game)
        self._write_engines(game)
        self._write_tiles(game)
        return game

    def _write_table(self, game: Record) -> None:
        game["table"] = EMPTY
        for cell, strands in self.table.items():
            demand(cell in range(NUM_CELLS), "table", f"has cells 0 to {NUM_CELLS - 1}")
            game["table"][cell] = laid_of(strands)
        game["turn"] = len(self.table)
        game["last_cell"] = -1
        game["last_ports"] = -1

    def _write_engines(self, game: Record) -> None:
        demand(len(self.engines) == NUM_SEATS, "engines", "are two")
        for seat, (cell, port) in enumerate(self.engines):
            inside = cell in range(NUM_CELLS) and port in range(NUM_PORTS)
            demand(inside and cell not in self.table, "engines", "face empty cells by ports 0 to 7")
            game["notches"][seat] = NUM_PORTS * cell + port

    def _write_tiles(self, game: Record) -> None:
        tiles = [*self.hands[0], *self.hands[1], *self.pile]
        tiles += [int(laid) // NUM_ROTATIONS for laid in game["table"] if laid != EMPTY]
        valid = all(tile in range(NUM_TILES) for tile in tiles) and len(set(tiles)) == len(tiles)
        demand(valid, "hands", f"hold, with table and pile, tiles 0 to {NUM_TILES - 1} once each")
        game["hands"] = EMPTY
        for seat, hand in enumerate(self.hands):
            demand(len(hand) <= HAND_SIZE, "hands", f"hold at most {HAND_SIZE} tiles")
            game["hands"][seat, : len(hand)] = hand
        may_move = self.to_move in range(NUM_SEATS) and len(self.hands[self.to_move]) > 0
        demand(may_move, "to_move", "is a seat that holds a tile")
        game["to_move"] = self.to_move
        demand(len(self.pile) <= PILE_SIZE, "pile", f"holds at most {PILE_SIZE} tiles")
        game["pile"] = EMPTY
        game["drawn"] = PILE_SIZE - len(self.pile)
        game["pile"][game["drawn"] :] = self.pile


def laid_of(strands: Sequence[Sequence[int]]) -> int:
    """Return 4 * tile + rotation of some strands, the lowest rotation that shows them.

    Raises:
        StateError: if they are no tile's.
    """
    wanted = tuple(sorted((min(pair), max(pair)) for pair in strands))
    for tile, upright in enumerate(TILES):
        for rotation in range(NUM_ROTATIONS):
            if turned(upright, rotation) == wanted:
                return NUM_ROTATIONS * tile + rotation
    demand(False, "table", f"holds tiles, and {list(strands)} is none")
    raise AssertionError
