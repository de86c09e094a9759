"""Play Patchrook's players on fixed seeds and publish their scores, with 95 % intervals.

    python -m benchmarks.patchrook_baselines [--episodes 400] [--write FILE]

Episodes are those of `quiltrail/Patchrook-v0`: from the lesson on, 256 steps; game seeds count from
0, and nobody banks. Every interval is a percentile bootstrap over the episodes. It takes about ten
seconds of one core.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

from quiltrail.agents import Agent, RandomLegal
from quiltrail.agents.patchrook import LiftWhenStuck, PatchrookSolver, RestartWhenStuck
from quiltrail.envs.patchrook.quilts import quilt_after
from quiltrail.envs.patchrook.rules import BANK, RESTART
from quiltrail.statistics import summarise
from quiltrail.train.evaluate import evaluate

_COMMAND = "python -m benchmarks.patchrook_baselines"

PLAYERS: dict[str, Callable[[], Agent]] = {
    "random: place, lift, restart": lambda: RandomLegal(forbid=(BANK,)),
    "random: place, lift": lambda: RandomLegal(forbid=(BANK, RESTART)),
    "random places, restart when stuck": RestartWhenStuck,
    "random places, lift when stuck, restart 1 in 20": LiftWhenStuck,
    "exact": PatchrookSolver,
}

HEADER = """\
| player | episodes | score, mean | score, median | quilts completed, mean | best score |
|---|---|---|---|---|---|"""


def row_of(title: str, episodes: int) -> str:
    """Return a player's row of the table."""
    result = evaluate(PLAYERS[title](), "patchrook", range(episodes))
    scores = result.summary()
    quilts = np.array([(quilt_after(score) or 1) - 1 for score in result.scores], np.float64)
    return (
        f"| {title} | {episodes} | {scores['mean']} | {scores['median']} "
        f"| {summarise(quilts)['mean']} | {max(result.scores):,} |"
    )


def main() -> None:
    """Print the table, and write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=400, help="of each player")
    parser.add_argument("--write", type=Path, help="a Markdown file for the table")
    arguments = parser.parse_args()
    lines = [HEADER, *(row_of(title, arguments.episodes) for title in PLAYERS)]
    print("\n".join(lines))
    if arguments.write is not None:
        title = f"# What players of Patchrook score\n\nMade by `{_COMMAND}`; seeds from 0.\n\n"
        arguments.write.write_text(title + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
