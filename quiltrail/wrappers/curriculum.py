"""Curriculum: levels of growing difficulty, harder once the present ones are cleared.

A `Curriculum` keeps the statistics. Three thin faces use it: `CurriculumEnv` around a single
environment, `CurriculumVectorEnv` around a native vector environment
(`quiltrail.wrappers.curriculum_envs`), and the argument ``starts`` of the SB3 VecEnv, which takes a
`Curriculum` itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import Rows
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, StateError, shown, unknown_name_text
from quiltrail.core.levelled_engine import LevelledEngine

#: What bins may be of. Difficulty is exact, so it knows solutions; size is the number of pieces.
_MEASURES = ("difficulty", "size")

#: Bins of PatchrookLevels' difficulty; the seven published templates have 1.4 to 12.6.
PATCHROOK_BINS = (0.0, 4.0, 7.0, 10.0, 20.0)

_NOT_COUNTED = -1
_LARGEST_INT = 2**63


class Curriculum:
    """Bins of difficulty, and how the last episodes in the present bin went.

    The first bin is the easiest. As soon as ``window`` episodes of the present bin are counted and
    at least the share ``threshold`` of the last ``window`` was cleared, the next bin begins; the
    last stays for ever. Episodes that were begun in an earlier bin, and those broken off by a
    reset, do not count; a truncated one counts as not cleared.

    Args:
        edges: ascending difficulties; bin k is from edges[k] on and below edges[k + 1].
        threshold: the share of cleared episodes that opens the next bin, above 0, at most 1.
        window: how many episodes are looked at.
        measure: what the edges are: "difficulty", or "size" (patches, pennants), which takes no
            solution.

    Raises:
        OptionError: if an argument is not allowed.
    """

    def __init__(
        self,
        edges: Sequence[float] = PATCHROOK_BINS,
        *,
        threshold: float = 0.8,
        window: int = 50,
        measure: str = "difficulty",
    ) -> None:
        if not _are_edges(edges):
            raise OptionError(
                f"edges are two or more ascending numbers from 0 on, got {shown(edges)}"
            )
        if not _is_number(threshold) or not 0 < threshold <= 1:
            raise OptionError(f"threshold is a share above 0 and at most 1, got {shown(threshold)}")
        check_int("window", window, 1)
        if measure not in _MEASURES:
            raise OptionError(unknown_name_text("measure", measure, _MEASURES))
        self.measure = measure
        self.edges = tuple(float(edge) for edge in edges)
        self.threshold = threshold
        self.window = window
        self.bin = 0
        self._recent: list[bool] = []
        self._begun_in: dict[int, int] = {}  # row -> bin

    @property
    def num_bins(self) -> int:
        """How many bins there are."""
        return len(self.edges) - 1

    @property
    def cleared_share(self) -> float:
        """The share of the counted episodes that were cleared; 0 before the first."""
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    def levels(self, engine: Engine, rows: Rows, seeds: NDArray[Any]) -> list[int | None]:
        """Begin counted episodes in rows; return a level of the present bin for each of them.

        Args:
            engine: the games.
            rows: those that begin.
            seeds: (R,) what chooses the levels: the game seeds, or any others.

        Returns:
            B entries, None in the other rows.
        """
        levelled = check_levelled(engine)
        low, high = self.edges[self.bin : self.bin + 2]
        find = levelled.levels_of_size if self.measure == "size" else levelled.levels_between
        chosen: list[int | None] = [None] * engine.num_games
        for row, seed in zip(rows.tolist(), seeds.tolist(), strict=True):
            chosen[row] = find(int(seed), 1, low, high)[0]
            self._begun_in[row] = self.bin
        return chosen

    def leave_out(self, rows: Rows) -> None:
        """Do not count what these rows are playing."""
        for row in rows.tolist():
            self._begun_in.pop(row, None)

    def record(self, rows: Rows, cleared: NDArray[np.bool_]) -> None:
        """Take note of ended episodes, in this order; ``cleared`` is (R,)."""
        for row, is_cleared in zip(rows.tolist(), cleared.tolist(), strict=True):
            if self._begun_in.pop(row, _NOT_COUNTED) != self.bin:
                continue
            self._recent = [*self._recent, is_cleared][-self.window :]
            is_full = len(self._recent) == self.window
            if is_full and self.cleared_share >= self.threshold and self.bin + 1 < self.num_bins:
                self.bin += 1
                self._recent = []

    def __call__(self, engine: Engine, rows: Rows, rng: np.random.Generator) -> dict[str, Any]:
        """Record how the games in rows ended and choose their next levels: a `StartSampler`."""
        check_levelled(engine)
        assert engine.success is not None
        self.record(rows, engine.success[rows] & engine.terminated[rows])
        seeds = rng.integers(2**32, size=len(rows), dtype=np.uint64)
        return {"level": self.levels(engine, rows, seeds)}

    def get_state(self) -> dict[str, Any]:
        """Return the statistics as JSON values."""
        return {
            "edges": list(self.edges),
            "measure": self.measure,
            "threshold": self.threshold,
            "window": self.window,
            "bin": self.bin,
            "recent": list(self._recent),
            "begun_in": [[row, begun] for row, begun in sorted(self._begun_in.items())],
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from statistics of `get_state`.

        Raises:
            StateError: if they are of another curriculum or impossible; nothing has changed then.
        """
        self._check_settings(state)
        present, recent, begun_in = state["bin"], state["recent"], state["begun_in"]
        if type(present) is not int or not 0 <= present < self.num_bins:
            raise StateError(f'state field "bin" is 0 to {self.num_bins - 1}, got {shown(present)}')
        if not _are_booleans(recent, self.window):
            raise StateError(
                f'state field "recent" is up to {self.window} booleans: {shown(recent)}'
            )
        if not _are_begun(begun_in, present):
            raise StateError(
                f'state field "begun_in" is pairs of row and bin, got {shown(begun_in)}'
            )
        self.bin = present
        self._recent = list(recent)
        self._begun_in = dict(begun_in)

    def _check_settings(self, state: Mapping[str, Any]) -> None:
        """Refuse a state without the fields of one, or of a curriculum with other arguments."""
        own = self.get_state()
        if not isinstance(state, Mapping) or set(state) != set(own):
            raise StateError(
                f"a curriculum's state has the fields {', '.join(own)}: {shown(state)}"
            )
        for name in ("edges", "measure", "threshold", "window"):
            if state[name] != own[name]:
                raise StateError(
                    f'state field "{name}" has to be {own[name]}, got {shown(state[name])}'
                )


