"""The page of benchmarks: JSON, Markdown tables and a bar chart, from measured rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from benchmarks.nearest import GAMES, Comparison
from quiltrail.bench.rows import HEADER, Row

_INK = "#767676"  # readable on white and on black
_OURS, _THEIRS = "#0072B2", "#E69F00"  # Okabe and Ito: apart for every kind of colour vision
_WHOLE_RATIO = 10  # from here on decimals say nothing
_STEP = 0.28  # inches of a bar
_DERIVED = ("steps_per_cpu_second", "steps_per_second", "limit_share")

_INTRODUCTION = """\
# Benchmarks

Made by `make bench` (`python -m benchmarks.peers`), which times this package and the nearest public
environments in one run; `quiltrail bench` alone times only ours and works from an installed wheel.
Rates are steps of single games per second of **CPU time**, so that a busy machine disturbs them
little; the best of {repeats} repeats of {seconds:g} CPU seconds after a warm-up, with one thread
unless a row says otherwise. Play is uniform and legal, drawn outside the clock, and no run of ours
is banked. A step counts with observation, mask, infos and the next episode's start where one has
ended.

Machine: {machine}. Versions: {versions}.
"""

_AGAINST = """\
## Against the nearest environments

![Steps per CPU second of each game and its nearest peers](benchmarks.svg)

Ours is the native batch in its default, which hands out fresh arrays (`copy=False` is faster, see
below); the peer's figure is its fastest row. "One" compares one game at a time: `gym.make`, and
PettingZoo's own loop for Tinrail. They are other games with other rules: what is compared is what
a step of a game of that kind costs. JAX's suites are compiled, batched and driven from Python step
by step, as a policy drives them. OpenSpiel's "one" is its bare C++ state, with no environment
around it.

| game | nearest | why | ours, M/s | peer, M/s | ratio | one: ours, k/s | peer, k/s | ratio |
|---|---|---|--:|--:|--:|--:|--:|--:|"""

_OURS_TEXT = """\
## This package alone

"single" is one environment of `gym.make`, "vector" the native batch, "vector, live" the same with
`copy=False`, "SB3" the batch for Stable-Baselines3 with its masks, "AEC" PettingZoo's loop. Bytes a
step are those of one game's observation and mask. The last column holds the step against the
physical limit: the share of its CPU time that a loop takes which only writes as many bytes, in
arrays of the same layout, and does nothing else. (Steps that leave what did not change
unwritten can come near to it or beyond.)
"""

_PEERS_TEXT = """\
## Every row of the peers

| package | environment | face | B | masks | steps / CPU s | steps / s |
|---|---|---|--:|---|--:|--:|"""


def publish(
    folder: Path,
    ours: dict[str, Any],
    peers: Sequence[dict[str, Any]],
    comparisons: Sequence[Comparison],
) -> None:
    """Write benchmarks.json, benchmarks.md and benchmarks.svg into a folder.

    Args:
        folder: where; made if it is missing.
        ours: of `quiltrail.bench.rows.document`.
        peers: each with name, requirements, rows and trouble.
        comparisons: of `benchmarks.nearest.compare`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    whole = {
        "ours": ours,
        "peers": list(peers),
        "comparisons": [one.to_json() for one in comparisons],
    }
    text = json.dumps(whole, indent=1) + "\n"
    (folder / "benchmarks.json").write_text(text, encoding="utf-8")
    (folder / "benchmarks.md").write_text(page(ours, peers, comparisons), encoding="utf-8")
    _draw(comparisons, folder / "benchmarks.svg")


def page(
    ours: dict[str, Any], peers: Sequence[dict[str, Any]], comparisons: Sequence[Comparison]
) -> str:
    """Return the Markdown page."""
    host, plan = ours["host"], ours["plan"]
    introduction = _INTRODUCTION.format(
        repeats=plan["repeats"],
        seconds=plan["seconds"],
        machine=f"{host['processors']} cores, shared ({host['processor']}, {host['system']})",
        versions=", ".join(f"{name} {number}" for name, number in ours["versions"].items()),
    )
    skipped = [f"- {one['name']}: {one['trouble']}" for one in peers if one["trouble"]]
    failed = [
        f"- {one['name']} {row['env']}, B = {row['num_envs']}: {row['failed']}"
        for one in peers
        for row in one["rows"]
        if "failed" in row
    ]
    missing = ["\nNot timed:\n", *skipped, *failed] if skipped or failed else []
    parts = [
        introduction,
        _AGAINST,
        *map(_comparison_row, comparisons),
        *missing,
        f"\n{_OURS_TEXT}\n{HEADER}",
        *map(_our_row, ours["rows"]),
        f"\n{_PEERS_TEXT}",
        *_peer_rows(peers),
        "\n```{include} ../benchmarks/README.md\n:heading-offset: 1\n```\n",
    ]
    return "\n".join(parts)


def _our_row(row: dict[str, Any]) -> str:
    return Row(**{name: row[name] for name in row if name not in _DERIVED}).to_markdown()


def _peer_rows(peers: Iterable[dict[str, Any]]) -> list[str]:
    return [
        f"| {' '.join(one['requirements'])} | {row['env']} | {row['face']} | {row['num_envs']:,} "
        f"| {'yes' if row['masks'] else 'no'} | {1e9 / row['cpu_ns']:,.0f} "
        f"| {1e9 / row['wall_ns']:,.0f} |"
        for one in peers
        for row in one["rows"]
        if "cpu_ns" in row
    ]


def _comparison_row(one: Comparison) -> str:
    rates = (_number(one.our_best, 1e6), _number(one.peer_best, 1e6), _times(one.best_ratio))
    alone = (_number(one.our_single, 1e3), _number(one.peer_single, 1e3), _times(one.single_ratio))
    return f"| {one.game} | {one.peer} {one.env} | {one.why} | {' | '.join((*rates, *alone))} |"


def _number(rate: float | None, unit: float) -> str:
    return "" if rate is None else f"{rate / unit:.3g}"


def _times(ratio: float | None) -> str:
    if ratio is None:
        return ""
    return f"{ratio:,.0f}" if ratio >= _WHOLE_RATIO else f"{ratio:.2g}"


def _draw(comparisons: Sequence[Comparison], path: Path) -> None:
    """Write a bar for each game and each of its peers, on a logarithmic scale, as SVG.

    The background is transparent and the ink grey, so that it reads on a light and a dark page.
    """
    bars: list[tuple[str, float, str]] = []
    for game in GAMES:
        near = [one for one in comparisons if one.game == game]
        if near and near[0].our_best:
            bars.append((f"{game} (quiltrail)", near[0].our_best, _OURS))
        peers = [(f"{one.peer} {one.env}", one.peer_best, _THEIRS) for one in near]
        bars += [(name, rate, colour) for name, rate, colour in peers if rate]
    with rc_context({"svg.hashsalt": "benchmarks", "svg.fonttype": "none"}):
        figure = Figure(figsize=(8, 1 + _STEP * len(bars)), layout="constrained")
        axes = figure.add_subplot()
        places = range(len(bars))
        axes.barh(places, [bar[1] for bar in bars], color=[bar[2] for bar in bars])
        axes.set_yticks(places, [bar[0] for bar in bars])
        axes.invert_yaxis()
        axes.set(xscale="log")
        axes.set_xlabel("steps per second of CPU time", color=_INK)
        axes.grid(axis="x", color=_INK, alpha=0.3)
        axes.tick_params(colors=_INK)
        axes.spines[:].set_color(_INK)
        figure.savefig(path, format="svg", transparent=True, metadata={"Date": None})
