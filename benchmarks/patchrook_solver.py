"""Time Patchrook's solver on positions of random play: microseconds a position, by template.

    python -m benchmarks.patchrook_solver [--rows 4096] [--steps 40]

Positions are those of uniformly random places and lifts, one walk a row, every step of it. Only the
solver is timed, in one thread, after a warm-up.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from quiltrail.agents import RandomLegal
from quiltrail.envs.patchrook.engine import PatchrookEngine
from quiltrail.envs.patchrook.rules import (
    BANK,
    NEXT,
    NUM_STAGES,
    RESTART,
    STAGE_TEMPLATES,
    TEMPLATES,
)
from quiltrail.envs.patchrook.solver import actions_to_clear, all_covers, solvable

_QUESTIONS: dict[str, Callable[[PatchrookEngine], Any]] = {
    "solvable": solvable,
    "actions to clear": actions_to_clear,
}


def _row_of(quilt: int, rows: int, steps: int) -> str:
    """Return the table's row of a quilt."""
    engine = PatchrookEngine(rows)
    everyone = np.arange(rows)
    engine.reset(everyone, everyone.astype(np.uint64), quilt=np.full(rows, quilt))
    covers = len(all_covers(engine, 0))
    for ask in _QUESTIONS.values():
        ask(engine)
    player = RandomLegal(0, forbid=(NEXT, BANK, RESTART))
    spent = dict.fromkeys(_QUESTIONS, 0.0)
    alive = 0.0
    for _ in range(steps):
        engine.step(player.act(engine))
        for name, ask in _QUESTIONS.items():
            start = time.process_time()
            ask(engine)
            spent[name] += time.process_time() - start
        alive += float(solvable(engine).mean())
    times = (f"{1e6 * spent[name] / (steps * rows):.2f}" for name in _QUESTIONS)
    template = TEMPLATES[STAGE_TEMPLATES[quilt - 1]].name
    return f"| {template} | {covers} | {' | '.join(times)} | {alive / steps:.3f} |"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=40)
    arguments = parser.parse_args()
    print("| template | covers | us: solvable | us: actions to clear | share solvable |")
    print("|---|---|---|---|---|")
    for quilt in range(1, NUM_STAGES + 1):
        if STAGE_TEMPLATES[quilt - 1] not in STAGE_TEMPLATES[: quilt - 1]:
            print(_row_of(quilt, arguments.rows, arguments.steps), flush=True)


if __name__ == "__main__":
    main()
