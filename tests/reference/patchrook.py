"""Referee of Patchrook: sets of squares, and actions of the numbering asked one by one."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.reference.grammar import Grammar, fault_of_shape
from tests.reference.mulberry32 import Mulberry32
from tests.reference.patchrook_quilts import (
    CUT_OUT,
    LABELS,
    Cell,
    Place,
    Quilt,
    all_covers,
    covered_squares,
    draws_for,
    make_quilt,
    rectangle,
    row_major,
    usable_spots,
)
from tests.reference.run import Run

MAX_ORIENTATIONS = 8
MAX_SIDE = 5
EMPTY = "."

GRAMMAR: Grammar = {
    "place": {
        "patchId": LABELS,
        "orientation": range(MAX_ORIENTATIONS),
        "x": range(MAX_SIDE),
        "y": range(MAX_SIDE),
    },
    "lift": {"patchId": LABELS},
    "restart": {},
    "next": {},
    "bank": {},
}
PERMITTED: dict[str, tuple[str, ...]] = {
    "playing": ("place", "lift", "restart", "bank"),
    "cleared": ("next", "bank"),
    "ended": (),
}
FIRST_LIFT = len(LABELS) * MAX_ORIENTATIONS * MAX_SIDE * MAX_SIDE
INDEX_WITHOUT_PATCH = {"restart": 1206, "next": 1207, "bank": 1208}
ACTION_COUNT = 1209


class PatchrookReference(Run):
    """One run of Patchrook.

    Args:
        seed: taken modulo 2**32.
        quilt: number of the quilt on which the fresh run starts; it is the one that this
            seed gives when the quilts before it have been created.
    """

    quilt_number: int
    quilt: Quilt
    placements: dict[str, Place]
    last_quilt_points: int
    grammar = GRAMMAR

    def __init__(self, seed: int = 0, quilt: int = 1) -> None:
        """Start a fresh run."""
        if type(seed) is not int:
            raise TypeError(f"seed must be an int, got {seed!r}")
        if type(quilt) is not int or quilt < 1:
            raise ValueError(f"quilt must be an int from 1 up, got {quilt!r}")
        self._stream = Mulberry32(seed)
        self.seed = self._stream.cursor
        for earlier in range(1, quilt):
            for _ in range(draws_for(earlier)):
                self._stream.next_uint32()
        self.score = 0
        self.turn = 0
        self._spread(quilt)

    @staticmethod
    def encode(action: dict[str, Any]) -> int:
        """Return the flat index of a well-shaped action, whether or not it is legal."""
        refusal = fault_of_shape(action, GRAMMAR)
        if refusal is not None:
            raise ValueError(f"{action!r} has no index: {refusal}")
        if action["type"] in INDEX_WITHOUT_PATCH:
            return INDEX_WITHOUT_PATCH[action["type"]]
        patch = LABELS.index(action["patchId"])
        if action["type"] == "lift":
            return FIRST_LIFT + patch
        plane = patch * MAX_ORIENTATIONS + int(action["orientation"])
        return (plane * MAX_SIDE + int(action["y"])) * MAX_SIDE + int(action["x"])

    @staticmethod
    def decode(index: int) -> dict[str, Any]:
        """Return the action of a flat index, 0 .. 1208."""
        if not 0 <= index < ACTION_COUNT:
            raise ValueError(f"index must be 0 .. {ACTION_COUNT - 1}, got {index}")
        for kind, number in INDEX_WITHOUT_PATCH.items():
            if index == number:
                return {"type": kind}
        if index >= FIRST_LIFT:
            return {"type": "lift", "patchId": LABELS[index - FIRST_LIFT]}
        rest, x = divmod(index, MAX_SIDE)
        rest, y = divmod(rest, MAX_SIDE)
        patch, orientation = divmod(rest, MAX_ORIENTATIONS)
        return _place_action(LABELS[patch], Place(orientation, x, y))

    @property
    def cursor(self) -> int:
        """Return the whole state of the random stream."""
        return self._stream.cursor

    @property
    def tray(self) -> list[str]:
        """Return the patches not laid down, in tray order."""
        return [label for label in self.quilt.tray_order if label not in self.placements]

    def covers(self) -> list[list[dict[str, Any]]]:
        """Return every exact cover of this quilt from empty, each as its place actions."""
        covers = all_covers(self.quilt.usable, self.quilt.patches)
        return [[_place_action(*placed) for placed in sorted(cover.items())] for cover in covers]

    def legal_actions(self) -> list[dict[str, Any]]:
        """Return every action that would be accepted now, ascending by flat index."""
        asked = (every_action()[index] for index in self._worth_asking())
        return [dict(action) for action in asked if self._rule_refusal(action) is None]

    def _worth_asking(self) -> Iterator[int]:
        """Yield the indices of all actions but places that no empty board of this kind allows."""
        for label, choices in self.quilt.patches.items():
            if label not in self.placements:
                for number, cells in enumerate(choices):
                    plane = LABELS.index(label) * MAX_ORIENTATIONS + number
                    for x, y in usable_spots(self.quilt.usable, cells):
                        yield (plane * MAX_SIDE + y) * MAX_SIDE + x
        yield from range(FIRST_LIFT, ACTION_COUNT)

    def view(self) -> dict[str, Any]:
        """Return the published observation."""
        return {
            "width": self.quilt.width,
            "height": self.quilt.height,
            "usable": [square in self.quilt.usable for square in self._squares()],
            "board": self._board(),
            "patches": self._published_patches(),
            "initialOrientations": dict(self.quilt.initial_orientations),
            "trayOrder": list(self.quilt.tray_order),
            "tray": self.tray,
            "placements": {
                label: place._asdict() for label, place in sorted(self.placements.items())
            },
            "phase": self.phase,
            "quilt": self.quilt_number,
            "score": self.score,
            "lastQuiltPoints": self.last_quilt_points,
            "turn": self.turn,
            "legalActions": self.legal_actions(),
        }

    def _squares(self) -> list[Cell]:
        """Return every square of the bounding rectangle, row by row."""
        return list(row_major(rectangle(self.quilt.width, self.quilt.height)))

    def _covered(self) -> dict[Cell, str]:
        """Return the label on every covered square."""
        return {
            square: label
            for label, (orientation, x, y) in self.placements.items()
            for square in covered_squares(self.quilt.patches[label][orientation], x, y)
        }

    def _board(self) -> list[str]:
        """Return the board as text, one string a row."""
        covered = self._covered()
        drawn = [
            covered.get(square, EMPTY if square in self.quilt.usable else CUT_OUT)
            for square in self._squares()
        ]
        width = self.quilt.width
        return ["".join(drawn[start : start + width]) for start in range(0, len(drawn), width)]

    def _published_patches(self) -> dict[str, dict[str, Any]]:
        listed = {
            label: [[list(cell) for cell in orientation] for orientation in choices]
            for label, choices in self.quilt.patches.items()
        }
        return {
            label: {"cells": [list(cell) for cell in choices[0]], "orientations": choices}
            for label, choices in listed.items()
        }

    def _rule_refusal(self, action: dict[str, Any]) -> str | None:
        if self.ended:
            return "run-ended"
        if action["type"] not in PERMITTED[self.phase]:
            return "wrong-phase"
        match action["type"]:
            case "place":
                place = Place(action["orientation"], action["x"], action["y"])
                return self._place_refusal(action["patchId"], place)
            case "lift":
                return self._lift_refusal(action["patchId"])
            case "restart" if not self.placements:
                return "board-empty"
        return None

    def _place_refusal(self, label: str, place: Place) -> str | None:
        """Return the first fault of a placement; each fault is sought on all squares."""
        if label not in self.quilt.patches:
            return "no-such-patch"
        if label in self.placements:
            return "not-in-tray"
        if place.orientation >= len(self.quilt.patches[label]):
            return "no-such-orientation"
        orientation = self.quilt.patches[label][place.orientation]
        squares = covered_squares(orientation, place.x, place.y)
        if not squares <= rectangle(self.quilt.width, self.quilt.height):
            return "out-of-bounds"
        if not squares <= self.quilt.usable:
            return "cut-out"
        if not squares.isdisjoint(self._covered()):
            return "overlap"
        return None

    def _lift_refusal(self, label: str) -> str | None:
        if label not in self.quilt.patches:
            return "no-such-patch"
        if label not in self.placements:
            return "not-placed"
        return None

    def _apply(self, action: dict[str, Any]) -> None:
        match action["type"]:
            case "place":
                place = Place(action["orientation"], action["x"], action["y"])
                self.placements[action["patchId"]] = place
                self._test_for_cover()
            case "lift":
                del self.placements[action["patchId"]]
            case "restart":
                self.placements = {}
            case "next":
                self._spread(self.quilt_number + 1)
            case "bank":
                self.phase = "ended"

    def _test_for_cover(self) -> None:
        """Clear the quilt if every patch is down and every usable square is covered."""
        if not self.tray and self._covered().keys() == self.quilt.usable:
            self.phase = "cleared"
            self.last_quilt_points = self.quilt.award
            self.score += self.last_quilt_points

    def _spread(self, quilt_number: int) -> None:
        """Start a quilt on an empty board."""
        self.quilt_number = quilt_number
        self.quilt = make_quilt(quilt_number, self._stream)
        self.placements = {}
        self.last_quilt_points = 0
        self.phase = "playing"


@cache
def every_action() -> tuple[dict[str, Any], ...]:
    """Return the actions of all flat indices, ascending."""
    return tuple(PatchrookReference.decode(index) for index in range(ACTION_COUNT))


def _place_action(label: str, place: Place) -> dict[str, Any]:
    return {"type": "place", "patchId": label, **place._asdict()}
