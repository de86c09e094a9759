"""Let Tinrail's players meet, and publish how often each wins.

    python -m benchmarks.tinrail_strength [--only ROW ..] [--matches N] [--write]

Each pairing is played from both seats on the same game seeds, from 6,000,000 on, which no training
and no choice of settings has used. Shares have 95 % Wilson intervals, scores (times 1.0) 95 %
bootstrap intervals over matches, time is CPU time. Easy's draws, random play's and the re-deals
come from streams that stand apart, so a row repeats exactly. ``--write`` puts what was measured
into ``docs/tinrail_strength.json`` and the table of ``docs/results.md``. The rows of the searching
players take many minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.results.page import PAGE, put_between
from quiltrail.agents import Agent, make_agent
from quiltrail.agents.tinrail_matches import Meeting, Wavering, meet
from quiltrail.statistics import bootstrap, share
from quiltrail.train.files import read_json, write_json, write_text

_FIRST_SEED = 6_000_000
_WARM_UP = np.array([5_999_999], np.uint64)
MEASUREMENTS = PAGE.with_name("tinrail_strength.json")
MARK, END = "<!-- strength: tinrail -->", "<!-- end of strength -->"

#: By name: who, and how it is made. Two that meet draw from different streams.
PLAYERS: dict[str, tuple[str, Callable[[], Agent]]] = {
    "random": ("random", partial(make_agent, "random", seed=1)),
    "easy": ("Easy", partial(make_agent, "tinrail-easy")),
    "easy-2": ("Easy", partial(make_agent, "tinrail-easy", seed=2)),
    "wise": ("Wise", partial(make_agent, "tinrail-wise")),
    "wise-wavering": (
        "Wise with 10 % random moves",
        lambda: Wavering(make_agent("tinrail-wise"), 0.1, seed=3),
    ),
    "mc100": (
        "Monte Carlo, 100 playouts",
        partial(make_agent, "tinrail-monte-carlo", playouts=100),
    ),
    "mc400": (
        "Monte Carlo, 400 playouts",
        partial(make_agent, "tinrail-monte-carlo", playouts=400),
    ),
    "learned": ("learned value alone", partial(make_agent, "tinrail-learned")),
    "search": ("search, replies by Wise", partial(make_agent, "tinrail-search")),
    "search-self": (
        "search, replies by the learned value",
        partial(make_agent, "tinrail-search", simulations=2000, reply="learned", playout_share=0.0),
    ),
}


class Pairing(NamedTuple):
    """Who meets whom, how many matches from each seat."""

    player: str
    rival: str
    matches: int


ROWS = {
    f"{one.player}-v-{one.rival}": one
    for one in (
        Pairing("easy", "random", 10_000),
        Pairing("wise", "random", 10_000),
        Pairing("easy", "easy-2", 10_000),
        Pairing("wise", "easy", 10_000),
        Pairing("wise", "wise", 10_000),
        Pairing("mc100", "wise", 500),
        Pairing("mc400", "wise", 200),
        Pairing("learned", "random", 5_000),
        Pairing("learned", "easy", 5_000),
        Pairing("learned", "wise", 5_000),
        Pairing("learned", "wise-wavering", 5_000),
        Pairing("learned", "mc100", 500),
        Pairing("search", "wise", 100),
        Pairing("search", "wise-wavering", 100),
        Pairing("search", "easy", 50),
        Pairing("search", "mc100", 50),
        Pairing("search", "learned", 50),
        Pairing("search-self", "wise", 50),
        Pairing("search-self", "wise-wavering", 50),
    )
}


def measure(pairing: Pairing, matches: int) -> dict[str, Any]:
    """Play a pairing and return what came of it as JSON values."""
    player, rival = PLAYERS[pairing.player][1](), PLAYERS[pairing.rival][1]()
    meet(player, rival, _WARM_UP)  # compiles
    seeds = np.arange(_FIRST_SEED, _FIRST_SEED + matches, dtype=np.uint64)
    return _to_json(meet(player, rival, seeds))


def _to_json(meeting: Meeting) -> dict[str, Any]:
    """Return a meeting as JSON values."""
    first, second = meeting.as_first.outcome, -meeting.as_second.outcome
    outcomes = meeting.outcomes
    lengths = np.concatenate([meeting.as_first.placements, meeting.as_second.placements])
    return {
        "matches_a_seat": len(first),
        "as_first": [float((first == k).mean()) for k in (1, 0, -1)],
        "as_second": [float((second == k).mean()) for k in (1, 0, -1)],
        "wins": share(int((outcomes == 1).sum()), len(outcomes)).to_json(),
        "draws": float((outcomes == 0).mean()),
        "score": bootstrap([meeting.scores], np.mean).to_json(),
        "placements": float(lengths.mean()),
        "milliseconds_a_decision": round(meeting.milliseconds, 4),
        "longest_call_milliseconds_a_decision": round(meeting.longest, 4),
    }


def table(measured: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the measured rows as lines of Markdown."""
    lines = [
        "| player | against | matches | wins [95 %] | draws | score [95 %] | CPU ms a move |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, pairing in ROWS.items():
        if name in measured:
            one = measured[name]
            wins = "{value:.3f} [{low:.3f}, {high:.3f}]".format(**one["wins"])
            score = "{value:.1f} [{low:.1f}, {high:.1f}]".format(**one["score"])
            lines.append(
                f"| {PLAYERS[pairing.player][0]} | {PLAYERS[pairing.rival][0]} "
                f"| {2 * one['matches_a_seat']:,} | {wins} | {one['draws']:.3f} | {score} "
                f"| {one['milliseconds_a_decision']:.3f} |"
            )
    return lines


def write(name: str, one: dict[str, Any]) -> None:
    """Add a measurement to those of other rows, and write the table into its place on the page."""
    measured = (read_json(MEASUREMENTS) or {}) | {name: one}
    kept = {row: measured[row] for row in ROWS if row in measured}
    write_json(MEASUREMENTS, kept)
    page = PAGE.read_text(encoding="utf-8")
    write_text(PAGE, put_between(page, MARK, END, "\n".join(table(kept))))


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=ROWS, default=[*ROWS])
    parser.add_argument("--matches", type=int, help="from each seat, instead of each row's own")
    parser.add_argument("--write", action="store_true", help="into docs")
    arguments = parser.parse_args()
    measured = {}
    for name in arguments.only:
        measured[name] = measure(ROWS[name], arguments.matches or ROWS[name].matches)
        print(name, measured[name], flush=True)
        if arguments.write:
            write(name, measured[name])
    print("\n".join(table(measured)))


if __name__ == "__main__":
    main()
