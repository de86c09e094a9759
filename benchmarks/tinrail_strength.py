"""Let Tinrail's players meet, and print how often each wins, with 95 % Wilson intervals.

    python -m benchmarks.tinrail_strength [--matches 20000] [--playouts 100 400] [--mc-matches 500]

Matches are those of seeds 0, 1, ..; each pairing is played from both seats on the same seeds. The
Monte-Carlo player (Wise's playouts) meets Wise; for it the table also says how many milliseconds of
CPU time a decision takes. Easy's draws, random play's and the re-deals come from streams that stand
apart, so a row repeats exactly.
"""

from __future__ import annotations

import argparse
import time
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.tinrail_monte_carlo import MonteCarlo
from quiltrail.envs.tinrail.engine import TinrailEngine
from quiltrail.envs.tinrail.league import play_matches
from quiltrail.envs.tinrail.solo import TinrailSoloEngine

_PAIRINGS = (
    ("easy", "random"),
    ("wise", "random"),
    ("wise", "easy"),
    ("easy", "easy"),
    ("wise", "wise"),
)
_NORMAL_QUANTILE = 1.959964  # of 97.5 %


def wilson(wins: int, matches: int) -> tuple[float, float]:
    """Return the 95 % interval of a share. Source: E. B. Wilson (1927)."""
    z2 = _NORMAL_QUANTILE**2
    share = wins / matches
    middle = (share + z2 / (2 * matches)) / (1 + z2 / matches)
    half = sqrt(share * (1 - share) / matches + z2 / (4 * matches**2))
    half *= _NORMAL_QUANTILE / (1 + z2 / matches)
    return middle - half, middle + half


def row_of(name: str, first: NDArray[np.int64], second: NDArray[np.int64], extra: str) -> str:
    """Return a row of the table from the outcomes (+1, 0, -1) in either seat."""
    shares = [" ".join(f"{(side == k).mean():.4f}" for k in (1, 0, -1)) for side in (first, second)]
    outcomes = np.concatenate([first, second])
    wins = int((outcomes == 1).sum())
    low, high = wilson(wins, len(outcomes))
    return (
        f"| {name} | {len(first):,} | {shares[0]} | {shares[1]} "
        f"| {wins / len(outcomes):.4f} [{low:.4f}, {high:.4f}] | {extra} |"
    )


def bots_row(one: str, other: str, matches: int) -> str:
    """Return the row of two bots."""
    seeds = np.arange(matches, dtype=np.uint64)
    first, second = play_matches(seeds, one, other), play_matches(seeds, other, one)
    length = np.concatenate([first.placements, second.placements]).mean()
    return row_of(f"{one} v {other}", first.outcome, -second.outcome, f"{length:.1f} placements")


def search_row(playouts: int, matches: int) -> str:
    """Return the row of the Monte-Carlo player against Wise."""
    agent = MonteCarlo(playouts)
    agent.act(TinrailEngine(1))  # compiles
    sides, decisions, spent = [], 0, 0.0
    for seat in (0, 1):
        engine = TinrailSoloEngine(matches, opponent="wise", seat=seat, reward="outcome")
        engine.reset(np.arange(matches), np.arange(matches, dtype=np.uint64))
        outcomes = np.zeros(matches, np.int64)
        while not engine.terminated.all():
            decisions += int((engine.state["result"] == 0).sum())
            start = time.process_time()
            actions = agent.act(engine)
            spent += time.process_time() - start
            engine.step(actions)
            outcomes += engine.reward.astype(np.int64)
        sides.append(outcomes)
    return row_of(f"MC{playouts} v wise", *sides, f"{1000 * spent / decisions:.2f} ms a decision")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=20_000, help="of two bots, a seat")
    parser.add_argument("--playouts", type=int, nargs="*", default=[100, 400])
    parser.add_argument("--mc-matches", type=int, default=500, help="of Monte Carlo, a seat")
    arguments = parser.parse_args()
    print("| A v B | a seat | A first: w d l | A second: w d l | A wins [95 %] | |")
    print("|---|---|---|---|---|---|")
    if arguments.matches:
        for one, other in _PAIRINGS:
            print(bots_row(one, other, arguments.matches), flush=True)
    for playouts in arguments.playouts:
        print(search_row(playouts, arguments.mc_matches), flush=True)


if __name__ == "__main__":
    main()
