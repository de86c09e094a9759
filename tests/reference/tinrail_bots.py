"""The bots of Tinrail, slow and obvious: they look at the table and at their own hand."""

from collections.abc import Iterator
from typing import Protocol

from tests.reference.mulberry32 import Mulberry32
from tests.reference.tinrail import (
    PORTS,
    ROTATIONS,
    TILES,
    Notch,
    Resolution,
    Table,
    TinrailReference,
    neighbour,
    resolve,
    rotate,
    walk,
)

BOT_STREAM = 0x9E3779B9

WIN = 1_000_000
BOTH_OFF = -500
LOSS = -1_000_000
SHARED_CELL = -20


def action_count(game: TinrailReference) -> int:
    """Return how many actions the seat to move has."""
    return len(game.hands[game.turn]) * ROTATIONS


def try_action(game: TinrailReference, action: int) -> Resolution:
    """Work out what an action of the seat to move would bring about, the game untouched."""
    engine = game.engines[game.turn]
    assert engine is not None
    tile = game.hands[game.turn][action // ROTATIONS]
    strands = rotate(TILES[tile], action % ROTATIONS)
    return resolve(game.table, game.engines, engine.cell, strands)


def leave(table: Table, cell: int, port: int) -> Notch | None:
    """Return where an engine comes to rest that leaves an empty cell by a port, None if off."""
    return walk(table, neighbour(cell, port)).end


def exits(table: Table, notch: Notch) -> int:
    """Count the ports, other than its own, by which an engine could leave its cell and live."""
    ways_out = [port for port in range(PORTS) if port != notch.port]
    return sum(leave(table, notch.cell, port) is not None for port in ways_out)


def room(table: Table, notch: Notch) -> int:
    """Add up, over the living ways to another cell, one and the exits found there."""
    total = 0
    for port in range(PORTS):
        if port == notch.port:
            continue
        rest = leave(table, notch.cell, port)
        if rest is not None and rest.cell != notch.cell:
            total += 1 + exits(table, rest)
    return total


def wise_value(game: TinrailReference, action: int) -> int:
    """Return what Wise, as the seat to move, holds an action to be worth."""
    after = try_action(game, action)
    own, other = after.engines[game.turn], after.engines[1 - game.turn]
    if own is None:
        return BOTH_OFF if other is None else LOSS
    if other is None:
        return WIN
    value = room(after.table, own) - room(after.table, other)
    return value + SHARED_CELL if own.cell == other.cell else value


class Bot(Protocol):
    """A player of the seat to move, whichever that is."""

    def choose(self, game: TinrailReference) -> int:
        """Return the flat index of the action chosen."""


class RandomBot:
    """Play any action; one draw a decision."""

    def __init__(self, seed: int) -> None:
        """Start the bot's own stream from the game seed."""
        self.stream = Mulberry32(seed ^ BOT_STREAM)

    def choose(self, game: TinrailReference) -> int:
        """Return the flat index of the action chosen for the seat to move."""
        return self.stream.below(action_count(game))


class EasyBot:
    """Play any action that keeps the own engine on the table; one draw a decision."""

    def __init__(self, seed: int) -> None:
        """Start the bot's own stream from the game seed."""
        self.stream = Mulberry32(seed ^ BOT_STREAM)

    def choose(self, game: TinrailReference) -> int:
        """Return the flat index of the action chosen for the seat to move."""
        actions = list(range(action_count(game)))
        safe = [a for a in actions if try_action(game, a).engines[game.turn] is not None]
        pool = safe or actions
        return pool[self.stream.below(len(pool))]


class WiseBot:
    """Play the action of the highest value, the first of equals; no draws."""

    def choose(self, game: TinrailReference) -> int:
        """Return the flat index of the action chosen for the seat to move."""
        return max(range(action_count(game)), key=lambda action: wise_value(game, action))


def bot_named(name: str, seed: int) -> Bot:
    """Return a bot that has not decided anything yet: "random", "easy" or "wise"."""
    if name == "wise":
        return WiseBot()
    return {"random": RandomBot, "easy": EasyBot}[name](seed)


def play_out(game: TinrailReference, bots: tuple[Bot, Bot]) -> Iterator[TinrailReference]:
    """Play a match to its end and yield the game after every placement."""
    while not game.ended:
        assert game.play(game.decode(bots[game.turn].choose(game))) == "accepted"
        yield game
