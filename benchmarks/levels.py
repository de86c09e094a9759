"""Time levels: resets of a batch with the table cold and warm, and making levels.

    python -m benchmarks.levels [--rows 1024] [--repeats 5]

One process, one thread, seconds of CPU time after a warm-up that compiles. Cold means that the
table of levels is emptied before the reset (the memory of partition counts too in the column that
says so); warm means that the same levels are dealt again. The columns with a difficulty deal only
wanted levels, so that a cold reset makes several for each.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from quiltrail.core.engine import Engine
from quiltrail.envs.patchrook.levels import PatchrookLevelsEngine
from quiltrail.envs.patchrook.levels_partitions import partition_memo
from quiltrail.envs.sunpleat.levels import SunpleatLevelsEngine

_PATCHROOK: dict[str, dict[str, Any]] = {
    "any": {},
    "any, 1,000 levels": {"num_levels": 1000},
    "d 4 to 7": {"difficulty": (4, 7)},
    "d 7 to 10": {"difficulty": (7, 10)},
    "d 10 to 11": {"difficulty": (10, 11)},
    "d from 11 on": {"difficulty": (11, 20)},
    "at most 4 covers": {"max_covers": 4},
    "5 x 5, 6 patches": {"size": 5, "cutouts": 0, "patches": 6},
    "5 x 5, 1 to 5 cut-outs": {"size": 5, "cutouts": (1, 5)},
}
_SUNPLEAT: dict[str, dict[str, Any]] = {
    "n = 5": {},
    "n = 7": {"n": 7},
    "n = 7, distance 1 to 14": {"n": 7, "distance": (1, 14)},
    "n = 8": {"n": 8},
    "n = 10": {"n": 10},
}


def _empty(engine: Any, forget_counts: bool) -> None:
    engine.source.table["is_known"] = False
    if forget_counts:
        partition_memo()[:] = 0


def _seconds(engine: Engine, repeats: int, *, cold: bool, forget_counts: bool = False) -> float:
    """Return the best time of a reset of all rows."""
    rows = np.arange(engine.num_games)
    best = np.inf
    for repeat in range(repeats):
        seeds = rows.astype(np.uint64) + np.uint64(1000 * repeat if cold else 0)
        if cold:
            _empty(engine, forget_counts)
        else:
            engine.reset(rows, seeds)
        start = time.process_time()
        engine.reset(rows, seeds)
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1024)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    print("| game | levels | cold, counts forgotten | cold | warm | warm resets a second |")
    print("|---|---|---|---|---|---|")
    for make, families in ((PatchrookLevelsEngine, _PATCHROOK), (SunpleatLevelsEngine, _SUNPLEAT)):
        for name, settings in families.items():
            engine: Any = make(arguments.rows, **settings)
            times = [
                _seconds(engine, arguments.repeats, cold=True, forget_counts=True),
                _seconds(engine, arguments.repeats, cold=True),
                _seconds(engine, arguments.repeats, cold=False),
            ]
            each = [f"{1e6 * one / arguments.rows:,.2f} us" for one in times]
            rate = f"{arguments.rows / times[2]:,.0f}"
            print(f"| {engine.game} | {name} | {' | '.join(each)} | {rate} |", flush=True)


if __name__ == "__main__":
    main()
