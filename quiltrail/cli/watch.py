"""``quiltrail watch``: an agent or a trained model at play."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from quiltrail.agents import Agent, make_agent
from quiltrail.cli.options import AgentSettings, GameName, GameSettings, ThemeName
from quiltrail.cli.values import parse_settings
from quiltrail.core.errors import ConfigError, OptionError, shown
from quiltrail.envs.rendering import Look
from quiltrail.play.pace import HELP, Pace
from quiltrail.play.session import Session
from quiltrail.play.terminal import CLEAR, Keys
from quiltrail.play.watch_window import watch_in_window
from quiltrail.play.watched import Reference, Thoughts, Watched
from quiltrail.render.movie import save_movie
from quiltrail.render.png import png_bytes
from quiltrail.train.evaluate import ModelPlayer, evaluate
from quiltrail.train.references import strongest_agent

_ENDINGS = (".gif", ".mp4", ".png")
_TICK = 0.02


def watch(
    game: GameName,
    agent: Annotated[
        str | None,
        typer.Option(help="an agent's name, see `quiltrail list`; default: the strongest"),
    ] = None,
    model: Annotated[Path | None, typer.Option(help="a run folder or a model.zip of one")] = None,
    seed: Annotated[int, typer.Option(help="the game seed")] = 0,
    settings: GameSettings = None,
    agent_settings: AgentSettings = None,
    steps: Annotated[int | None, typer.Option(help="stop after so many; default: the id's")] = None,
    speed: Annotated[float, typer.Option(help="steps a second")] = 4.0,
    paused: Annotated[bool, typer.Option("--paused", help="start paused")] = False,
    window: Annotated[bool, typer.Option("--window", help="show it in a window")] = False,
    out: Annotated[Path | None, typer.Option(help="write it: .gif, .mp4, or .png: the end")] = None,
    size: Annotated[int, typer.Option(help="pixels of a picture's side")] = 512,
    theme: ThemeName = "light",
    record: Annotated[Path | None, typer.Option(help="keep the game here, for replay")] = None,
) -> None:
    """Watch a player, by default the strongest there is, in the terminal, a window or a file."""
    if agent is not None and model is not None:
        raise ConfigError("name either an --agent or a --model, or neither for the strongest agent")
    if agent is None and agent_settings:
        raise ConfigError("--agent-set is for an --agent; name one")
    if out is not None and out.suffix.lower() not in _ENDINGS:
        raise OptionError(
            f"the file's name ends in one of {', '.join(_ENDINGS)}, got {shown(out.name)}"
        )
    values = parse_settings(settings)
    player, thoughts = _player(game, agent, model, parse_settings(agent_settings))
    session = Session(game, seed, values)
    session.max_steps = steps or session.spec.max_episode_steps
    reference = _reference(session, values)
    watched = Watched(session, player, thoughts, reference)
    pace, look = Pace(speed, paused=paused), Look(size, theme)
    if out is not None:
        _write(watched, out, look, speed)
    elif window:
        watch_in_window(watched, pace, look)
    else:
        _print(watched, pace)
    if record is not None:
        session.record.save(record)


def _player(
    game: str, agent: str | None, model: Path | None, settings: dict[str, Any]
) -> tuple[Agent, Thoughts | None]:
    if agent is not None:
        return make_agent(agent, **settings), None
    if model is None:
        return strongest_agent(game), None
    from quiltrail.train.models import load_player  # torch takes seconds to import

    player = load_player(model)
    return player, player.top_actions if isinstance(player, ModelPlayer) else None


def _reference(session: Session, settings: dict[str, Any]) -> Reference | None:
    """Return what the usual reference reaches on this seed in as many steps."""
    name = session.spec.reference
    if name is None:
        return None
    played = evaluate(
        make_agent(name),
        session.spec.id,
        [session.seed],
        max_episode_steps=session.max_steps,
        settings=settings,
    )
    return Reference(name, played.mean_score)


def _write(watched: Watched, out: Path, look: Look, speed: float) -> None:
    pictures = [watched.picture(look)]
    while not watched.session.over:
        watched.step()
        if out.suffix.lower() == ".png":
            pictures.clear()
        pictures.append(watched.picture(look))
    if out.suffix.lower() == ".png":
        out.write_bytes(png_bytes(pictures[-1]))
    else:
        save_movie(out, pictures, fps=speed)
    typer.echo(f"{watched.summary()}; {watched.standing()}: {out}")


def _print(watched: Watched, pace: Pace) -> None:
    """Show the game in the terminal; into a pipe, print every position at once."""
    live = sys.stdout.isatty()
    if live:
        typer.echo(CLEAR, nl=False)
    _show(watched, pace, live)
    with Keys() as keys:
        while not (watched.session.over or pace.stopped):
            key = keys.read(_TICK)
            if key is not None:
                pace.press(key)
                _show(watched, pace, live)
            elif live and not keys.live:
                time.sleep(_TICK)
            if not live or pace.is_due(time.monotonic()):
                watched.step()
                _show(watched, pace, live)


def _show(watched: Watched, pace: Pace, live: bool) -> None:
    if live:
        typer.echo(f"{CLEAR}{watched.text()}\n{pace.words()}; {HELP}")
    else:
        typer.echo(watched.text())
