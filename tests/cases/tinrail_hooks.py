"""The parts of an implementation of Tinrail that the shared cases reach for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Strands = Sequence[Sequence[int]]
CellPort = Sequence[int]  # [cell, port]


class TinrailMatch(Protocol):
    """One match, both seats played by `play`."""

    def play(self, action: object) -> str:
        """Play the seat to move; return "accepted" or the name of the refusal."""

    def legal_actions(self) -> list[dict[str, Any]]:
        """Return the published legal list, ascending by flat index."""

    def view(self) -> dict[str, Any]:
        """Return the published observation."""

    def final_score(self, seat: int, easy: bool = False) -> int:
        """Return the points of a seat once the match is over."""


@dataclass(frozen=True)
class TinrailHooks:
    """The parts of an implementation that the cases reach for; None: it has no such part."""

    new_match: Callable[[int], TinrailMatch]
    """Seed -> a fresh match."""
    tiles: Callable[[], Sequence[Strands]] | None = None
    """The 35 tiles in order of id."""
    rotate: Callable[[int, int], Strands] | None = None
    """(tile, rotation) -> its strands on the table."""
    neighbour: Callable[[int, int], CellPort | None] | None = None
    """(cell, exit port) -> [next cell, entry port]."""
    uint32s: Callable[[int, int], Sequence[int]] | None = None
    """(seed, count) -> the first outputs of the seed's stream."""
    deck: Callable[[int], Sequence[int]] | None = None
    """Seed -> tile ids, top first."""
    ride: Callable[[Mapping[int, Strands], CellPort], tuple[Any, Any]] | None = None
    """(table, start notch) -> (itinerary of [cell, in, out], resting notch or None)."""
    position: Callable[[Mapping[int, Strands], Any, Any, int], TinrailMatch] | None = None
    """(table, both engines, both hands, seat to move) -> a match there, reachable or not."""
    match_score: Callable[[str, int, bool], int] | None = None
    """("win" | "draw" | "loss", tiles survived, against Easy) -> points."""
    action_mask: Callable[[Any], Sequence[int]] | None = None
    """Match -> its mask of 12."""
    hidden: Callable[[Any], Mapping[str, Any]] | None = None
    """Match -> {"hands": tile ids of both seats, "pile": tile ids, top first}."""
    last_placement: Callable[[Any], Mapping[str, Any]] | None = None
    """Match -> {player, tile, rotation, cell, head_on, rides: {seat: {itinerary, end}}}."""
    bot: Callable[[str, int], Callable[[Any], int]] | None = None
    """("easy" | "wise", seed) -> a bot, which maps a match to a flat index.

    Two seats of one kind are played by one bot, and so from one stream.
    """
