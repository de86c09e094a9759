"""Tinrail's engine behind the small face of the references, and the hooks of the shared cases."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from quiltrail.envs.tinrail.engine import TinrailEngine
from quiltrail.envs.tinrail.gbot import BOTS, choose, draw_of
from quiltrail.envs.tinrail.match import score_of
from quiltrail.envs.tinrail.rails import PARTNERS, neighbour
from quiltrail.envs.tinrail.rules import DRAW, NUM_PORTS, OFF, TILES, WIN_FIRST, turned
from quiltrail.envs.tinrail.study import Position, laid_of
from quiltrail.envs.tinrail.tracks import last_placement, walk
from tests.cases.tinrail_hooks import CellPort, Strands, TinrailHooks
from tests.engine_player import EnginePlayer, first_draws


class TinrailPlayer(EnginePlayer):
    """Row 1 of an engine of two, both seats played by `play`."""

    engine: TinrailEngine

    def __init__(self, seed: int = 0) -> None:
        super().__init__(TinrailEngine(2), seed, row=1)

    def final_score(self, seat: int, easy: bool = False) -> int:
        return self.engine.final_score(self.row, seat, easy=easy)


def position(
    table: Mapping[int, Strands], engines: Any, hands: Sequence[Sequence[int]], to_move: int
) -> TinrailPlayer:
    """Return a player in a position set up by hand."""
    player = TinrailPlayer()
    player.engine.set_position(player.row, Position(table, engines, hands, to_move))
    return player


def ride(table: Mapping[int, Strands], start: CellPort) -> tuple[list[list[int]], Any]:
    """Return itinerary and end of a walk; the engine itself looks rides up."""
    laid = np.full(36, -1, np.int16)
    for cell, strands in table.items():
        laid[cell] = laid_of(strands)
    track = walk(laid, NUM_PORTS * start[0] + start[1])
    return [list(step) for step in track.passages], as_pair(track.end)


def as_pair(notch: int) -> list[int] | None:
    return None if notch == OFF else list(divmod(notch, NUM_PORTS))


def hidden(player: TinrailPlayer) -> dict[str, Any]:
    game = player.engine.state[player.row]
    hands = [[tile for tile in hand if tile >= 0] for hand in game["hands"].tolist()]
    return {"hands": hands, "pile": game["pile"][game["drawn"] :].tolist()}


def placement(player: TinrailPlayer) -> dict[str, Any]:
    last = last_placement(player.engine.state[player.row])
    assert last is not None
    return {
        "player": last.seat,
        "tile": last.tile,
        "rotation": last.rotation,
        "cell": last.cell,
        "head_on": last.head_on,
        "rides": {
            str(seat): {"itinerary": track.passages, "end": as_pair(track.end)}
            for seat, track in last.rides.items()
        },
    }


def deck(seed: int) -> list[int]:
    player = TinrailPlayer(seed)
    tiles = hidden(player)
    return [*tiles["hands"][0], *tiles["hands"][1], *tiles["pile"]]


def outcome_score(outcome: str, survived: int, easy: bool) -> int:
    result = {"win": WIN_FIRST, "draw": DRAW, "loss": WIN_FIRST + 1}[outcome]
    return int(score_of(result, 0, survived, easy))


def bot(name: str, seed: int) -> Callable[[TinrailPlayer], int]:
    """Return one bot; its n-th decision takes the n-th draw, whichever seats it plays."""
    decisions = itertools.count()

    def choose_in(player: TinrailPlayer) -> int:
        game, track = player.engine.state[player.row], player.engine.derived[player.row]
        draw = draw_of(game, next(decisions), np.uint64(0))
        return int(choose(BOTS[name], game, track, draw))

    return choose_in


def beyond(cell: int, port: int) -> list[int] | None:
    return as_pair(neighbour(cell, port))


def strands_of(tile: int, rotation: int) -> list[list[int]]:
    """Return a tile's strands from the partner table that the kernels use."""
    partners = PARTNERS[4 * tile + rotation].tolist()
    pairs = [[port, partner] for port, partner in enumerate(partners) if port < partner]
    assert [tuple(pair) for pair in pairs] == list(turned(TILES[tile], rotation))
    return pairs


HOOKS = TinrailHooks(
    new_match=TinrailPlayer,
    tiles=lambda: [strands_of(tile, 0) for tile in range(len(TILES))],
    rotate=strands_of,
    neighbour=beyond,
    uint32s=first_draws,
    deck=deck,
    ride=ride,
    position=position,
    match_score=outcome_score,
    action_mask=lambda player: player.engine.mask[player.row].tolist(),
    hidden=hidden,
    last_placement=placement,
    bot=bot,
)
