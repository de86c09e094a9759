"""Reading a published view of Patchwork back into a record; what will be dealt is hidden."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from quiltrail.core.array_types import Record
from quiltrail.core.engine import Engine
from quiltrail.envs.patchwork.rules import ENDED, PHASES, REVIVE_DECLINED, REVIVE_USED, USED
from quiltrail.envs.patchwork.tables import squares_as_words


def record_of(engine: Engine, view: Mapping[str, Any]) -> Record:
    """Return a record with this view; the cursor of its deals and its fabrics are made up.

    Raises:
        KeyError, ValueError, TypeError, IndexError: if it is no view of this game.
    """
    game = np.zeros(1, engine.state.dtype)[0]
    filled = [
        (r, c) for r, row in enumerate(view["quilt"]) for c, at in enumerate(row) if at == "#"
    ]
    game["quilt"] = squares_as_words(filled)
    game["tray"] = [USED if one is None else one["shape"] for one in view["tray"]]
    game["streak"] = view["streak"]
    game["sewn"] = view["patchesSewn"]
    game["score"] = view["score"]
    game["turn"] = view["turn"]
    if view["reviveUsed"]:
        game["revive"] = REVIVE_USED
    elif view["phase"] == PHASES[ENDED]:
        game["revive"] = REVIVE_DECLINED
    return game
