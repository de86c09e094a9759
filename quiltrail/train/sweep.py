"""Sweeps: a config times settings times seeds, each trial a run of its own.

Who runs the trials is a `Backend`: `LocalBackend` uses processes of this machine, `RayBackend` a
cluster. A sweep lives in a folder: ``sweep.json`` says what it is, the trials' runs lie below.
Running it again goes on: what is finished stays, what was begun is resumed.
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
from pydantic import ValidationError

from quiltrail.core.errors import ConfigError, on_one_line, shown
from quiltrail.train.config import ExperimentConfig, configure
from quiltrail.train.files import read_json, write_json, write_text
from quiltrail.train.folder import CUT_SHORT, FINISHED, RunFolder
from quiltrail.train.sections import digest_of
from quiltrail.train.tuning import SweepSection
from quiltrail.train.yaml_values import YamlError, parse_yaml

WAITING, WORKING, FAILED, STOPPED = "waiting", "working", "failed", "stopped"

_RECORD, _SUGGESTED = "sweep.json", "suggested.json"
_ERRORS = "errors"
_LONGEST_NAME = 80
_LABEL_LENGTH = 8


@dataclass(frozen=True)
class Trial:
    """One run of a sweep.

    Attributes:
        name: of the trial, and of its folder below the sweep's.
        config: what it trains.
        sweep_folder: of the sweep it belongs to.
    """

    name: str
    config: ExperimentConfig
    sweep_folder: Path

    @property
    def folder(self) -> Path:
        """Where its run lies."""
        return self.sweep_folder / self.name

    @property
    def error_file(self) -> Path:
        """Where it says why it failed."""
        return self.sweep_folder / _ERRORS / f"{self.file_name}.txt"

    @property
    def file_name(self) -> str:
        """Its name as one part of a path."""
        return as_file_name(self.name)

    @property
    def state(self) -> str:
        """WAITING unless its run is over: FINISHED or CUT_SHORT."""
        state = RunFolder(self.folder).status.get("state")
        return state if state in (FINISHED, CUT_SHORT) else WAITING

    def write_error(self, said: str, trace: str = "") -> None:
        """Keep why it failed: one line, then all of it."""
        self.error_file.parent.mkdir(parents=True, exist_ok=True)
        text = f"{on_one_line(said)}\n" + (f"\n{trace}" if trace else "")
        write_text(self.error_file, text)


#: Told whenever a trial's state changes: the trial; WORKING, FINISHED, CUT_SHORT, FAILED or
#: STOPPED; and how far its run is, as in status.json.
OnChange = Callable[[Trial, str, Mapping[str, Any]], None]


class Backend(ABC):
    """Runs trials somewhere; a trial's failure is its own."""

    @abstractmethod
    def run(self, sweep: Sweep, on_change: OnChange, stop: Callable[[], bool]) -> None:
        """Run what a sweep waits for; each run's folder lies in its place when its trial is over.

        Args:
            sweep: whose `Sweep.waiting` trials are to run, in order.
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

    @property
    def tuning(self) -> SweepSection:
        """How it goes about its trials.

        Raises:
            ConfigError: if that part of its base is damaged.
        """
        try:
            return SweepSection.model_validate(self.base.get("sweep") or {})
        except ValidationError as error:
            fault = error.errors()[0]
            got = shown(fault["input"])
            raise ConfigError(f"config key sweep: {fault['msg']}, got {got}") from None

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
        if sweep.tuning.optuna and (grid or len(sweep.seeds) > 1):
            raise ConfigError("sweep.optuna chooses the settings: give it no grid and one seed")
        sweep._check_spaces()
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
        if record is None or not _is_record(record):
            raise ConfigError(f"{folder} holds no sweep: it has no {_RECORD}, or a damaged one")
        return cls(folder, **record)

    def trials(self) -> list[Trial]:
        """Return all trials: settings in order, seeds within; of a search, those suggested so far.

        Raises:
            ConfigError: if a setting is not allowed.
        """
        if self.tuning.optuna:
            return [self.suggested(one) for one in self._suggestions()]
        combinations = product(*self.grid.values())
        settings = [dict(zip(self.grid, values, strict=True)) for values in combinations]
        return [
            self._trial(f"{number:03d}", setting, seed)
            for number, setting in enumerate(settings)
            for seed in self.seeds
        ]

    def waiting(self) -> list[Trial]:
        """Return the trials that are not over."""
        return [trial for trial in self.trials() if trial.state == WAITING]

    def suggested(self, setting: Mapping[str, Any]) -> Trial:
        """Return the trial of a suggested setting; its name is a function of the setting."""
        label = digest_of(setting)[:_LABEL_LENGTH]
        return self._trial(label, dict(setting), self.seeds[0])

    def keep_suggestion(self, setting: Mapping[str, Any]) -> None:
        """Take a suggested setting into the list of trials."""
        kept = self._suggestions()
        if setting not in kept:
            write_json(self.folder / _SUGGESTED, {"settings": [*kept, dict(setting)]})

    def run(self, backend: Backend, on_change: OnChange, stop: Callable[[], bool]) -> None:
        """Run what is not over yet."""
        for trial in self.waiting():
            trial.error_file.unlink(missing_ok=True)
        backend.run(self, on_change, stop)

    def failures(self) -> dict[str, str]:
        """Return why trials failed, by name: the last line of each error."""
        found = {}
        for trial in self.trials():
            if trial.error_file.is_file():
                found[trial.name] = trial.error_file.read_text(encoding="utf-8").split("\n")[0]
        return found

    def _trial(self, label: str, setting: dict[str, Any], seed: int) -> Trial:
        name = f"{_file_name(label, _text(setting))}/seed-{seed}"
        return Trial(name, experiment(self.base, setting, seed), self.folder)

    def _check_spaces(self) -> None:
        """Try the ends of what may be suggested or changed, so that mistakes show at once."""
        for section in (self.tuning.optuna, self.tuning.pbt):
            for key, values in (section.space if section else {}).items():
                for value in values if isinstance(values, list) else (values.low, values.high):
                    configure(self.base, {key: value})

    def _suggestions(self) -> list[dict[str, Any]]:
        kept = read_json(self.folder / _SUGGESTED)
        return kept["settings"] if kept else []

    def _record(self) -> dict[str, Any]:
        return {"base": self.base, "grid": self.grid, "seeds": self.seeds}


def experiment(base: Mapping[str, Any], setting: Mapping[str, Any], seed: int) -> ExperimentConfig:
    """Return what a trial trains.

    Args:
        base: the sweep's config, as data.
        setting: values by key.
        seed: of its training.

    Raises:
        ConfigError: if the setting is not allowed.
    """
    name = f"{base['name']} {_text(setting)}".strip()
    overrides = {**setting, "training.seed": seed, "sweep": None, "name": name}
    return configure(dict(base), overrides)


def as_file_name(name: str) -> str:
    """Return a trial's name as one part of a path."""
    return name.replace("/", "-")


