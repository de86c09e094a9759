"""``quiltrail train``: run an experiment from a config."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from quiltrail.train.config import ExperimentConfig, load_config


def train(
    config: Annotated[str, typer.Argument(help="a shipped config, a game, or a YAML file")],
    seed: Annotated[int | None, typer.Option(help="replaces training.seed")] = None,
    out: Annotated[Path | None, typer.Option(help="the run's folder, new or empty")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="section.key=value, may be repeated")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="no progress bar")] = False,
) -> None:
    """Train an agent, evaluate it on the plain game, write its run folder."""
    from quiltrail.train.run import run_experiment  # torch takes seconds to import

    overrides = [*(settings or []), *([] if seed is None else [f"training.seed={seed}"])]
    experiment = load_config(config, overrides)
    result = run_experiment(experiment, out or _free_folder(experiment), quiet=quiet)
    console = Console()
    score = result.evaluation.summary()["mean"]
    steps = result.curve[-1].steps
    console.print(f"{experiment.env.id} seed {experiment.training.seed}: score {score}")
    if result.reference is not None:
        console.print(
            f"reference {experiment.evaluation.reference_agent}: {result.reference:,.0f}; "
            f"reached {result.normalised:.1%} of it"
        )
    console.print(f"{steps:,} steps in {result.seconds:.0f} s; everything is in {result.folder}")


def _free_folder(config: ExperimentConfig) -> Path:
    """Return runs/<name>/seed-<seed>, with a number behind where that is taken."""
    base = Path("runs") / config.name / f"seed-{config.training.seed}"
    if not base.exists():
        return base
    numbered = (base.with_name(f"{base.name}-{number}") for number in count(2))
    return next(path for path in numbered if not path.exists())
