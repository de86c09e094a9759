"""``quiltrail train``: run an experiment from a config, or go on with one."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Annotated

import typer

from quiltrail.cli.compare import compare_runs
from quiltrail.cli.options import ConfigName
from quiltrail.cli.values import parse_seeds
from quiltrail.core.errors import ConfigError
from quiltrail.train.config import ExperimentConfig, load_config
from quiltrail.train.folder import FINISHED, RunFolder
from quiltrail.train.result import RunResult


def train(
    config: ConfigName = None,
    seed: Annotated[int | None, typer.Option(help="replaces training.seed")] = None,
    seeds: Annotated[
        str | None, typer.Option(help="several runs, one after the other: 0-4 or 1,5,9")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="the run's folder, new or empty; of --seeds: that above")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="section.key=value, may be repeated")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="go on with this run, or with all runs below this folder")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="no progress bar")] = False,
) -> None:
    """Train an agent, evaluate it on the plain game, write its run folder."""
    if resume is not None:
        if config is not None or seed is not None or seeds is not None or settings or out:
            raise ConfigError("--resume takes everything from the run; name nothing else with it")
        _resume(resume, quiet=quiet)
        return
    if config is None:
        raise ConfigError("name a config, or a run with --resume; `quiltrail list` shows configs")
    if seed is not None and seeds is not None:
        raise ConfigError("give either --seed or --seeds")
    overrides = settings or []
    if seeds is not None:
        _train_seeds(config, overrides, parse_seeds(seeds), out, quiet=quiet)
        return
    if seed is not None:
        overrides = [*overrides, f"training.seed={seed}"]
    _train_one(load_config(config, overrides), out, quiet=quiet)


def _train_one(experiment: ExperimentConfig, out: Path | None, *, quiet: bool) -> None:
    from quiltrail.train.run import run_experiment  # torch takes seconds to import

    folder = out or _free(Path("runs") / experiment.name / f"seed-{experiment.training.seed}")
    _print(experiment, run_experiment(experiment, folder, quiet=quiet))


def _train_seeds(
    config: str, settings: list[str], seeds: list[int], out: Path | None, *, quiet: bool
) -> None:
    experiments = [load_config(config, [*settings, f"training.seed={seed}"]) for seed in seeds]
    parent = out or _free(Path("runs") / experiments[0].name / f"seeds-{seeds[0]}-{seeds[-1]}")
    for experiment in experiments:
        _train_one(experiment, parent / f"seed-{experiment.training.seed}", quiet=quiet)
    compare_runs([parent], out=parent)


def _resume(path: Path, *, quiet: bool) -> None:
    from quiltrail.train.run import resume_experiment  # torch takes seconds to import

    folders = RunFolder.find_all(path)
    for folder in folders:
        if folder.status.get("state") == FINISHED:
            typer.echo(f"{folder.path} is finished")
        else:
            _print(folder.config, resume_experiment(folder.path, quiet=quiet))
    if len(folders) > 1:
        compare_runs([path], out=path)


def _print(experiment: ExperimentConfig, result: RunResult) -> None:
    score = result.report.summary()["mean"]
    typer.echo(f"{experiment.env.id} seed {experiment.training.seed}: score {score}")
    references = result.references
    share = references.normalised(score.value)
    if share is not None:
        typer.echo(
            f"random play {references.random:,.0f}, {references.agent} {references.score:,.0f}; "
            f"normalised {share:.1%}"
        )
    typer.echo(
        f"{result.steps:,} steps in {result.seconds:.0f} s; everything is in {result.folder}"
    )


def _free(base: Path) -> Path:
    """Return a path, with a number behind where it is taken."""
    if not base.exists():
        return base
    numbered = (base.with_name(f"{base.name}-{number}") for number in count(2))
    return next(path for path in numbered if not path.exists())