def _is_number(value: object) -> bool:
    """Return whether a value is a float, or an int that a float can stand for."""
    if type(value) is int:
        return abs(value) < _LARGEST_INT
    return isinstance(value, (float, np.integer, np.floating))


def _are_edges(edges: object) -> bool:
    """Return whether these are two or more ascending numbers from 0 on."""
    if not isinstance(edges, (list, tuple)) or not all(map(_is_number, edges)):
        return False
    return len(edges) > 1 and edges[0] >= 0 and all(low < high for low, high in pairwise(edges))


def _are_booleans(values: object, most: int) -> bool:
    """Return whether this is a list of so many booleans at most."""
    if not isinstance(values, list) or len(values) > most:
        return False
    return all(type(one) is bool for one in values)


def _are_begun(pairs: object, present: int) -> bool:
    """Return whether these are pairs of a row and a bin, up to the present one."""
    return isinstance(pairs, list) and all(
        isinstance(one, (list, tuple))
        and [type(part) for part in one] == [int, int]
        and one[0] >= 0
        and 0 <= one[1] <= present
        for one in pairs
    )


def check_levelled(engine: Engine) -> LevelledEngine:
    """Return an engine that a curriculum can steer.

    Raises:
        OptionError: if its boards are no levels, or clearing one does not end a run.
    """
    if not isinstance(engine, LevelledEngine):
        raise OptionError(f"a curriculum needs an environment of levels, not {engine.game}")
    if not engine.settings.get("one_board"):
        raise OptionError("a curriculum needs an environment made with one_board=True")
    return engine
