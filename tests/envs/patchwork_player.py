"""Patchwork's engine behind the face that the shared cases and the references have."""

from __future__ import annotations

import numpy as np

from quiltrail.agents import RandomLegal
from quiltrail.core.mulberry32 import draws_between
from quiltrail.envs.patchwork.deal import deal
from quiltrail.envs.patchwork.engine import PatchworkEngine
from quiltrail.envs.patchwork.position import STATE
from quiltrail.envs.patchwork.rules import NUM_SLOTS, SHAPE_NAMES, USED
from quiltrail.envs.patchwork.tables import squares_as_words
from tests.cases.patchwork import CannotInject, top_rows
from tests.engine_player import EnginePlayer
from tests.reference.patchwork import Position
from tests.reference.patchwork_quilt import filled_squares


def record_of(position: Position) -> np.void:
    """Return the engine's record of a position, which need not be reachable."""
    record = np.zeros(1, STATE)[0]
    for name in ("seed", "score", "sewn", "streak"):
        record[name] = getattr(position, name)
    record["cursor"] = position.seed
    record["turn"] = position.sewn
    record["quilt"] = squares_as_words(sorted(filled_squares(position.board)))
    record["tray"] = [USED if one is None else SHAPE_NAMES.index(one) for one in position.tray]
    if position.tray == (None,) * NUM_SLOTS:
        deal(record)
    return record


class PatchworkPlayer(EnginePlayer):
    """Row 1 of an engine of three, from any position.

    Raises:
        CannotInject: if the position says what is drawn; the engine draws from its seed only.
    """

    def __init__(self, position: Position) -> None:
        if position.draws is not None:
            raise CannotInject
        super().__init__(PatchworkEngine(3, revive=position.revive), row=1)
        self.engine.restore(np.array([1]), [record_of(position)])
        self._drawn = draws_between(position.seed, self._cursor()) // NUM_SLOTS

    def play(self, action: object) -> str:
        before = self._cursor()
        name = super().play(action)
        drawn = draws_between(before, self._cursor()) // NUM_SLOTS
        self._drawn = drawn or self._drawn
        return name

    def units_cleared(self) -> None:
        return None

    def sets_drawn(self) -> int:
        return self._drawn

    def _cursor(self) -> int:
        return int(self.engine.state["cursor"][self.row])


def started(*rows: str, tray: tuple[str | None, ...], **counters: int) -> PatchworkPlayer:
    """Start from the top rows of a quilt that is empty below them."""
    return PatchworkPlayer(Position(top_rows(*rows), tray, **counters))


def games(count: int, *, revive: bool = False, steps: int = 0) -> PatchworkEngine:
    """Return games of seeds 0, 1, .. after some random play."""
    engine, agent = PatchworkEngine(count, revive=revive), RandomLegal(4)
    engine.reset(np.arange(count), np.arange(count, dtype=np.uint64))
    for _ in range(steps):
        engine.step(agent.act(engine))
    return engine
