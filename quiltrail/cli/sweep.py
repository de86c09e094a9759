"""``quiltrail sweep``: settings times seeds, on this machine or on a Ray cluster."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table

from quiltrail.cli.compare import compare_runs
from quiltrail.cli.options import ConfigName
from quiltrail.cli.values import parse_seeds
from quiltrail.core.errors import ConfigError, InterruptedRunError, unknown_name_text
from quiltrail.core.extras import require
from quiltrail.train.config import load_config
from quiltrail.train.folder import CUT_SHORT, FINISHED, RunFolder
from quiltrail.train.local_backend import LocalBackend
from quiltrail.train.progress import StopRequest
from quiltrail.train.sweep import WORKING, Backend, Sweep, Trial, parse_grid

_LOCAL, _RAY = _BACKENDS = ("local", "ray")
_LONGEST_TABLE = 40
_DRAW_SECONDS = 0.2


def sweep(
    config: ConfigName = None,
    seeds: Annotated[str, typer.Option(help="training seeds: 0-9 or 1,5,9")] = "0",
    grid: Annotated[
        list[str] | None, typer.Option(help="section.key=value,value,.., may be repeated")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="section.key=value for every trial")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(help="trials at a time, one thread each; local: 1, ray: one for each CPU"),
    ] = None,
    backend: Annotated[str, typer.Option(help="who runs the trials: local or ray")] = "local",
    address: Annotated[
        str | None, typer.Option(help='ray: of a running cluster, "auto" on one of its nodes')
    ] = None,
    storage: Annotated[
        str | None,
        typer.Option(help="ray: a folder, or s3://.., that every node reaches; checkpoints"),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="the sweep's folder")] = None,
    resume: Annotated[Path | None, typer.Option(help="go on with the sweep in this folder")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="no table of progress")] = False,
) -> None:
    """Train a config with each setting of a grid and each seed, then compare."""
    runner = _backend(backend, jobs, address, storage)
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
    _run(chosen, runner, quiet=quiet)


def _backend(name: str, jobs: int | None, address: str | None, storage: str | None) -> Backend:
    """Return who runs the trials.

    Raises:
        ConfigError: if an option does not belong to it.
        MissingExtraError: if it is ray, which is not installed.
    """
    if name not in _BACKENDS:
        raise ConfigError(unknown_name_text("backend", name, _BACKENDS))
    if name == _RAY:
        require("sweep", "ray.tune")
        from quiltrail.train.cluster.backend import RayBackend  # ray takes seconds to import

        return RayBackend(address, storage, jobs)
    if address is not None or storage is not None:
        raise ConfigError("--address and --storage belong to --backend ray")
    return LocalBackend(1 if jobs is None else jobs)


def _run(chosen: Sweep, backend: Backend, *, quiet: bool) -> None:
    board = _Board(chosen.trials())
    console = Console(quiet=quiet)
    with StopRequest() as stop, Live(board.table(), console=console, auto_refresh=False) as live:

        def show(trial: Trial, state: str, status: Mapping[str, Any]) -> None:
            board.show(trial, state, status)
            if board.is_due():
                live.update(board.table(), refresh=True)

        chosen.run(backend, show, lambda: stop.noted)
        live.update(board.table(), refresh=True)
    _finish(chosen, stopped=stop.noted)


def _finish(chosen: Sweep, *, stopped: bool) -> None:
    """Say what came of a sweep; exit with 1 if trials failed.

    Raises:
        InterruptedRunError: if it was stopped.
    """
    if any(trial.state == FINISHED for trial in chosen.trials()):
        compare_runs([chosen.folder], out=chosen.folder)
    cut_short = sum(trial.state == CUT_SHORT for trial in chosen.trials())
    if cut_short:
        typer.echo(f"{cut_short} trial(s) were cut short; others did better")
    failures = chosen.failures()
    for name, why in failures.items():
        typer.echo(f"failed: {name}: {why}")
    if stopped:
        raise InterruptedRunError(
            f"stopped and saved; go on with: quiltrail sweep --resume {chosen.folder}"
        )
    if failures:
        raise typer.Exit(1)


class _Board:
    """The live table of trials: all of a small sweep, of a large one some of those at work."""

    def __init__(self, trials: list[Trial]) -> None:
        self._drawn = 0.0
        self._states = {trial.name: trial.state for trial in trials}
        self._statuses = {trial.name: RunFolder(trial.folder).status for trial in trials}

    def show(self, trial: Trial, state: str, status: Mapping[str, Any]) -> None:
        """Take note of a trial's state and of how far it is."""
        self._states[trial.name] = state
        self._statuses[trial.name] = dict(status) or self._statuses.get(trial.name, {})

    def is_due(self) -> bool:
        """Return whether to draw again: a thousand trials report more often than one can read."""
        due = time.monotonic() - self._drawn >= _DRAW_SECONDS
        if due:
            self._drawn = time.monotonic()
        return due

    def table(self) -> Table:
        """Return the table as things stand."""
        counts = Counter(self._states.values())
        title = ", ".join(f"{count} {state}" for state, count in counts.items())
        table = Table("trial", "state", "steps", "score", "normalised", box=None, title=title)
        shown = list(self._states)
        if len(shown) > _LONGEST_TABLE:
            shown = [name for name in shown if self._states[name] == WORKING][:_LONGEST_TABLE]
        for name in shown:
            table.add_row(name, self._states[name], *_progress(self._statuses[name]))
        return table


def _progress(status: dict[str, Any]) -> tuple[str, str, str]:
    if not status:
        return "", "", ""
    share = status.get("normalised")
    return (
        f"{status['steps']:,} of {status['total_steps']:,}",
        f"{status['score']:,.0f}",
        "" if share is None else f"{share:.1%}",
    )
