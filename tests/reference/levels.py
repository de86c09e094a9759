"""Referee of levels: which level a run takes, which part a board is of (RULES, "Levels")."""

from collections.abc import Callable
from typing import Any

from tests.reference.mulberry32 import MASK, Mulberry32

CHOICE_STREAM = 0xBF58476D
TEST_ONE_IN = 5


def mixed(digest: int, value: int) -> int:
    """Return the first output of the stream seeded with the two, one XOR the other."""
    return Mulberry32(digest ^ value).next_uint32()


def part(values: list[int]) -> str:
    """Return the part of a board that these numbers stand for."""
    digest = 0
    for value in values:
        digest = mixed(digest, value)
    return "test" if digest % TEST_ONE_IN == 0 else "train"


class LevelChoice:
    """The levels of one run, in order.

    Args:
        seed: the game seed.
        start_level: the first level of the set.
        num_levels: how many there are, 0 for all.
        is_wanted: tells whether a level may be taken; others are passed over.
    """

    def __init__(
        self,
        seed: int,
        start_level: int,
        num_levels: int,
        is_wanted: Callable[[int], Any],
    ) -> None:
        self.stream = Mulberry32((seed & MASK) ^ CHOICE_STREAM)
        self.start_level = start_level
        self.count = num_levels or MASK + 1
        self.is_wanted = is_wanted

    def next_level(self) -> int:
        """Return the next level that is wanted."""
        while True:
            level = (self.start_level + self.stream.below(self.count)) & MASK
            if self.is_wanted(level):
                return level
