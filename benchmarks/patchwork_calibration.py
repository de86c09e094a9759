"""Play Patchwork's players on fixed seeds and publish how far they get, with 95 % intervals.

    python -m benchmarks.patchwork_calibration [--only random greedy ..] [--write FILE]

The two published facts are that placing patches at random fills the quilt in about 20, and that
half of the games of a computer player which tries every placement passed 840. The dealing schedule
is ours and was chosen so that both hold; this command shows that they do. Game seeds count from 0;
every interval is a percentile bootstrap over the games. All of it takes about three minutes of one
core, most of it for the widest beam.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quiltrail.agents import Agent, RandomLegal
from quiltrail.agents.patchwork import PatchworkBeam, PatchworkGreedy
from quiltrail.statistics import summarise
from quiltrail.train.evaluate import evaluate

_COMMAND = "python -m benchmarks.patchwork_calibration"


@dataclass(frozen=True)
class Player:
    """A row of the table: who plays, and how many games."""

    title: str
    make: Callable[[], Agent]
    games: int


_PLAYERS = {
    "random": Player("random, uniform over legal placements", RandomLegal, 50_000),
    "greedy": Player("greedy, one patch ahead", PatchworkGreedy, 10_000),
    "beam-4": Player("whole tray, beam 4", lambda: PatchworkBeam(4), 400),
    "beam-16": Player("whole tray, beam 16", lambda: PatchworkBeam(16), 400),
    "beam-64": Player("whole tray, beam 64", lambda: PatchworkBeam(64), 400),
}

_HEADER = """\
| player | games | patches, median | patches, mean | 5 % to 95 % | score, median | us a patch |
|---|---|---|---|---|---|---|"""


def _row_of(player: Player, games: int, limit: int | None = None) -> str:
    """Return a player's row of the table; ``limit`` patches a game, by default the id's."""
    agent = player.make()
    evaluate(agent, "patchwork", [0])  # compiles
    start = time.process_time()
    result = evaluate(agent, "patchwork", range(games), max_episode_steps=limit)
    spent = time.process_time() - start
    patches = summarise(np.array(result.lengths))
    low, high = np.percentile(result.lengths, [5, 95])
    scores = result.summary()
    mean = patches["mean"]
    return (
        f"| {player.title} | {games:,} | {patches['median']} "
        f"| {mean.value:,.2f} [{mean.low:,.2f}, {mean.high:,.2f}] | {low:,.0f} to {high:,.0f} "
        f"| {scores['median']} | {1e6 * spent / sum(result.lengths):.1f} |"
    )


def main() -> None:
    """Print the table, and write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=_PLAYERS, default=list(_PLAYERS))
    parser.add_argument("--games", type=int, help="games of each player, instead of its own number")
    parser.add_argument("--write", type=Path, help="a Markdown file for the table")
    arguments = parser.parse_args()
    lines = [_HEADER]
    print(_HEADER)
    for name in arguments.only:
        lines.append(_row_of(_PLAYERS[name], arguments.games or _PLAYERS[name].games))
        print(lines[-1], flush=True)
    if arguments.write is not None:
        title = f"# How far players of Patchwork get\n\nMade by `{_COMMAND}`; seeds from 0.\n\n"
        arguments.write.write_text(title + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
