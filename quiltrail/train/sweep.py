"""Sweeps: a config times settings times seeds, each trial a run of its own.

Who runs the trials is a `Backend`; `LocalBackend` uses processes of this machine. A sweep lives in
a folder: ``sweep.json`` says what it is, the trials' runs lie below. Running it again goes on: what
is finished stays, what was begun is resumed.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from quiltrail.core.errors import ConfigError
from quiltrail.train.config import ExperimentConfig, configure
from quiltrail.train.files import read_json, write_json
from quiltrail.train.folder import FINISHED, RunFolder

WAITING, WORKING, FAILED, STOPPED = "waiting", "working", "failed", "stopped"

_RECORD = "sweep.json"
_ERRORS = "errors"
_LONGEST_NAME = 80


@dataclass(frozen=True)
class Trial:
    """One run of a sweep.

    Attributes:
        name: of the trial, and of its folder below the sweep's.
        config: what it trains.
        folder: of its run.
        error_file: where it says why it failed.
    """

    name: str
    config: ExperimentConfig
    folder: Path
    error_file: Path

    @property
    def is_finished(self) -> bool:
        """Whether its run is finished."""
        return RunFolder(self.folder).status.get("state") == FINISHED


#: Told whenever a trial's state changes: the trial, and WORKING, FINISHED, FAILED or STOPPED.
OnChange = Callable[[Trial, str], None]


class Backend(ABC):
    """Runs trials somewhere; a trial's failure is its own."""

    @abstractmethod
    def run(self, trials: Sequence[Trial], on_change: OnChange, stop: Callable[[], bool]) -> None:
        """Run all trials to their end with `quiltrail.train.trial.run_trial`.

        Args:
            trials: those to run, in order.
            on_change: called in this thread whenever a trial's state changes, and with no change
                every now and then, so that it can show progress.
            stop: once it returns True, no trial is begun any more and running ones save and stop.
        """


@dataclass(frozen=True)
class Sweep:
    """A config times settings times seeds.

    Attributes:
        folder: where everything about it lies.
        base: the resolved config, as data.
        grid: values by config key.
        seeds: of training.
    """

    folder: Path
    base: dict[str, Any]
    grid: dict[str, list[Any]]
    seeds: list[int]

    @classmethod
    def create(
        cls,
        folder: Path,
        config: ExperimentConfig,
        grid: Mapping[str, Sequence[Any]],
        seeds: Iterable[int],
    ) -> Sweep:
        """Make a sweep's folder, or open it where it holds the same sweep already.

        Raises:
            ConfigError: if a setting is not allowed, or the folder holds something else.
        """
        base = config.model_dump(mode="json")
        sweep = cls(folder, base, {key: list(values) for key, values in grid.items()}, list(seeds))
        trials = sweep.trials()
        names = {one.name for one in trials}
        if len(names) < len(trials):
            raise ConfigError("two trials of this sweep are the same; name each value once")
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            if read_json(folder / _RECORD) != sweep._record():
                raise ConfigError(f"{folder} holds something else; name another folder with --out")
        else:
            folder.mkdir(parents=True, exist_ok=True)
            write_json(folder / _RECORD, sweep._record())
        return sweep

    @classmethod
    def open(cls, folder: Path) -> Sweep:
        """Return the sweep in a folder.

        Raises:
            ConfigError: if there is none.
        """
        record = read_json(folder / _RECORD)
        if record is None or set(record) != {"base", "grid", "seeds"}:
            raise ConfigError(f"{folder} holds no sweep: it has no {_RECORD}")
        return cls(folder, **record)

    def trials(self) -> list[Trial]:
        """Return all trials: settings in order, seeds within.

        Raises:
            ConfigError: if a setting is not allowed.
        """
        found = []
        for number, values in enumerate(product(*self.grid.values())):
            setting = dict(zip(self.grid, values, strict=True))
            text = " ".join(f"{key}={_short(value)}" for key, value in setting.items())
            for seed in self.seeds:
                overrides = {**setting, "training.seed": seed}
                overrides["name"] = f"{self.base['name']} {text}".strip()
                name = f"{_file_name(number, text)}/seed-{seed}"
                config = configure(self.base, overrides)
                found.append(Trial(name, config, self.folder / name, self._error_file(name)))
        return found

    def run(self, backend: Backend, on_change: OnChange, stop: Callable[[], bool]) -> None:
        """Run what is not finished yet."""
        waiting = [trial for trial in self.trials() if not trial.is_finished]
        for trial in waiting:
            trial.error_file.unlink(missing_ok=True)
        backend.run(waiting, on_change, stop)

    def failures(self) -> dict[str, str]:
        """Return why trials failed, by name: the last line of each error."""
        found = {}
        for trial in self.trials():
            if trial.error_file.is_file():
                found[trial.name] = trial.error_file.read_text(encoding="utf-8").split("\n")[0]
        return found

    def _error_file(self, name: str) -> Path:
        return self.folder / _ERRORS / f"{name.replace('/', '-')}.txt"

    def _record(self) -> dict[str, Any]:
        return {"base": self.base, "grid": self.grid, "seeds": self.seeds}


def parse_grid(settings: Sequence[str]) -> dict[str, list[Any]]:
    """Return values by key of settings written a.b=1,2,3, the values in YAML.

    Raises:
        ConfigError: if one is not written so.
    """
    grid: dict[str, list[Any]] = {}
    for setting in settings:
        key, sign, text = setting.partition("=")
        try:
            values = yaml.safe_load(f"[{text}]")
        except yaml.YAMLError:
            values = None
        if not sign or not key or not values or key in grid:
            raise ConfigError(f"a grid is written section.key=value,value,.., got {setting!r}")
        grid[key] = values
    return grid


def _short(value: object) -> str:
    return yaml.safe_dump(value, default_flow_style=True, width=10**6).split("\n")[0]


def _file_name(number: int, text: str) -> str:
    kept = re.sub(r"[^A-Za-z0-9._=,-]+", "-", text)[:_LONGEST_NAME].strip("-")
    return f"{number:03d}-{kept}" if kept else f"{number:03d}"
