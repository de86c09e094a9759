"""An engine row behind the small face of the references, so that both run the same cases."""

from __future__ import annotations

from typing import Any

import numpy as np

from quiltrail.core.engine import Engine
from quiltrail.core.mulberry32 import Mulberry32


class EnginePlayer:
    """Row ``row`` of an engine as a player; the other rows must never change."""

    def __init__(self, engine: Engine, seed: int = 0, row: int = 0, **start: int) -> None:
        self.engine = engine
        self.row = row
        rows = np.array([row])
        where = {name: np.array([value]) for name, value in start.items()}
        engine.reset(rows, np.array([seed % 2**32], np.uint64), **where)

    @property
    def score(self) -> int:
        return int(self.engine.score[self.row])

    @property
    def seed(self) -> int:
        return int(self.engine.game_seed[self.row])

    @property
    def ended(self) -> bool:
        return bool(self.engine.terminated[self.row])

    def legal_actions(self) -> list[dict[str, Any]]:
        return self.engine.legal_actions(self.row)

    def play(self, action: object) -> str:
        verdict = self.engine.submit(self.row, action)
        assert verdict.reason, "every verdict says something"
        return verdict.name

    def view(self) -> dict[str, Any]:
        return self.engine.view(self.row)


def first_draws(seed: int, count: int) -> list[int]:
    """Return the first outputs of the engines' stream of a seed."""
    stream = Mulberry32(seed)
    return [stream.next_uint32() for _ in range(count)]
