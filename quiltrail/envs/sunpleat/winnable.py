"""Positions of Sunpleat to start training from."""

from __future__ import annotations

import numpy as np

from quiltrail.core.array_types import Record
from quiltrail.envs.sunpleat import rules
from quiltrail.envs.sunpleat.engine import SunpleatEngine
from quiltrail.envs.sunpleat.par import distance_table, rank_of

Garland = tuple[int, ...]


def winnable_positions() -> list[list[Record]]:
    """Return for each template every garland of it that can still be cleared within the budget.

    A garland counts if flips enough are left after the fewest that lead to it; it stands with
    just those moves used, on a fresh run's first three leaves. The first of each list is the
    template's own start.
    """
    engine = SunpleatEngine(1)
    return [_positions_of(engine, board) for board in range(1, rules.NUM_TEMPLATES + 1)]


def _positions_of(engine: SunpleatEngine, board: int) -> list[Record]:
    engine.reset(np.array([0]), np.zeros(1, np.uint64), board=np.array([board]))
    state = engine.get_state(0)
    n, budget = state["n"], state["par"] + rules.SPARE_MOVES
    table = distance_table(n)
    records = []
    for garland, used in _reached(tuple(state["garland"][:n]), budget - 1).items():
        needed = int(table[rank_of(np.array(garland, np.int8), n)])
        if 0 < needed <= budget - used:
            padded = [*garland, *[0] * (rules.MAX_PENNANTS - n)]
            changes = {"garland": padded, "moves_used": used, "turn": used}
            records.append(engine.parse_state({**state, **changes}))
    return records


def _reached(start: Garland, most_moves: int) -> dict[Garland, int]:
    """Return each garland within some flips of a start, with the fewest that lead to it.

    Paths do not go through the target, where the board would be cleared.
    """
    target = tuple(range(1, len(start) + 1))
    reached, frontier = {start: 0}, [start]
    for moves in range(1, most_moves + 1):
        found = [_flipped(one, k) for one in frontier if one != target for k in range(len(one))]
        frontier = [one for one in dict.fromkeys(found) if one not in reached]
        reached |= dict.fromkeys(frontier, moves)
    return reached


def _flipped(garland: Garland, last: int) -> Garland:
    """Return a garland with the places 0 .. last reversed and turned over."""
    return tuple(-pennant for pennant in reversed(garland[: last + 1])) + garland[last + 1 :]
