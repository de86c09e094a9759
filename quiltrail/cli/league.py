"""``quiltrail league``: how the snapshots of a run and the bots stand against each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quiltrail.core.errors import ConfigError
from quiltrail.train.folder import RunFolder


def play_league(
    run: Annotated[Path, typer.Argument(help="a run of tinrail_league, or its model file")],
    matches: Annotated[int, typer.Option(min=1, help="of each pair, from each seat")] = 200,
    playouts: Annotated[
        int, typer.Option(min=0, help="of the Monte-Carlo player; 0 leaves it out")
    ] = 100,
    out: Annotated[
        Path | None, typer.Option(help="the folder to write into; default: the run's")
    ] = None,
) -> None:
    """Let the learner, its frozen snapshots and the bots meet; rate them; draw the table."""
    from quiltrail.train.league import payoffs  # matplotlib takes a second

    if out is None and not run.is_dir():
        raise ConfigError(f"{run.name} is no run folder: name a folder to write into with --out")
    model = RunFolder(run).model if run.is_dir() else run
    league = payoffs.play_league(model, matches=matches, playouts=playouts)
    folder = out or run
    payoffs.write_league(league, folder)
    typer.echo("\n".join(payoffs.league_lines(league)))
    typer.echo(f"\nleague.json, LEAGUE.md, payoffs.png and ratings.png are in {folder}")
