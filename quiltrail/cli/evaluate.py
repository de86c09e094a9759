"""``quiltrail evaluate``: an agent or trained models on a fixed list of seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from quiltrail.agents import Agent, make_agent
from quiltrail.cli.options import AgentSettings, GameSettings
from quiltrail.cli.values import parse_seeds, parse_settings
from quiltrail.core.errors import ConfigError
from quiltrail.envs import find_game
from quiltrail.statistics import summarise
from quiltrail.train.evaluate import Evaluation, evaluate, rates_of
from quiltrail.train.files import write_json
from quiltrail.train.references import References, find_references

_NO_REFERENCE = "none"


def evaluate_player(
    env: Annotated[str, typer.Option(help="environment id or short name")],
    agent: Annotated[str | None, typer.Option(help="an agent's name, see `quiltrail list`")] = None,
    model: Annotated[
        list[Path] | None, typer.Option(help="a run folder or a model file, may be repeated")
    ] = None,
    seeds: Annotated[str, typer.Option(help="first-last or a comma list of game seeds")] = "0-99",
    settings: GameSettings = None,
    agent_settings: AgentSettings = None,
    algorithm: Annotated[
        str | None, typer.Option(help="what saved a model that lies in no run folder")
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="let such a model execute code while it is read")
    ] = False,
    reference: Annotated[
        str | None, typer.Option(help='the agent that counts as 1, or "none"; default: the best')
    ] = None,
    max_steps: Annotated[int | None, typer.Option(help="time limit; default: the id's")] = None,
    json_out: Annotated[Path | None, typer.Option("--json", help="write everything here")] = None,
) -> None:
    """Play one episode for each seed and report the scores with 95 % intervals."""
    if (agent is None) == (not model):
        raise ConfigError("name either an --agent or a --model")
    game_settings = parse_settings(settings)
    played: dict[str, Any] = {"max_episode_steps": max_steps, "settings": game_settings}
    listed = parse_seeds(seeds)
    players = _players(agent, parse_settings(agent_settings), model or [], algorithm, trust)
    results = {
        name: [evaluate(player, env, listed, **played) for player in strata]
        for name, strata in players.items()
    }
    against = reference or find_game(env).reference
    references = find_references(
        None if against == _NO_REFERENCE else against, env, listed, **played
    )
    for name, evaluations in results.items():
        typer.echo("\n".join(_lines(name, evaluations, references)))
    if json_out is not None:
        write_json(json_out, _as_json(results, references))


def _players(
    agent: str | None,
    agent_settings: dict[str, Any],
    models: list[Path],
    algorithm: str | None,
    trust: bool,
) -> dict[str, list[Agent]]:
    """Return the players by name; several models are strata of one."""
    if agent is not None:
        return {agent: [make_agent(agent, **agent_settings)]}
    from quiltrail.train.models import load_player  # torch takes seconds to import
    from quiltrail.train.randomness import fix_randomness

    fix_randomness(seed=0, threads=1)  # of sampled play
    return {
        name: [load_player(path, algorithm, deterministic=sure, trusted=trust) for path in models]
        for name, sure in (("deterministic", True), ("sampled", False))
    }


def _lines(name: str, evaluations: list[Evaluation], references: References) -> list[str]:
    """Return what is told of a player; several evaluations are strata of one."""
    first = evaluations[0]
    models = f", {len(evaluations)} models" if len(evaluations) > 1 else ""
    lines = [f"{first.env_id}, {name}{models}, {len(first.seeds)} episodes"]
    for statistic, summary in summarise(*(one.scores for one in evaluations)).items():
        normalised = references.normalised_summary(summary)
        share = "" if normalised is None else f"  normalised {normalised.text('.3f')}"
        lines.append(f"  {statistic:<7}{summary}{share}")
    for rate, share_of_all in rates_of(evaluations).items():
        lines.append(f"  {rate:<9} {share_of_all.text('.3f')}")
    lengths = sorted(length for one in evaluations for length in one.lengths)
    lines.append(f"  steps  {lengths[len(lengths) // 2]:,} (median)")
    lines.append(f"  refusals {sum(one.refusals for one in evaluations)}")
    if references.score is not None:
        lines.append(
            f"  0 is random play, {references.random:,.1f}; "
            f"1 is {references.agent}, {references.score:,.1f}"
        )
    return lines


def _as_json(results: dict[str, list[Evaluation]], references: References) -> dict[str, Any]:
    return {
        "references": references.to_json(),
        **{
            name: [
                {**one.to_json(), "normalised": references.normalised(one.mean_score)}
                for one in evaluations
            ]
            for name, evaluations in results.items()
        },
    }
