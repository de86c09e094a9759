"""Patchrook's engine behind the face that the shared cases have, and quilts to start at."""

from __future__ import annotations

import numpy as np

from quiltrail.envs.patchrook.engine import PatchrookEngine
from tests.engine_player import EnginePlayer


def engine_at(quilt: int, num_games: int = 1, seed: int = 0) -> PatchrookEngine:
    engine = PatchrookEngine(num_games)
    rows = np.arange(num_games)
    engine.reset(rows, (rows + seed).astype(np.uint64), quilt=np.full(num_games, quilt))
    return engine


class QuiltPlayer(EnginePlayer):
    @property
    def cursor(self) -> int:
        return int(self.engine.state["cursor"][self.row])
