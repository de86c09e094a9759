"""A league's table: everybody meets everybody from both seats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents import Agent, make_agent
from quiltrail.agents.tinrail_learned import TinrailLearned
from quiltrail.agents.tinrail_matches import meet
from quiltrail.agents.tinrail_network import Network, load_networks
from quiltrail.statistics import Summary, share
from quiltrail.train.files import write_json, write_text
from quiltrail.train.league.ratings import Rating, rate
from quiltrail.train.plots import plot_bands, plot_payoffs

_LEARNER = "learner"
_ANCHOR = "tinrail-wise"
_BOTS = ("random", "tinrail-easy", _ANCHOR)


@dataclass(frozen=True)
class League:
    """What came of a league.

    Attributes:
        names: of its P players: bots, snapshots in the order of their steps, the learner last.
        steps: after how many steps each snapshot, and the learner, was taken.
        wins: (P, P) int64, matches that the row's player won against the column's.
        draws: (P, P) int64, symmetric.
        matches: of each pair, half of them from either seat.
        ratings: by Bradley-Terry, Wise at 0.
    """

    names: list[str]
    steps: dict[str, int]
    wins: NDArray[np.int64]
    draws: NDArray[np.int64]
    matches: int
    ratings: list[Rating]

    def win_share(self, row: int, column: int) -> Summary:
        """Return the share of matches that one won against another, with its interval."""
        return share(int(self.wins[row, column]), self.matches)

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "names": self.names,
            "steps": self.steps,
            "matches": self.matches,
            "wins": self.wins.tolist(),
            "draws": self.draws.tolist(),
            "ratings": {one.name: one.elo.to_json() for one in self.ratings},
        }


def play_league(path: Path, *, matches: int, playouts: int, first_seed: int = 0) -> League:
    """Let a learner of ``tinrail_league``, its snapshots and the bots meet.

    Args:
        path: the model that the run has saved.
        matches: of each pair from each seat.
        playouts: of the Monte-Carlo player; with 0 there is none.
        first_seed: game seeds count from here.

    Raises:
        ModelMismatchError: if the file holds no networks.
    """
    network, steps = load_networks(path)
    taken = {f"snapshot-{n}": int(at) for n, at in enumerate(steps[1:].tolist(), 1)}
    taken[_LEARNER] = int(steps[0])
    seeds = np.arange(first_seed, first_seed + matches, dtype=np.uint64)
    return _meet_all(_players(network, playouts), taken, seeds)


def _players(network: Network, playouts: int) -> dict[str, Agent]:
    players = {name: make_agent(name) for name in _BOTS}
    if playouts:
        players["tinrail-monte-carlo"] = make_agent("tinrail-monte-carlo", playouts=playouts)
    for member in range(1, len(network.bias)):
        players[f"snapshot-{member}"] = TinrailLearned(network, member)
    players[_LEARNER] = TinrailLearned(network)
    return players


def _meet_all(
    players: Mapping[str, Agent], steps: dict[str, int], seeds: NDArray[np.uint64]
) -> League:
    names = list(players)
    wins, draws = (np.zeros((len(names), len(names)), np.int64) for _ in range(2))
    for one, other in combinations(range(len(names)), 2):
        outcomes = meet(players[names[one]], players[names[other]], seeds).outcomes
        wins[one, other] = (outcomes == 1).sum()
        wins[other, one] = (outcomes == -1).sum()
        draws[one, other] = draws[other, one] = (outcomes == 0).sum()
    ratings = rate(names, wins + draws / 2, _ANCHOR)  # a draw is half a point
    return League(names, steps, wins, draws, 2 * len(seeds), ratings)


def write_league(league: League, folder: Path) -> None:
    """Write league.json, LEAGUE.md, payoffs.png and ratings.png into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "league.json", league.to_json())
    write_text(folder / "LEAGUE.md", "\n".join(league_lines(league)) + "\n")
    shares = league.wins / league.matches
    np.fill_diagonal(shares, np.nan)
    plot_payoffs(league.names, shares, "share of matches won, row v column", folder / "payoffs.png")
    _plot_ratings(league, folder / "ratings.png")


def league_lines(league: League) -> list[str]:
    """Return the table of ratings and of the learner's results, as lines of Markdown."""
    learner = league.names.index(_LEARNER)
    lines = [
        "| player | steps | rating [95 %] | the learner wins [95 %] | draws |",
        "|---|---|---|---|---|",
    ]
    for row, one in enumerate(league.ratings):
        steps = f"{league.steps[one.name]:,}" if one.name in league.steps else "-"
        wins, draws = "-", "-"
        if row != learner:
            wins = league.win_share(learner, row).text(".3f")
            draws = f"{league.draws[learner, row] / league.matches:.3f}"
        lines.append(f"| {one.name} | {steps} | {one.elo.text('+.0f')} | {wins} | {draws} |")
    seats = league.matches // 2
    lines += ["", f"{seats:,} matches of each pair from each seat; ratings in Elo, Wise at 0."]
    return lines


def _plot_ratings(league: League, path: Path) -> None:
    """Draw the ratings of snapshots and learner over their steps, and those of the bots."""
    rated = {one.name: one.elo for one in league.ratings}
    places = np.array(sorted(league.steps.values()), np.float64)

    def band(names: list[str]) -> NDArray[np.float64]:
        return np.array([[rated[n].value, rated[n].low, rated[n].high] for n in names]).T

    taken = sorted(league.steps, key=lambda name: league.steps[name])
    bands = {"learner": (places, band(taken))}
    for name in league.names:
        if name not in league.steps:
            bands[name] = (places, band([name] * len(places)))
    plot_bands(bands, ("training steps", "rating, Elo"), "ratings", path)
