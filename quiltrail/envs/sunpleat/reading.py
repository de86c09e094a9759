"""Reading a published view of Sunpleat back into a record; nothing is hidden."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from quiltrail.core.array_types import Record
from quiltrail.core.engine import Engine
from quiltrail.envs.sunpleat.rules import END_REASONS, PHASES, START_GARLANDS


def record_of(engine: Engine, view: Mapping[str, Any]) -> Record:
    """Return the record whose view this is.

    Raises:
        KeyError, ValueError, TypeError, IndexError: if it is no view of this game.
    """
    game = np.zeros(1, engine.state.dtype)[0]
    n = int(view["n"])
    game["board"] = view["boardNumber"]
    game["n"] = n
    game["par"] = view["exactPar"]
    game["moves_used"] = view["movesUsed"]
    game["garland"][:n] = view["garland"]
    game["start"] = START_GARLANDS[int(view["templateIndex"]) - 1]
    game["leaves"] = view["leaves"]
    game["phase"] = PHASES.index(view["phase"])
    game["end_reason"] = END_REASONS.index(view["endReason"])
    game["score"] = view["score"]
    game["cleared"] = view["clearedBoards"]
    game["last_award"] = view["lastAward"]
    game["turn"] = view["turn"]
    return game
