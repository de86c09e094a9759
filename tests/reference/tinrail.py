"""The referee of Tinrail: both seats through one door, every ride walked rail by rail.

Nothing is looked up in a table of track ends. A ride starts at a notch and takes one strand
after another until it meets an empty cell or the edge of the table.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tests.reference.mulberry32 import Mulberry32

BOARD_SIZE = 6
CELLS = BOARD_SIZE * BOARD_SIZE
PORTS = 8
ROTATIONS = 4
TILE_COUNT = 35
HAND_SIZE = 3

ADJACENT = (5, 4, 7, 6, 1, 0, 3, 2)
#  ports of a cell:    0   1        the port of the neighbour that touches port p
#                    7       2      is ADJACENT[p]
#                    6       3
#                      5   4
EDGE_STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # (row, col) across edge port // 2

Strands = tuple[tuple[int, int], ...]  # four pairs (a, b), a < b, ascending
Table = Mapping[int, Strands]  # cell -> the strands of its tile, rotation applied


class Notch(NamedTuple):
    """A cell and the port by which an engine will enter it."""

    cell: int
    port: int


Engines = tuple[Notch | None, Notch | None]  # None: off the table

STARTS = (Notch(32, 4), Notch(3, 0))


class Passage(NamedTuple):
    """One strand travelled in one direction."""

    cell: int
    enter: int
    leave: int


class Ride(NamedTuple):
    """The strands of one ride in order, and the notch it rests at (None: off the table)."""

    itinerary: tuple[Passage, ...]
    end: Notch | None


@dataclass(frozen=True)
class Resolution:
    """What one tile brings about: the table with it, the rides, and where the engines are."""

    table: Table
    rides: Mapping[int, Ride]
    head_on: bool
    engines: Engines


@dataclass(frozen=True)
class Placement:
    """The placement last made, kept for inspection."""

    seat: int
    tile: int
    rotation: int
    cell: int
    resolution: Resolution


def ordered(pairs: Iterable[Sequence[int]]) -> Strands:
    """Return the strands with every pair ascending and the pairs sorted."""
    return tuple(sorted((min(pair), max(pair)) for pair in pairs))


def rotate(strands: Strands, rotation: int) -> Strands:
    """Turn a tile clockwise by `rotation` quarter-turns."""
    return ordered([((a + 2 * rotation) % PORTS, (b + 2 * rotation) % PORTS) for a, b in strands])


def matchings(ports: tuple[int, ...]) -> list[Strands]:
    """Return every way to join the ports in pairs."""
    if not ports:
        return [()]
    first, rest = ports[0], ports[1:]
    found = []
    for partner in rest:
        others = tuple(port for port in rest if port != partner)
        found += [((first, partner), *pairs) for pairs in matchings(others)]
    return found


def distinct_tiles() -> list[Strands]:
    """Return the tiles in order of id: the smallest rotation of each, sorted."""
    every_tile = matchings(tuple(range(PORTS)))
    return sorted({min(rotate(tile, r) for r in range(ROTATIONS)) for tile in every_tile})


TILES = distinct_tiles()


def shuffled_deck(seed: int) -> list[int]:
    """Return the tile ids of the seed's deck, top first."""
    deck = list(range(TILE_COUNT))
    Mulberry32(seed).shuffle(deck)
    return deck


