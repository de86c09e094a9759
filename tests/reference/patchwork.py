"""Patchwork, slowly and plainly: every question about the quilt is asked anew.

Rules: the published text and RULES, sections "All games" and "Patchwork".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.reference.grammar import Grammar, fault_of_shape
from tests.reference.mulberry32 import Mulberry32
from tests.reference.patchwork_quilt import (
    NAMES,
    SHAPES,
    SIDE,
    SQUARES,
    Stitching,
    covered_squares,
    filled_squares,
    fits_at,
    fits_somewhere,
    inside,
    sew,
    weight,
)
from tests.reference.run import Run

TRAY_SIZE = 3
MAX_SETS = 20
REVIVE_MAX_SQUARES = 3
REVIVE_INDEX = TRAY_SIZE * SIDE * SIDE
FINISH_INDEX = REVIVE_INDEX + 1

GRAMMAR: Grammar = {"place": {"slot": range(TRAY_SIZE), "row": range(SIDE), "col": range(SIDE)}}
GRAMMAR_WITH_REVIVE: Grammar = {**GRAMMAR, "revive": {}, "finish": {}}


@dataclass(frozen=True)
class Position:
    """Where a game starts: by default a new game.

    An empty tray means that a set is dealt first. The stream of `seed` is untouched so far.
    `draws`, if given, are the shapes the dealer draws instead of asking the stream.
    """

    board: tuple[str, ...] = ("." * SIDE,) * SIDE
    tray: tuple[str | None, ...] = (None,) * TRAY_SIZE
    streak: int = 0
    score: int = 0
    sewn: int = 0
    seed: int = 0
    revive: bool = False
    draws: tuple[str, ...] | None = None


class PatchworkReference(Run):
    """Referee one game of Patchwork."""

    def __init__(self, seed: int = 0, revive: bool = False) -> None:
        """Start a new game and deal its first set."""
        self._begin(Position(seed=seed, revive=revive))

    @classmethod
    def from_position(cls, position: Position) -> PatchworkReference:
        """Start from a given position instead of an empty quilt; `turn` starts at its `sewn`."""
        game = cls.__new__(cls)
        game._begin(position)
        return game

    def _begin(self, position: Position) -> None:
        if type(position.seed) is not int:
            raise TypeError(f"a seed is an int, got {position.seed!r}")
        self.stream = Mulberry32(position.seed)
        self.draws = None if position.draws is None else list(position.draws)
        self.quilt = filled_squares(position.board)
        self.tray = list(position.tray)
        self.streak = position.streak
        self.sewn = position.sewn
        self.turn = position.sewn
        self.revive = position.revive
        self.grammar = GRAMMAR_WITH_REVIVE if position.revive else GRAMMAR
        self.revive_used = False
        self.last_stitching: Stitching | None = None
        self._score = position.score
        self._sets_drawn = 0
        self._settle()

    @property
    def score(self) -> int:
        """The points so far."""
        return self._score

    def legal_actions(self) -> list[dict[str, Any]]:
        """Return every legal action in ascending order of its index."""
        if self.phase == "playing":
            return [
                {"type": "place", "slot": slot, "row": row, "col": col}
                for slot, name in enumerate(self.tray)
                for row, col in SQUARES
                if name is not None and fits_at(self.quilt, name, row, col)
            ]
        if self.phase == "stuck":
            return [{"type": "revive"}, {"type": "finish"}]
        return []

    def view(self) -> dict[str, Any]:
        """Return the published observation."""
        return {
            "quilt": [
                "".join("#" if (row, col) in self.quilt else "." for col in range(SIDE))
                for row in range(SIDE)
            ],
            "tray": [None if name is None else _published_patch(name) for name in self.tray],
            "streak": self.streak,
            "patchesSewn": self.sewn,
            "score": self.score,
            "reviveUsed": self.revive_used,
            "phase": self.phase,
            "turn": self.turn,
            "legalActions": self.legal_actions(),
        }

    def units_cleared(self) -> list[str]:
        """Return the units that the last placement stitched away."""
        return [] if self.last_stitching is None else list(self.last_stitching.units)

    def sets_drawn(self) -> int:
        """Return how many whole sets the last deal drew; 0 before any deal."""
        return self._sets_drawn

    def _rule_refusal(self, action: dict[str, Any]) -> str | None:
        if self.phase == "ended":
            return "run-ended"
        if (action["type"] == "place") != (self.phase == "playing"):
            return "wrong-phase"
        if action["type"] == "place":
            return self._placement_fault(action["slot"], action["row"], action["col"])
        return None

    def _apply(self, action: dict[str, Any]) -> None:
        match action["type"]:
            case "place":
                self._place(action["slot"], action["row"], action["col"])
            case "revive":
                self._revive()
            case "finish":
                self.phase = "ended"

    def _placement_fault(self, slot: int, row: int, col: int) -> str | None:
        name = self.tray[slot]
        if name is None:
            return "not-in-tray"
        squares = covered_squares(name, row, col)
        if not inside(squares):
            return "out-of-bounds"
        if squares & self.quilt:
            return "overlap"
        return None

    def _place(self, slot: int, row: int, col: int) -> None:
        name = self.tray[slot]
        assert name is not None
        stitching = sew(self.quilt, covered_squares(name, row, col), self.streak)
        self.last_stitching = stitching
        self.quilt = stitching.quilt
        self.streak = stitching.streak
        self._score += stitching.points
        self.sewn += 1
        self.tray[slot] = None
        self._settle()

    def _revive(self) -> None:
        small = [
            name
            for name in NAMES
            if len(SHAPES[name]) <= REVIVE_MAX_SQUARES and fits_somewhere(self.quilt, name)
        ]
        self.tray = [self._draw(small) for _ in range(TRAY_SIZE)]
        self.revive_used = True
        self._settle()

    def _settle(self) -> None:
        """Deal if the tray is empty, then see whether the game can go on."""
        if self._patches_left() == []:
            self._deal()
        if self._some_patch_fits():
            self.phase = "playing"
        elif self.revive and not self.revive_used:
            self.phase = "stuck"
        else:
            self.phase = "ended"

    def _deal(self) -> None:
        """Draw whole sets until one holds a patch that fits; keep the last one allowed anyway."""
        self._sets_drawn = 0
        while self._sets_drawn < MAX_SETS:
            self.tray = [self._draw(NAMES) for _ in range(TRAY_SIZE)]
            self._sets_drawn += 1
            if self._some_patch_fits():
                return

    def _patches_left(self) -> list[str]:
        return [name for name in self.tray if name is not None]

    def _some_patch_fits(self) -> bool:
        return any(fits_somewhere(self.quilt, name) for name in self._patches_left())

    def _draw(self, names: list[str]) -> str:
        """Draw one of `names`, which are in id order, by the dealing weights."""
        if self.draws is not None:
            return self.draws.pop(0)
        x = self.stream.below(sum(weight(name, self.sewn) for name in names))
        for name in names:
            if x < weight(name, self.sewn):
                return name
            x -= weight(name, self.sewn)
        raise AssertionError("a draw lies below the total weight")

    @staticmethod
    def encode(action: dict[str, Any]) -> int:
        """Return the flat index of a well-formed action.

        Raises:
            ValueError: if the action breaks the grammar.
        """
        fault = fault_of_shape(action, GRAMMAR_WITH_REVIVE)
        if fault is not None:
            raise ValueError(f"{action!r} is no action: {fault}")
        if action["type"] == "revive":
            return REVIVE_INDEX
        if action["type"] == "finish":
            return FINISH_INDEX
        index: int = (action["slot"] * SIDE + action["row"]) * SIDE + action["col"]
        return index

    @staticmethod
    def decode(index: int) -> dict[str, Any]:
        """Return the action with this flat index.

        Raises:
            ValueError: if no action has it.
        """
        if index not in range(FINISH_INDEX + 1):
            raise ValueError(f"no action has index {index}; indices are 0 to {FINISH_INDEX}")
        if index == REVIVE_INDEX:
            return {"type": "revive"}
        if index == FINISH_INDEX:
            return {"type": "finish"}
        slot, square = divmod(index, SIDE * SIDE)
        row, col = divmod(square, SIDE)
        return {"type": "place", "slot": slot, "row": row, "col": col}


def _published_patch(name: str) -> dict[str, Any]:
    """Return a tray patch as view() shows it, cells row by row."""
    return {"shape": NAMES.index(name), "cells": [list(cell) for cell in sorted(SHAPES[name])]}
