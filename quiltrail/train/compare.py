"""Comparing experiments: tables, learning curves, performance profiles, who is better.

Runs that differ in nothing but their seed are repetitions of one experiment, and the unit of every
interval is a run: its mean score over the games of its final evaluation. Where experiments are put
together across games, the games are the strata of the bootstrap.

Source: Agarwal et al., NeurIPS 2021, see `quiltrail.statistics`.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.errors import ConfigError, shown
from quiltrail.statistics import (
    Summary,
    bootstrap,
    interquartile_mean,
    probability_of_improvement,
    profile,
    summarise,
)
from quiltrail.train.files import write_csv, write_text
from quiltrail.train.folder import CURVE, EVALUATION, RunFolder
from quiltrail.train.plots import plot_bands

_GROUPINGS = _EXPERIMENT, _ALGORITHM = ("experiment", "algorithm")

_CURVE_PLACES = 60
_TAUS = np.linspace(0.0, 1.0, 51)


@dataclass(frozen=True)
class ComparedRun:
    """One finished run.

    Attributes:
        path: of its folder.
        env_id: what it was evaluated on.
        name: of the experiment, or its algorithm.
        seed: of its training.
        score: mean over the games of its final evaluation.
        normalised: the same with random play 0 and the reference 1; None without one.
        refusals: in that evaluation.
        curve: (T, 2) steps and mean scores along the way, normalised where there is a reference.
    """

    path: Path
    env_id: str
    name: str
    seed: int
    score: float
    normalised: float | None
    refusals: int
    curve: NDArray[np.float64]


@dataclass(frozen=True)
class Comparison:
    """Finished runs, and how many were left out because they are not finished."""

    runs: list[ComparedRun]
    unfinished: int

    @property
    def groups(self) -> dict[tuple[str, str], list[ComparedRun]]:
        """The runs by environment id and name."""
        grouped: dict[tuple[str, str], list[ComparedRun]] = {}
        for run in self.runs:
            grouped.setdefault((run.env_id, run.name), []).append(run)
        return grouped

    @property
    def strata(self) -> dict[str, dict[str, list[float]]]:
        """Normalised scores by name, then by environment id."""
        names: dict[str, dict[str, list[float]]] = {}
        for (env_id, name), runs in self.groups.items():
            scores = [one.normalised for one in runs if one.normalised is not None]
            if scores:
                names.setdefault(name, {})[env_id] = scores
        return names

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each experiment and game, with the statistics over its runs."""
        return [_row(env_id, name, runs) for (env_id, name), runs in self.groups.items()]

    def improvements(self) -> list[tuple[str, str, Summary]]:
        """Return, for each pair with a game in common, how probably the first is better."""
        found = []
        for x, y in permutations(self.strata, 2):
            shared = [env_id for env_id in self.strata[x] if env_id in self.strata[y]]
            if shared:
                pairs = [(self.strata[x][one], self.strata[y][one]) for one in shared]
                found.append((x, y, probability_of_improvement(pairs)))
        return found

    def lines(self) -> list[str]:
        """Return the tables as lines of Markdown."""
        rows = self.rows()
        names = list(rows[0])
        lines = [_line(names), _line(["---"] * len(names))]
        lines += [_line([str(value) for value in row.values()]) for row in rows]
        if any(len(games) > 1 for games in self.strata.values()):
            lines += ["", *self._across_games()]
        improvements = self.improvements()
        if improvements:
            lines += ["", _line(["X", "Y", "P(X > Y)"]), _line(["---"] * 3)]
            lines += [_line([x, y, one.text(".2f")]) for x, y, one in improvements]
        if self.unfinished:
            lines += ["", f"{self.unfinished} run(s) without a final evaluation were left out."]
        return lines

    def _across_games(self) -> list[str]:
        names = ["name", "games", "runs", "mean", "median", "iqm"]
        lines = [_line(names), _line(["---"] * len(names))]
        for name, games in self.strata.items():
            summaries = summarise(*games.values())
            runs = sum(map(len, games.values()))
            texts = [summaries[one].text(".3f") for one in names[3:]]
            lines.append(_line([name, str(len(games)), str(runs), *texts]))
        return lines


def compare(paths: Sequence[Path], by: str = _EXPERIMENT) -> Comparison:
    """Read runs: each path is a run, or a folder with runs below it.

    Args:
        paths: where they lie.
        by: "experiment", or "algorithm" to put an algorithm's experiments together across games.

    Raises:
        ConfigError: if there is no run, or none is finished.
    """
    if by not in _GROUPINGS:
        raise ConfigError(f"runs are grouped by {' or '.join(_GROUPINGS)}, got {shown(by)}")
    folders: dict[Path, RunFolder] = {}
    for path in paths:
        folders.update({one.path.resolve(): one for one in RunFolder.find_all(path)})
    runs = [_read(one, by) for one in folders.values() if one.evaluation is not None]
    if not runs:
        raise ConfigError("none of these runs is finished; go on with quiltrail train --resume")
    if by == _EXPERIMENT:
        runs = _tell_apart(runs, list(folders.values()))
    return Comparison(runs, len(folders) - len(runs))