def neighbour(cell: int, port: int) -> Notch | None:
    """Cross the edge at `port` and return the notch beyond, or None at the edge of the table."""
    row_step, col_step = EDGE_STEPS[port // 2]
    row = cell // BOARD_SIZE + row_step
    col = cell % BOARD_SIZE + col_step
    if not (0 <= row < BOARD_SIZE and 0 <= col < BOARD_SIZE):
        return None
    return Notch(row * BOARD_SIZE + col, ADJACENT[port])


def partner(strands: Strands, port: int) -> int:
    """Return the other end of the strand that starts at `port`."""
    for a, b in strands:
        if a == port:
            return b
        if b == port:
            return a
    raise ValueError(f"no strand of {strands} starts at port {port}")


def walk(table: Table, start: Notch | None) -> Ride:
    """Follow the rails from `start` to their end.

    Raises:
        ValueError: if the rails run in a circle, which no match can bring about.
    """
    itinerary: list[Passage] = []
    at = start
    while at is not None and at.cell in table:
        passage = Passage(at.cell, at.port, partner(table[at.cell], at.port))
        if passage in itinerary:
            raise ValueError(f"the rails from {start} run in a circle through {passage}")
        itinerary.append(passage)
        at = neighbour(passage.cell, passage.leave)
    return Ride(tuple(itinerary), at)


def meet_head_on(one: Ride, other: Ride) -> bool:
    """Tell whether some strand is travelled by both rides, in opposite directions."""
    return any(Passage(p.cell, p.leave, p.enter) in other.itinerary for p in one.itinerary)


def resolve(table: Table, engines: Engines, cell: int, strands: Strands) -> Resolution:
    """Lay a tile on an empty cell and let every engine that faces the cell ride."""
    after = {**table, cell: strands}
    rides = {
        seat: walk(after, engine)
        for seat, engine in enumerate(engines)
        if engine is not None and engine.cell == cell
    }
    head_on = len(rides) == 2 and meet_head_on(rides[0], rides[1])
    ends = {seat: None if head_on else ride.end for seat, ride in rides.items()}
    moved = (ends.get(0, engines[0]), ends.get(1, engines[1]))
    return Resolution(after, rides, head_on, moved)


def match_score(outcome: str, survived: int, easy: bool = False) -> int:
    """Return the points of a finished match; `outcome` is "win", "draw" or "loss"."""
    totals = {"win": 100 + 5 * survived, "draw": 50 + 2 * survived, "loss": 2 * survived}
    total = totals[outcome]
    return 3 * total // 5 if easy else total


def fault_of_shape(action: object) -> str | None:
    """Name the first fault that the published grammar finds in an action, if any."""
    if not isinstance(action, dict):
        return "not-an-object"
    if action.get("type") != "place":
        return "unknown-type"
    limits = {"tileIndex": HAND_SIZE, "rotation": ROTATIONS}
    if any(field not in action for field in limits):
        return "missing-field"
    for field, limit in limits.items():
        number = action[field]
        if type(number) is not int or not 0 <= number < limit:
            return "bad-value"
    return None


class TinrailReference:
    """One match of Tinrail, both seats played by `play`.

    Args:
        seed: any int, taken modulo 2**32.
        deck: the 35 tile ids, top first, in place of the seed's own deck.
    """

    def __init__(self, seed: int = 0, deck: Sequence[int] | None = None) -> None:
        """Deal a fresh match."""
        if type(seed) is not int:
            raise TypeError(f"seed is {seed!r}; it must be an int")
        cards = shuffled_deck(seed) if deck is None else list(deck)
        if sorted(cards) != list(range(TILE_COUNT)):
            raise ValueError(f"the deck {cards} does not hold each of the 35 tiles once")
        hands = [cards[:HAND_SIZE], cards[HAND_SIZE : 2 * HAND_SIZE]]
        self._set_up({}, STARTS, hands, cards[2 * HAND_SIZE :], turn=0)

    @classmethod
    def from_position(
        cls,
        table: Mapping[int, Iterable[Sequence[int]]],
        engines: tuple[Notch, Notch],
        hands: Sequence[Sequence[int]],
        turn: int,
        pile: Sequence[int] = (),
    ) -> "TinrailReference":
        """Return a match in progress; it need not be reachable by play."""
        match = cls()
        laid = {cell: ordered(strands) for cell, strands in table.items()}
        notches = (Notch(*engines[0]), Notch(*engines[1]))
        match._set_up(laid, notches, hands, pile, turn)
        return match

    def _set_up(
        self,
        table: Table,
        engines: tuple[Notch, Notch],
        hands: Sequence[Sequence[int]],
        pile: Sequence[int],
        turn: int,
    ) -> None:
        self.table: Table = dict(table)
        self.engines: Engines = engines
        self.hands = [list(hand) for hand in hands]  # tile ids, one list a seat
        self.pile = list(pile)  # tile ids, top first
        self.turn = turn  # the seat to place; after the end, whoever it was then
        self.survived = [len(table), len(table)]
        self.result: str | None = None
        self.last: Placement | None = None

    @property
    def ended(self) -> bool:
        """Tell whether the match is over."""
        return self.result is not None

    @property
    def to_move(self) -> int | None:
        """Return the seat to move, None after the end."""
        return None if self.ended else self.turn

    @property
    def score(self) -> int:
        """Return the points of seat 0 against Wise."""
        return self.final_score(0)

    def final_score(self, seat: int, easy: bool = False) -> int:
        """Return the points of a seat, 0 while the match is on."""
        if self.result is None:
            return 0
        return match_score(self._outcome(seat), self.survived[seat], easy)

    def _outcome(self, seat: int) -> str:
        if self.result == "draw":
            return "draw"
        return "win" if self.result == f"win{seat}" else "loss"

    def legal_actions(self) -> list[dict[str, Any]]:
        """Return every legal action, ascending by flat index."""
        if self.ended:
            return []
        return [self.decode(i) for i in range(len(self.hands[self.turn]) * ROTATIONS)]

    @staticmethod
    def encode(action: Mapping[str, Any]) -> int:
        """Return the flat index of a well-shaped action."""
        return int(action["tileIndex"]) * ROTATIONS + int(action["rotation"])

    @staticmethod
    def decode(index: int) -> dict[str, Any]:
        """Return the action of a flat index, 0 .. 11."""
        if not 0 <= index < HAND_SIZE * ROTATIONS:
            raise ValueError(f"flat index {index} is not in 0 .. {HAND_SIZE * ROTATIONS - 1}")
        return {"type": "place", "tileIndex": index // ROTATIONS, "rotation": index % ROTATIONS}

    def play(self, action: object) -> str:
        """Place a tile for the seat to move; return "accepted" or the name of the refusal."""
        fault = self._fault(action)
        if fault is not None:
            return fault
        assert isinstance(action, dict)
        self._place(action["tileIndex"], action["rotation"])
        return "accepted"

    def _fault(self, action: object) -> str | None:
        fault = fault_of_shape(action)
        if fault is not None:
            return fault
        if self.ended:
            return "run-ended"
        assert isinstance(action, dict)
        if action["tileIndex"] >= len(self.hands[self.turn]):
            return "no-such-tile"
        return None

    def _place(self, tile_index: int, rotation: int) -> None:
        seat = self.turn
        engine = self.engines[seat]
        assert engine is not None
        tile = self.hands[seat].pop(tile_index)
        resolution = resolve(self.table, self.engines, engine.cell, rotate(TILES[tile], rotation))
        self.table, self.engines = resolution.table, resolution.engines
        self.last = Placement(seat, tile, rotation, engine.cell, resolution)
        self._count_survivors()
        self.result = self._judge_engines()
        if not self.ended:
            self._pass_turn()

    def _count_survivors(self) -> None:
        for seat, engine in enumerate(self.engines):
            if engine is not None:
                self.survived[seat] += 1

    def _judge_engines(self) -> str | None:
        first_off, second_off = (engine is None for engine in self.engines)
        if first_off and second_off:
            return "draw"
        if first_off:
            return "win1"
        return "win0" if second_off else None

    def _pass_turn(self) -> None:
        if self.pile:
            self.hands[self.turn].append(self.pile.pop(0))
        self.turn = 1 - self.turn
        if not self.hands[self.turn]:
            self.result = "draw"

    def view(self) -> dict[str, Any]:
        """Return the published observation; hand and legal list are the mover's."""
        hand = [] if self.ended else self.hands[self.turn]
        return {
            "table": {str(cell): _as_lists(self.table[cell]) for cell in sorted(self.table)},
            "engines": [None if engine is None else engine._asdict() for engine in self.engines],
            "hand": [_all_rotations(TILES[tile]) for tile in hand],
            "pileLength": len(self.pile),
            "tilesPlaced": len(self.table),
            "tilesSurvived": list(self.survived),
            "toMove": self.to_move,
            "phase": "ended" if self.ended else "playing",
            "result": self.result,
            "legalActions": self.legal_actions(),
        }


def _all_rotations(strands: Strands) -> list[list[list[int]]]:
    return [_as_lists(rotate(strands, rotation)) for rotation in range(ROTATIONS)]


def _as_lists(strands: Strands) -> list[list[int]]:
    return [list(pair) for pair in strands]
