"""Referee of procedural Sunpleat: every garland made slowly from its level (docs/levels.md)."""

from functools import cache
from itertools import permutations, product
from typing import Any

from tests.reference.levels import LevelChoice, part
from tests.reference.mulberry32 import Mulberry32
from tests.reference.sunpleat import (
    GRAMMAR,
    PERMITTED,
    SunpleatReference,
    exact_par,
    flip,
    target,
)

ORDER = ("flip", "next", "retry", "restart", "bank")
LONGEST_LISTED = 7

Garland = tuple[int, ...]
Distance = tuple[int, int] | None


@cache
def par(garland: Garland) -> int:
    """Return the fewest flips to the target."""
    if len(garland) <= LONGEST_LISTED:
        return distances(len(garland))[garland]
    return exact_par(list(garland))


@cache
def distances(n: int) -> dict[Garland, int]:
    """Return the distance of every garland of n pennants from the target."""
    found = {tuple(target(n)): 0}
    frontier = list(found)
    while frontier:
        reached = [tuple(flip(list(one), k)) for one in frontier for k in range(1, n + 1)]
        fresh = [one for one in dict.fromkeys(reached) if one not in found]
        for one in fresh:
            found[one] = found[frontier[0]] + 1
        frontier = fresh
    return found


@cache
def layer(n: int, distance: int) -> list[Garland]:
    """Return the garlands at a distance: permutations in order, for each the suns first."""
    listed = (
        tuple(sign * pennant for sign, pennant in zip(signs, order, strict=True))
        for order in permutations(range(1, n + 1))
        for signs in product((1, -1), repeat=n)
    )
    return [one for one in listed if par(one) == distance]


def uniform(stream: Mulberry32, n: int) -> Garland:
    """Return a shuffled garland, each pennant's face drawn after that, 1 for a moon."""
    order = target(n)
    stream.shuffle(order)
    return tuple(-pennant if stream.below(2) else pennant for pennant in order)


def flipped_at_random(stream: Mulberry32, n: int, flips: int) -> Garland:
    """Return the target after random flips, no count twice in a row."""
    garland, counts = target(n), list(range(1, n + 1))
    for _ in range(flips):
        count = counts[stream.below(len(counts))]
        garland = flip(garland, count)
        counts = [one for one in range(1, n + 1) if one != count]
    return tuple(garland)


@cache
def level_garland(level: int, n: int, distance: Distance) -> Garland:
    """Return the garland of a level."""
    stream = Mulberry32(level)
    if distance is None:
        garland = uniform(stream, n)
        while list(garland) == target(n):
            garland = uniform(stream, n)
        return garland
    wanted = distance[0] + stream.below(distance[1] - distance[0] + 1)
    if n <= LONGEST_LISTED:
        choices = layer(n, wanted)
        return choices[stream.below(len(choices))]
    while True:
        garland = flipped_at_random(stream, n, wanted) if wanted <= n else uniform(stream, n)
        if par(garland) == wanted:
            return garland


def part_of(garland: Garland) -> str:
    """Return whether a garland is for training or for testing."""
    return part([len(garland), *(2 * abs(one) + (one < 0) for one in garland)])


class SunpleatLevelsReference(SunpleatReference):
    """One run over procedural garlands.

    Args:
        seed: taken modulo 2**32.
        n: pennants.
        slack: moves beyond par.
        distance: exact distances, None for uniform garlands.
        start_level: the first level of the set.
        num_levels: how many there are, 0 for all.
        split: "train", "test" or None.
        one_board: whether a clear ends the run.
        level: the first board's level; None for the stream's choice.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        n: int = 5,
        slack: int = 4,
        distance: Distance = None,
        start_level: int = 0,
        num_levels: int = 0,
        split: str | None = None,
        one_board: bool = False,
        level: int | None = None,
    ) -> None:
        self.pennants = n
        self.grammar = {**GRAMMAR, "flip": {"count": range(1, n + 1)}}
        self.slack = slack
        self.distance = distance
        self.split = split
        self.one_board = one_board
        self.choice = LevelChoice(seed, start_level, num_levels, self._is_wanted)
        self.level = level
        super().__init__(seed)

    @property
    def exact_par(self) -> int:
        return par(self.start)

    @property
    def move_budget(self) -> int:
        return self.exact_par + self.slack

    def legal_actions(self) -> list[dict[str, Any]]:
        actions: list[dict[str, Any]] = []
        for kind in ORDER:
            if kind in PERMITTED[self.phase]:
                counts = range(1, self.n + 1)
                flips = [{"type": kind, "count": count} for count in counts]
                actions += flips if kind == "flip" else [{"type": kind}]
        return actions

    def view(self) -> dict[str, Any]:
        view = super().view()
        del view["templateIndex"]
        return {**view, "level": self.level}

    def _is_wanted(self, level: int) -> bool:
        garland = level_garland(level, self.pennants, self.distance)
        return self.split in (None, part_of(garland))

    def _hang(self, board_number: int) -> None:
        """Start a board with its full budget: a retry the same one, another the next level."""
        is_later = hasattr(self, "start")
        if self.level is None or (is_later and board_number != self.board_number):
            self.level = self.choice.next_level()
        assert self.level is not None
        self.board_number = board_number
        self.start = level_garland(self.level, self.pennants, self.distance)
        self.garland = list(self.start)
        self.moves_used = 0
        self.phase = "playing"

    def _clear(self) -> None:
        super()._clear()
        if self.one_board:
            self._end("cleared")
