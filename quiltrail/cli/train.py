"""``quiltrail train``: run an experiment from a config, or go on with one."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from quiltrail.cli.values import parse_seeds
from quiltrail.core.errors import ConfigError
from quiltrail.train.config import ExperimentConfig, load_config

if TYPE_CHECKING:
    from quiltrail.train.run import RunResult

_INTERRUPTED = 130  # the exit code that shells give to Ctrl-C


def train(
    config: Annotated[
        str | None, typer.Argument(help="a shipped config, a game, or a YAML file")
    ] = None,
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
    from quiltrail.train.run import InterruptedRunError  # torch takes seconds to import

    try:
        _train(config, seed, seeds, out, settings or [], resume, quiet=quiet)
    except InterruptedRunError as interrupted:
        typer.echo(f"quiltrail: {interrupted}", err=True)
        raise typer.Exit(_INTERRUPTED) from None


def _train(
    config: str | None,
    seed: int | None,
    seeds: str | None,
    out: Path | None,
    settings: list[str],
    resume: Path | None,
    *,
    quiet: bool,
) -> None:
    if resume is not None:
        if config is not None or seed is not None or seeds is not None or settings or out:
            raise ConfigError("--resume takes everything from the run; name nothing else with it")
        _resume(resume, quiet=quiet)
        return
    if config is None:
        raise ConfigError("name a config, or a run with --resume; `quiltrail list` shows configs")
    if seed is not None and seeds is not None:
        raise ConfigError("give either --seed or --seeds")
    if seeds is not None:
        _train_seeds(config, settings, parse_seeds(seeds), out, quiet=quiet)
        return
    overrides = [*settings, *([] if seed is None else [f"training.seed={seed}"])]
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
    _compare(parent)


def _resume(path: Path, *, quiet: bool) -> None:
    from quiltrail.train.folder import FINISHED, RunFolder
    from quiltrail.train.run import resume_experiment

    folders = RunFolder.find_all(path)
    if not folders:
        raise ConfigError(f"there is no run in {path}: no folder there has a config.yaml")
    for folder in folders:
        if folder.status.get("state") == FINISHED:
            Console().print(f"{folder.path} is finished")
        else:
            _print(folder.config, resume_experiment(folder.path, quiet=quiet))
    if len(folders) > 1:
        _compare(path)


def _compare(parent: Path) -> None:
    """Write what the runs of several seeds have in common."""
    from quiltrail.train.compare import compare, write_comparison

    comparison = compare([parent])
    write_comparison(comparison, parent)
    console = Console()
    for line in comparison.lines():
        console.print(line)
    console.print(f"tables and curves over all seeds are in {parent / 'COMPARISON.md'}")


def _print(experiment: ExperimentConfig, result: RunResult) -> None:
    console = Console()
    score = result.report.summary()["mean"]
    console.print(f"{experiment.env.id} seed {experiment.training.seed}: score {score}")
    references = result.references
    share = references.normalised(score.value)
    if share is not None:
        console.print(
            f"random play {references.random:,.0f}, {references.agent} {references.score:,.0f}; "
            f"normalised {share:.1%}"
        )
    console.print(
        f"{result.steps:,} steps in {result.seconds:.0f} s; everything is in {result.folder}"
    )


def _free(base: Path) -> Path:
    """Return a path, with a number behind where it is taken."""
    if not base.exists():
        return base
    numbered = (base.with_name(f"{base.name}-{number}") for number in count(2))
    return next(path for path in numbered if not path.exists())
