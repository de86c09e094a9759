"""The command line: one file a sub-command."""

from __future__ import annotations

from collections.abc import Callable

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

_COMMANDS: dict[str, Callable[..., None]] = {
    "list": show.list_everything,
    "train": train.train,
    "evaluate": evaluate.evaluate_player,
    "compare": compare.compare_runs,
    "sweep": sweep.sweep,
    "league": league.play_league,
    "levels": levels.show_levels,
    "schema": schema.print_schema,
    "serve": serve.serve,
    "replay": replay.replay,
    "watch": watch.watch,
    "play": play.play,
    "bench": bench.bench,
}


def _make_app() -> typer.Typer:
    app = typer.Typer(
        name="quiltrail",
        help="Four tabletop games as reinforcement-learning environments.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    for name, command in _COMMANDS.items():
        app.command(name)(command)
    return app


app = _make_app()

__all__ = ["app"]