def write_comparison(comparison: Comparison, folder: Path) -> None:
    """Write COMPARISON.md, comparison.csv, curves.png and profiles.png into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = comparison.rows()
    write_csv(folder / "comparison.csv", list(rows[0]), rows)
    write_text(folder / "COMPARISON.md", _page(comparison, _draw(comparison, folder)))


def _draw(comparison: Comparison, folder: Path) -> list[str]:
    """Draw learning curves and performance profiles; return the pictures as Markdown."""
    pictures = []
    for number, env_id in enumerate(dict.fromkeys(run.env_id for run in comparison.runs)):
        name = f"curves-{number}.png"
        axes = ("training steps", "score, IQM")
        plot_bands(_curves(comparison, env_id), axes, env_id, folder / name)
        pictures.append(f"![learning curves of {env_id}]({name})")
    if comparison.strata:
        profiles = {
            name: (_TAUS, profile(list(games.values()), _TAUS))
            for name, games in comparison.strata.items()
        }
        axes = ("normalised score", "share of runs above it")
        plot_bands(profiles, axes, "performance profiles", folder / "profiles.png")
        pictures.append("![performance profiles](profiles.png)")
    return pictures


def _read(folder: RunFolder, by: str) -> ComparedRun:
    """Return a finished run.

    Raises:
        ConfigError: if its evaluation or its curve is damaged.
    """
    try:
        return _read_whole(folder, by)
    except (KeyError, TypeError, ValueError, IndexError, OSError) as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(
            f"{EVALUATION} or {CURVE} in {folder.path} is damaged ({type(error).__name__}: "
            f"{shown(str(error))}); resume the run to write them anew"
        ) from None


def _read_whole(folder: RunFolder, by: str) -> ComparedRun:
    config, evaluation = folder.config, folder.evaluation
    assert evaluation is not None
    final = evaluation["deterministic"]
    normalised = final["normalised"]
    with (folder.path / CURVE).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    kind = "normalised" if normalised is not None and rows[0]["normalised"] else "score"
    return ComparedRun(
        path=folder.path,
        env_id=evaluation["env_id"],
        name=config.name if by == _EXPERIMENT else config.training.algorithm,
        seed=config.training.seed,
        score=final["summary"]["mean"]["value"],
        normalised=None if normalised is None else normalised["mean"]["value"],
        refusals=final["refusals"],
        curve=np.array([[float(row["steps"]), float(row[kind])] for row in rows]),
    )


def _tell_apart(runs: list[ComparedRun], folders: list[RunFolder]) -> list[ComparedRun]:
    """Give experiments that share a name but differ in more than the seed different names."""
    digests = {one.path: one.config.method_digest for one in folders}
    sharing: dict[str, set[str]] = {}
    for run in runs:
        sharing.setdefault(run.name, set()).add(digests[run.path])
    return [
        run
        if len(sharing[run.name]) == 1
        else ComparedRun(**{**vars(run), "name": f"{run.name} {digests[run.path]}"})
        for run in runs
    ]


def _row(env_id: str, name: str, runs: list[ComparedRun]) -> dict[str, Any]:
    scores = summarise([run.score for run in runs])
    row: dict[str, Any] = {
        "env": env_id,
        "name": name,
        "runs": len(runs),
        "mean score": str(scores["mean"]),
        "median": str(scores["median"]),
        "IQM": str(scores["iqm"]),
        "normalised IQM": "-",
        "worst": f"{min(run.score for run in runs):,.1f}",
        "refusals": sum(run.refusals for run in runs),
    }
    shares = [run.normalised for run in runs if run.normalised is not None]
    if shares:
        row["normalised IQM"] = bootstrap([shares], interquartile_mean).text(".3f")
    return row


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _curves(
    comparison: Comparison, env_id: str
) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Return each experiment's learning curve on a game, the IQM over its runs at each place.

    A run that stopped early, at its reference, counts with its last score from there on.
    """
    curves = {}
    for (of_env, name), runs in comparison.groups.items():
        if of_env == env_id:
            last = max(run.curve[-1, 0] for run in runs)
            places = np.linspace(0.0, last, _CURVE_PLACES)
            scores = np.stack([np.interp(places, *run.curve.T) for run in runs])
            bands = [bootstrap([column], interquartile_mean) for column in scores.T]
            values = [[getattr(one, part) for one in bands] for part in ("value", "low", "high")]
            curves[f"{name} ({len(runs)})"] = (places, np.array(values))
    return curves


def _page(comparison: Comparison, pictures: list[str]) -> str:
    return "\n".join(
        [
            "# Comparison",
            "",
            "The unit is a run: its mean score over the games of its final evaluation, played",
            "deterministically on seeds that chose nothing. Intervals hold 95 %, by bootstrap over",
            "runs, stratified by game; one run alone has none. Normalised: random play 0, the",
            "reference agent 1. P(X > Y): how probably a run of X beats one of Y. Method: Agarwal",
            "et al., *Deep reinforcement learning at the edge of the statistical precipice*,",
            "NeurIPS 2021.",
            "",
            *comparison.lines(),
            "",
            *(line for picture in pictures for line in (picture, "")),
        ]
    )
