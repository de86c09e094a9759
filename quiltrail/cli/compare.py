"""``quiltrail compare``: what several runs have reached, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def compare_runs(
    runs: Annotated[list[Path], typer.Argument(help="runs, or folders with runs below them")],
    by: Annotated[str, typer.Option(help="group by experiment, or by algorithm")] = "experiment",
    out: Annotated[
        Path | None, typer.Option(help="write COMPARISON.md, CSV and pictures into this folder")
    ] = None,
) -> None:
    """Compare finished runs over their seeds."""
    from quiltrail.train.compare import compare, write_comparison  # matplotlib takes a second

    comparison = compare(runs, by)
    typer.echo("\n".join(comparison.lines()))
    if out is not None:
        write_comparison(comparison, out)
        typer.echo(f"tables and curves are in {out / 'COMPARISON.md'}")
