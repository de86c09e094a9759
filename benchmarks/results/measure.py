"""Measuring a row with the package's own training, evaluation and statistics."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results.rows import Play, Row, Training, experiment_digest
from quiltrail import __version__
from quiltrail.agents import Agent, make_agent
from quiltrail.cli.values import parse_seeds
from quiltrail.statistics import STATISTICS, bootstrap, share
from quiltrail.train.evaluate import Evaluation, evaluate
from quiltrail.train.folder import FINISHED, RunFolder
from quiltrail.train.models import load_player
from quiltrail.train.run import resume_experiment, run_experiment

_WARM_UP = 20  # steps; enough to compile everything


@dataclass(frozen=True)
class _Played:
    """Scores, lengths and successes of the games of one player; see `Evaluation`."""

    scores: list[int]
    lengths: list[int]
    successes: list[bool] | None
    in_budget: list[bool] | None


def measure(row: Row, runs: Path) -> dict[str, Any]:
    """Train and play what a row asks for; return the measurement as JSON values.

    Args:
        row: what to measure.
        runs: the folder of its training runs. Those that lie there already count, and are finished
            where they are not.
    """
    folders = [] if row.train is None else train(row.train, runs)
    measured: dict[str, Any] = {
        "digest": row.digest,
        "training": [_training(one) for one in folders],
        "microseconds_a_step": None,
        "machine": {"processors": os.cpu_count(), "machine": platform.machine()},
        "version": __version__,
    }
    if row.play is None:
        played = [_final_evaluation(one) for one in folders]
    else:
        players = _players(row.play, folders)
        start = time.process_time()
        played = [_play(one, row.env, row.play) for one in players]
        spent = time.process_time() - start
        steps = sum(sum(one.lengths) for one in played)
        measured["microseconds_a_step"] = round(1e6 * spent / steps, 1)
    return measured | _summary(row.statistic, played)


def train(training: Training, runs: Path) -> list[RunFolder]:
    """Return finished runs of every seed; those that are there already are not made again."""
    folders = []
    for experiment in training.experiments():
        path = runs / f"{experiment_digest(experiment)}-seed-{experiment.training.seed}"
        if not path.exists():
            run_experiment(experiment, path)
        elif RunFolder.open(path).status.get("state") != FINISHED:
            resume_experiment(path)
        folders.append(RunFolder.open(path))
    return folders


def _training(folder: RunFolder) -> dict[str, Any]:
    """Return what a run's training took."""
    report = _report_of(folder)
    return {
        "seed": report["seed"],
        "steps": report["training_steps"],
        "seconds": report["training_seconds"],
        "cpu_seconds": report["training_cpu_seconds"],
        "from_exact_solutions": report["learned_from_exact_solutions"],
    }


def _final_evaluation(folder: RunFolder) -> _Played:
    judged = _report_of(folder)["deterministic"]
    parts = ("scores", "lengths", "successes", "in_budget")
    return _Played(*(judged[name] for name in parts))


def _report_of(folder: RunFolder) -> dict[str, Any]:
    report = folder.evaluation
    assert report is not None, "a finished run has been evaluated"
    return report


def _players(play: Play, folders: Sequence[RunFolder]) -> list[Agent]:
    if play.agent is not None:
        return [make_agent(play.agent, **play.agent_settings)]
    return [load_player(one.path) for one in folders]


def _play(player: Agent, env: str, play: Play) -> _Played:
    """Play the games of a row, after a few steps that compile what is not compiled yet."""

    def games(seeds: list[int], limit: int | None) -> Evaluation:
        return evaluate(player, env, seeds, max_episode_steps=limit, settings=play.settings)

    games([0], _WARM_UP)
    result = games(parse_seeds(play.seeds), play.max_steps)
    return _Played(result.scores, result.lengths, result.successes, result.in_budget)


def _summary(statistic: str, played: Sequence[_Played]) -> dict[str, Any]:
    """Return the statistic of scores and lengths: over games, or over the means of several runs."""

    def over(lists: list[list[int]]) -> dict[str, float]:
        sample = [float(np.mean(one)) for one in lists] if len(lists) > 1 else lists[0]
        return bootstrap([sample], STATISTICS[statistic]).to_json()

    return {
        "runs": len(played),
        "games": len(played[0].scores),
        "score": over([one.scores for one in played]),
        "length": over([one.lengths for one in played]),
        "success": _share([one.successes for one in played]),
        "in_budget": _share([one.in_budget for one in played]),
    }


def _share(parts: Sequence[list[bool] | None]) -> dict[str, float] | None:
    """Return the share of true outcomes over all games; None where the game has no such notion."""
    outcomes = [outcome for part in parts for outcome in part or ()]
    return share(sum(outcomes), len(outcomes)).to_json() if outcomes else None
