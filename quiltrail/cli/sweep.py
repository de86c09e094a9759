"""``quiltrail sweep``: settings times seeds on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table

from quiltrail.cli.values import parse_seeds
from quiltrail.core.errors import ConfigError
from quiltrail.train.config import load_config
from quiltrail.train.folder import FINISHED, RunFolder
from quiltrail.train.local_backend import LocalBackend
from quiltrail.train.progress import StopRequest
from quiltrail.train.sweep import WAITING, Sweep, Trial, parse_grid

_INTERRUPTED = 130


def sweep(
    config: Annotated[
        str | None, typer.Argument(help="a shipped config, a game, or a YAML file")
    ] = None,
    seeds: Annotated[str, typer.Option(help="training seeds: 0-9 or 1,5,9")] = "0",
    grid: Annotated[
        list[str] | None, typer.Option(help="section.key=value,value,.., may be repeated")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="section.key=value for every trial")
    ] = None,
    jobs: Annotated[int, typer.Option(help="trials at a time, one thread each")] = 1,
    out: Annotated[Path | None, typer.Option(help="the sweep's folder")] = None,
    resume: Annotated[Path | None, typer.Option(help="go on with the sweep in this folder")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="no table of progress")] = False,
) -> None:
    """Train a config with each setting of a grid and each seed, then compare."""
    backend = LocalBackend(jobs)
    if resume is not None:
        if config is not None or grid or settings or out:
            raise ConfigError("--resume takes everything from the sweep; name nothing else with it")
        chosen = Sweep.open(resume)
    elif config is None:
        raise ConfigError("name a config, or a sweep with --resume")
    else:
        base = load_config(config, [*(settings or []), "training.threads=1"])
        folder = out or Path("runs") / f"{base.name}-sweep"
        chosen = Sweep.create(folder, base, parse_grid(grid or []), parse_seeds(seeds))
    _run(chosen, backend, quiet=quiet)


def _run(chosen: Sweep, backend: LocalBackend, *, quiet: bool) -> None:
    board = _Board(chosen.trials())
    console = Console(quiet=quiet)
    with StopRequest() as stop, Live(board.table(), console=console, auto_refresh=False) as live:

        def show(trial: Trial, state: str) -> None:
            board.states[trial.name] = state
            live.update(board.table(), refresh=True)

        chosen.run(backend, show, lambda: stop.noted)
    _finish(chosen, stopped=stop.noted)


def _finish(chosen: Sweep, *, stopped: bool) -> None:
    """Say what came of a sweep; exit with 1 if trials failed, with 130 if it was stopped."""
    console = Console()
    if any(trial.is_finished for trial in chosen.trials()):
        from quiltrail.train.compare import compare, write_comparison  # matplotlib takes a second

        comparison = compare([chosen.folder])
        write_comparison(comparison, chosen.folder)
        for line in comparison.lines():
            console.print(line, highlight=False, markup=False, soft_wrap=True)
        console.print(f"tables and curves are in {chosen.folder / 'COMPARISON.md'}")
    failures = chosen.failures()
    for name, why in failures.items():
        console.print(f"failed: {name}: {why}", highlight=False, markup=False, soft_wrap=True)
    if stopped:
        console.print(f"stopped and saved; go on with: quiltrail sweep --resume {chosen.folder}")
        raise typer.Exit(_INTERRUPTED)
    if failures:
        raise typer.Exit(1)


class _Board:
    """The live table of trials."""

    def __init__(self, trials: list[Trial]) -> None:
        self._trials = trials
        self.states = {trial.name: FINISHED if trial.is_finished else WAITING for trial in trials}

    def table(self) -> Table:
        """Return the table as things stand."""
        table = Table("trial", "state", "steps", "score", "normalised", box=None)
        for trial in self._trials:
            status = RunFolder(trial.folder).status
            share = status.get("normalised")
            table.add_row(
                trial.name,
                self.states[trial.name],
                f"{status['steps']:,} of {status['total_steps']:,}" if status else "",
                f"{status['score']:,.0f}" if status else "",
                "" if share is None else f"{share:.1%}",
            )
        return table
