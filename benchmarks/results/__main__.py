"""Measure what docs/results.md publishes, and write the page.

    python -m benchmarks.results [--only ROW ..] [--all] [--render] [--runs FOLDER]

Without options it measures the rows of ``table.yaml`` that have no measurement, or whose entry or
config has changed since, and puts them into ``docs/results.json`` and the tables of
``docs/results.md``; then what `benchmarks.tinrail_strength` lacks. Training runs stay in the folder
and are gone on with after an interruption. Two of these commands with different rows may run side
by side.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from benchmarks import tinrail_strength
from benchmarks.results.measure import measure
from benchmarks.results.page import MEASUREMENTS, PAGE, fill
from benchmarks.results.rows import Row, is_stale, load_rows
from quiltrail.train.files import read_json, write_json, write_text


def main() -> None:
    """Measure, and write measurements and page after every row."""
    rows = load_rows()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=rows, default=[], help="these rows, again")
    parser.add_argument("--all", action="store_true", help="all rows, again")
    parser.add_argument("--render", action="store_true", help="write the page, measure nothing")
    parser.add_argument("--runs", type=Path, default=Path("runs/results"), help="of training runs")
    arguments = parser.parse_args()
    measured = read_json(MEASUREMENTS) or {}
    stale = [name for name, row in rows.items() if is_stale(row, measured.get(name))]
    chosen = arguments.only or ([*rows] if arguments.all else stale)
    for name in [] if arguments.render else chosen:
        print(f"{name}: {'; '.join(rows[name].commands())}", flush=True)
        _write(rows, {name: measure(rows[name], arguments.runs / name)})
    _write(rows, {})
    if not (arguments.only or arguments.render):
        _measure_strength(again=arguments.all)


def _write(rows: dict[str, Row], new: dict[str, Any]) -> None:
    """Add measurements to those on disk, drop those of rows that are gone, write the page."""
    measured = (read_json(MEASUREMENTS) or {}) | new
    kept = {name: measured[name] for name in rows if name in measured}
    write_json(MEASUREMENTS, kept)
    write_text(PAGE, fill(PAGE.read_text(encoding="utf-8"), rows, kept))


def _measure_strength(*, again: bool) -> None:
    """Let Tinrail's players meet that have not met yet, or all of them."""
    measured = {} if again else read_json(tinrail_strength.MEASUREMENTS) or {}
    for name, pairing in tinrail_strength.ROWS.items():
        if name not in measured:
            tinrail_strength.write(name, tinrail_strength.measure(pairing, pairing.matches))


if __name__ == "__main__":
    main()
