"""The tables of docs/results.md, put between its markers; the prose around them is hand-written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.results.rows import Row, is_stale
from quiltrail.envs import find_game

_DOCS = Path(__file__).parents[2] / "docs"
PAGE = _DOCS / "results.md"
MEASUREMENTS = _DOCS / "results.json"

_HEAD = """\
| agent | score [95 %] | over | won, in budget | steps a game | training steps | training, CPU s (wall s) | CPU us a step |
|---|---|---|---|---|---|---|---|"""  # noqa: E501
_MISSING = "not measured yet"


def fill(page: str, rows: Mapping[str, Row], measured: Mapping[str, dict[str, Any]]) -> str:
    """Return the page with the table of every environment put between its markers.

    Raises:
        ValueError: if the page has no place for one of them, or a place that no row fills.
    """
    tables = {
        env: _table(env, rows, measured) for env in dict.fromkeys(r.env for r in rows.values())
    }
    places = re.findall(r"<!-- results: (\S+) -->", page)
    if sorted(places) != sorted(tables):
        raise ValueError(f"the page has places for {places}, the table has rows for {[*tables]}")
    for env, table in tables.items():
        page = put_between(page, f"<!-- results: {env} -->", "<!-- end of results -->", table)
    return page


def put_between(page: str, mark: str, end: str, text: str) -> str:
    """Return the page with what lies between two marks replaced.

    Raises:
        ValueError: if the page lacks one of them.
    """
    before, found, rest = page.partition(mark)
    _, found_end, after = rest.partition(end)
    if not (found and found_end):
        raise ValueError(f"the page has no place {mark} .. {end}")
    return f"{before}{mark}\n\n{text}\n\n{end}{after}"


def _table(env: str, rows: Mapping[str, Row], measured: Mapping[str, dict[str, Any]]) -> str:
    """Return the table of an environment, and the commands behind it."""
    chosen = {name: row for name, row in rows.items() if row.env == env}
    lines = [_HEAD]
    commands = ["```console"]
    for name, row in chosen.items():
        one = measured.get(name)
        cells = _cells(row, one) if one is not None else [_MISSING, *["-"] * 6]
        old = " (measured before a change)" if one and is_stale(row, one) else ""
        lines.append(f"| {' | '.join([row.agent + old, *cells])} |")
        commands += [f"# {row.agent}", *row.commands()]
    title = f"`{find_game(env).id}`; again by `python -m benchmarks.results --only"
    return "\n".join([f"{title} {' '.join(chosen)}`:", "", *lines, "", *commands, "```"])


def _cells(row: Row, one: dict[str, Any]) -> list[str]:
    several = one["runs"] > 1
    sample = (
        f"{one['runs']} runs of {one['games']:,} games" if several else f"{one['games']:,} games"
    )
    pace = one["microseconds_a_step"]
    return [
        _interval(one["score"]),
        f"{row.statistic}, {sample}",
        _shares(one),
        _interval(one["length"]),
        _range([run["steps"] for run in one["training"]]),
        _times(one["training"]),
        "-" if pace is None else f"{pace:,.1f}",
    ]


def _interval(summary: Mapping[str, float]) -> str:
    """Return "value [low, high]", with a digit behind the point where the numbers are small."""
    form = ",.0f" if summary["value"] >= 100 else ",.1f"
    return f"{summary['value']:{form}} [{summary['low']:{form}}, {summary['high']:{form}}]"


def _shares(one: Mapping[str, Any]) -> str:
    """Return the share of games won or cleared, and of those within their budgets of actions."""
    found = [one[name] for name in ("success", "in_budget") if one.get(name) is not None]
    texts = [f"{part['value']:.3f} [{part['low']:.3f}, {part['high']:.3f}]" for part in found]
    return ", ".join(texts) or "-"


def _range(values: Sequence[float]) -> str:
    """Return the span of some numbers, or a dash where there are none."""
    if not values:
        return "-"
    low, high = min(values), max(values)
    return f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"


def _times(training: Sequence[Mapping[str, float]]) -> str:
    """Return CPU seconds, wall seconds, and whether exact solutions helped."""
    if not training:
        return "-"
    cpu = _range([run["cpu_seconds"] for run in training])
    wall = _range([run["seconds"] for run in training])
    return f"{cpu} ({wall})"
