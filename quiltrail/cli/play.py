"""``quiltrail play``: play a game yourself."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from quiltrail.cli.options import GameName, GameSettings, ThemeName
from quiltrail.cli.values import parse_settings
from quiltrail.core.errors import OptionError
from quiltrail.envs import find_game
from quiltrail.envs.rendering import Look
from quiltrail.play.best import BestScores
from quiltrail.play.play_window import play_in_window
from quiltrail.play.session import Session
from quiltrail.play.text_game import TextGame
from quiltrail.train.evaluate import ModelPlayer
from quiltrail.wrappers import Transform

_OPPONENT = "opponent"


def play(
    game: GameName,
    text: Annotated[bool, typer.Option("--text", help="play in the terminal")] = False,
    seed: Annotated[int | None, typer.Option(help="the game seed; default: any")] = None,
    settings: GameSettings = None,
    start: Annotated[
        list[str] | None, typer.Option("--start", help="start option, such as board=5")
    ] = None,
    model: Annotated[Path | None, typer.Option(help="a run to play against, in Tinrail")] = None,
    size: Annotated[int, typer.Option(help="pixels of the window's width")] = 768,
    theme: ThemeName = "light",
    record: Annotated[Path | None, typer.Option(help="keep the last game here")] = None,
) -> None:
    """Play a game, in a window or in the terminal; your best scores are kept."""
    values = parse_settings(settings)
    if model is not None:
        if record is not None:
            raise OptionError("a game against a model cannot be kept: a record holds no model")
        values[_OPPONENT] = _policy(model, game)
    chosen = secrets.randbelow(2**32) if seed is None else seed
    session = Session(game, chosen, values, parse_settings(start))
    if text:
        _play_text(session)
    else:
        play_in_window(session, BestScores(), Look(size, theme))
    if record is not None:
        session.record.save(record)


def _play_text(session: Session) -> None:
    table = TextGame(session, BestScores())
    typer.echo(table.greeting())
    while not table.finished:
        try:
            line = input("> ")
        except (EOFError, KeyboardInterrupt):
            line = "quit"
        typer.echo(table.answer(line))


def _policy(model: Path, game: str) -> Callable[..., Any]:
    """Return a run's policy as an opponent.

    Raises:
        OptionError: if it needs more than observations and masks to play.
    """
    from quiltrail.train.models import load_player  # torch takes seconds to import

    player = load_player(model)
    player.check_game(find_game(game).make_engine(1))
    if not isinstance(player, ModelPlayer) or not player.masked:
        raise OptionError(f"{model} cannot play the other seat: it is no masked policy")
    if any(type(one).observations is not Transform.observations for one in player.transforms):
        raise OptionError(f"{model} cannot play the other seat: it sees transformed observations")

    def policy(observations: Any, masks: Any) -> Any:
        return player.model.predict(observations, deterministic=True, action_masks=masks != 0)[0]

    return policy