def parse_grid(settings: Sequence[str]) -> dict[str, list[Any]]:
    """Return values by key of settings written a.b=1,2,3, the values in YAML.

    Raises:
        ConfigError: if one is not written so.
    """
    grid: dict[str, list[Any]] = {}
    for setting in settings:
        key, sign, text = setting.partition("=")
        try:
            values = parse_yaml(f"[{text}]")
        except YamlError:
            values = None
        if not sign or not key or not values or key in grid:
            raise ConfigError(f"a grid is written section.key=value,value,.., got {shown(setting)}")
        grid[key] = values
    return grid


def _text(setting: Mapping[str, Any]) -> str:
    return " ".join(f"{key}={_short(value)}" for key, value in setting.items())


def _is_record(record: dict[str, Any]) -> bool:
    """Return whether this is what `Sweep.create` writes."""
    if set(record) != {"base", "grid", "seeds"}:
        return False
    base, grid, seeds = record["base"], record["grid"], record["seeds"]
    return (
        isinstance(base, dict)
        and isinstance(base.get("name"), str)
        and isinstance(grid, dict)
        and all(isinstance(values, list) for values in grid.values())
        and isinstance(seeds, list)
    )


def _short(value: object) -> str:
    return yaml.safe_dump(value, default_flow_style=True, width=10**6).split("\n")[0]


def _file_name(label: str, text: str) -> str:
    kept = re.sub(r"[^A-Za-z0-9._=,-]+", "-", text)[:_LONGEST_NAME].strip("-. ")
    return f"{label}-{kept}" if kept else label
