"""The command line: one file a sub-command."""

from __future__ import annotations

import typer

from quiltrail.cli import (
    bench,
    compare,
    evaluate,
    league,
    levels,
    play,
    replay,
    schema,
    serve,
    show,
    sweep,
    train,
    watch,
)

app = typer.Typer(
    name="quiltrail",
    help="Four tabletop games as reinforcement-learning environments.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("list")(show.list_everything)
app.command("train")(train.train)
app.command("evaluate")(evaluate.evaluate_player)
app.command("compare")(compare.compare_runs)
app.command("sweep")(sweep.sweep)
app.command("league")(league.play_league)
app.command("levels")(levels.show_levels)
app.command("schema")(schema.print_schema)
app.command("serve")(serve.serve)
app.command("replay")(replay.replay)
app.command("watch")(watch.watch)
app.command("play")(play.play)
app.command("bench")(bench.bench)

__all__ = ["app"]
