"""``quiltrail evaluate``: an agent or a trained model on a fixed list of seeds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from rich.console import Console

from quiltrail.agents import Agent, make_agent
from quiltrail.core.errors import ConfigError
from quiltrail.train.evaluate import Evaluation, evaluate


def evaluate_player(
    env: Annotated[str, typer.Option(help="environment id or short name")],
    agent: Annotated[str | None, typer.Option(help="an agent's name, see `quiltrail list`")] = None,
    model: Annotated[Path | None, typer.Option(help="a run folder or a model.zip of one")] = None,
    seeds: Annotated[str, typer.Option(help="first-last or a comma list of game seeds")] = "0-99",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="game setting key=value, may be repeated")
    ] = None,
    agent_settings: Annotated[
        list[str] | None, typer.Option("--agent-set", help="agent setting key=value")
    ] = None,
    max_steps: Annotated[int | None, typer.Option(help="time limit; default: the id's")] = None,
    json_out: Annotated[Path | None, typer.Option("--json", help="write everything here")] = None,
) -> None:
    """Play one episode for each seed and report the scores with 95 % intervals."""
    if (agent is None) == (model is None):
        raise ConfigError("name either an --agent or a --model")
    player = _load_model(model) if model else make_agent(agent or "", **_values(agent_settings))
    result = evaluate(
        player,
        env,
        parse_seeds(seeds),
        max_episode_steps=max_steps,
        settings=_values(settings),
    )
    _print(result)
    if json_out is not None:
        json_out.write_text(json.dumps(result.to_json(), indent=2) + "\n", encoding="utf-8")


def parse_seeds(text: str) -> list[int]:
    """Return the seeds of "0-99" or "1,5,9".

    Raises:
        ConfigError: if the text is neither.
    """
    try:
        first, dash, last = text.partition("-")
        if dash and first:
            seeds = list(range(int(first), int(last) + 1))
        else:
            seeds = [int(one) for one in text.split(",")]
    except ValueError:
        seeds = []
    if not seeds:
        raise ConfigError(f'seeds are written "0-99" or "1,5,9", got {text!r}')
    return seeds


def _values(settings: list[str] | None) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for setting in settings or []:
        key, sign, text = setting.partition("=")
        if not sign or not key:
            raise ConfigError(f"a setting is written key=value, got {setting!r}")
        values[key] = yaml.safe_load(text)
    return values


def _load_model(path: Path) -> Agent:
    from quiltrail.train.models import load_player  # torch takes seconds to import

    return load_player(path)


def _print(result: Evaluation) -> None:
    console = Console()
    console.print(f"{result.env_id}, {len(result.seeds)} episodes")
    for name, summary in result.summary().items():
        console.print(f"  {name:<7}{summary}")
    lengths = sorted(result.lengths)
    console.print(f"  steps  {lengths[len(lengths) // 2]:,} (median)")
    console.print(f"  refusals {result.refusals}")
