"""Trials on a Ray cluster: Tune places them, keeps their checkpoints and moves them when they fall.

Tune's own state and the checkpoints lie on storage that every node reaches; the sweep's folder only
needs to be reached by the process that runs the sweep.
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ray
from ray import tune
from ray.tune.experiment import Trial as TuneTrial

from quiltrail.core.errors import ConfigError, on_one_line, shown
from quiltrail.train.cluster.search import make_scheduler, make_search, param_space
from quiltrail.train.cluster.trial import METRIC, NAME, STATE, SUGGESTED, TRIAL, train_trial, unpack
from quiltrail.train.files import read_json, write_json
from quiltrail.train.folder import CUT_SHORT, FINISHED
from quiltrail.train.sweep import (
    FAILED,
    STOPPED,
    WORKING,
    Backend,
    OnChange,
    Sweep,
    Trial,
    as_file_name,
)

_RECORD = "ray.json"  # in the sweep's folder: where Tune keeps its state
_ID_BYTES = 4
_KEPT_CHECKPOINTS = 2
_CPUS_PER_TRIAL = 1  # a trial has one thread
_STATUS = ("steps", "total_steps", METRIC, "normalised", "seconds")

#: For Tune: no result files of its own, no tables, no advice about snapshots that are wanted,
#: Ctrl-C stays ours.
_SETTINGS = {
    "RAY_AIR_NEW_OUTPUT": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",
    "TUNE_DISABLE_SIGINT_HANDLER": "1",
    "TUNE_WARN_EXCESSIVE_EXPERIMENT_CHECKPOINT_SYNC_THRESHOLD_S": "0",
}


class RayBackend(Backend):
    """Trials of one CPU each on a Ray cluster, as many at a time as it has CPUs.

    A trial that fails goes on from its newest checkpoint, on another node if its own is lost, and
    is given up after ``sweep.max_failures``. If this process ends, however it does, running the
    sweep again goes on.

    Args:
        address: of a running cluster ("auto" on one of its nodes); None starts Ray here.
        storage: where Tune keeps its state and the checkpoints: a folder that every node reaches,
            or an address such as "s3://bucket/sweeps". None for a folder of the sweep's.
        jobs: trials at a time at most; None for as many as there are CPUs.
    """

    def __init__(
        self, address: str | None = None, storage: str | None = None, jobs: int | None = None
    ) -> None:
        if jobs is not None and jobs < 1:
            raise ConfigError(f"jobs is an int of at least 1, got {shown(jobs)}")
        self._address, self._storage, self._jobs = address, storage, jobs

    def run(self, sweep: Sweep, on_change: OnChange, stop: Callable[[], bool]) -> None:
        """Run what a sweep waits for; see `Backend.run`. Call it in the main thread.

        On a stop, trials end at once; their newest checkpoints are kept.

        Raises:
            ConfigError: if the sweep was begun with other storage, or there is no cluster.
        """
        place = _remembered(sweep, self._storage)
        watch = _Watch(sweep, on_change, stop)
        with _connected(self._address, self._jobs):
            tuner = self._tuner(sweep, place)
            if tuner is None:
                return
            token = _WATCH.set(watch)
            try:
                tuner.fit()
            except BaseException:
                watch.stopping = True
                raise
            finally:
                _WATCH.reset(token)
                watch.finish()

    def _trainable(self) -> Callable[[dict[str, Any]], None]:
        """Return what runs on the nodes."""
        return train_trial

    def _tuner(self, sweep: Sweep, place: _Place) -> tune.Tuner | None:
        """Return Tune's run, begun or gone on with; None if there is nothing to do."""
        trainable = tune.with_resources(self._trainable(), {"cpu": _CPUS_PER_TRIAL})
        path = f"{place.storage}/{place.experiment}"
        if tune.Tuner.can_restore(path):
            return tune.Tuner.restore(path, trainable, resume_errored=True)
        tuning = sweep.tuning
        waiting = sweep.waiting()
        if not waiting and tuning.optuna is None:
            return None
        names = _Names(sweep)
        steps = [one.config.training.total_steps for one in waiting]
        # Members of a population share checkpoints, and Tune would delete one under the other.
        kept = _KEPT_CHECKPOINTS if tuning.pbt is None else None
        return tune.Tuner(
            trainable,
            param_space=param_space(sweep, command=sys.argv[1:]),
            tune_config=tune.TuneConfig(
                num_samples=tuning.optuna.trials if tuning.optuna else 1,
                search_alg=make_search(tuning, self._jobs),
                scheduler=make_scheduler(
                    tuning, max(steps or [sweep.base["training"]["total_steps"]])
                ),
                max_concurrent_trials=None if tuning.optuna else self._jobs,
                trial_name_creator=names,
                trial_dirname_creator=names,
            ),
            run_config=tune.RunConfig(
                name=place.experiment,
                storage_path=place.storage,
                failure_config=tune.FailureConfig(max_failures=tuning.max_failures),
                checkpoint_config=tune.CheckpointConfig(num_to_keep=kept),
                callbacks=[_Relay()],
                verbose=0,
            ),
        )


@dataclass(frozen=True)
class _Place:
    """Where Tune keeps its state: storage that sweeps may share, and this sweep's part of it."""

    storage: str
    experiment: str


def _remembered(sweep: Sweep, storage: str | None) -> _Place:
    """Return where Tune's state lies, and write it down for the next time.

    Raises:
        ConfigError: if it lies elsewhere.
    """
    record = read_json(sweep.folder / _RECORD)
    if storage is not None and "://" not in storage:
        storage = str(Path(storage).absolute())
    if record is not None:
        known = _Place(**record)
        if storage not in (None, known.storage):
            raise ConfigError(f"this sweep keeps its state in {known.storage}, not in {storage}")
        return known
    name = f"{sweep.folder.absolute().name}-{secrets.token_hex(_ID_BYTES)}"
    place = _Place(storage or str((sweep.folder / "ray").absolute()), name)
    write_json(sweep.folder / _RECORD, vars(place))
    return place


@contextmanager
def _connected(address: str | None, jobs: int | None) -> Iterator[None]:
    """Use the cluster this process is connected to, or connect to one, or start Ray here."""
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    logging.getLogger("ray.tune").setLevel(logging.ERROR)  # it misses its own result files
    if ray.is_initialized():
        yield
        return
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.WARNING}
    if address is None:
        options |= {"include_dashboard": False, "num_cpus": jobs}
    try:
        ray.init(address=address or "local", **options)
    except (ConnectionError, ValueError, RuntimeError) as error:
        said = on_one_line(error)
        raise ConfigError(f"cannot connect to Ray at {address}: {said}") from error
    try:
        yield
    finally:
        ray.shutdown()


@dataclass(frozen=True)
class _Names:
    """Names Tune's trials, and their folders, after ours."""

    sweep: Sweep

    def __call__(self, one: TuneTrial) -> str:
        name: str | None = one.config[TRIAL][NAME]
        if name is None:
            return self.sweep.suggested(one.config[SUGGESTED]).file_name
        return as_file_name(name)


@dataclass
class _Watch:
    """What this process sees of Tune's trials: it tells their states and fetches their runs."""

    sweep: Sweep
    on_change: OnChange
    stop: Callable[[], bool]
    trials: dict[str, Trial] = field(init=False)
    tune_trials: dict[str, TuneTrial] = field(default_factory=dict)  # by Tune's own id
    fetched: set[str] = field(default_factory=set)
    stopping: bool = False

    def __post_init__(self) -> None:
        self.trials = {trial.file_name: trial for trial in self.sweep.trials()}

    def begun(self, one: TuneTrial) -> None:
        """A trial was placed on a node, anew or again."""
        self.tune_trials[one.trial_id] = one
        self.fetched.discard(one.trial_id)
        self.on_change(self._trial(one), WORKING, _status(one))

    def reported(self, one: TuneTrial) -> None:
        """A trial told how far it is."""
        self.on_change(self._trial(one), WORKING, _status(one))

    def look(self, tune_trials: list[TuneTrial]) -> None:
        """Fetch what is over, and end it all if that is wanted; called at every turn."""
        for one in tune_trials:
            if one.trial_id not in self.fetched and one.is_finished():
                self._fetch(one)
        if not self.stopping and self.stop():
            self.stopping = True
            signal.raise_signal(signal.SIGUSR1)  # Tune saves its state and returns

    def finish(self) -> None:
        """Fetch the rest, and say what was stopped: Tune ends what runs when it returns early."""
        for one in self.tune_trials.values():
            if one.trial_id in self.fetched:
                continue
            if not one.is_finished() or (self.stopping and _was_ended(one)):
                self.on_change(self._trial(one), STOPPED, _status(one))
            else:
                self._fetch(one)

    def _fetch(self, one: TuneTrial) -> None:
        """Put the run of a trial that is over where the sweep expects it."""
        trial = self._trial(one)
        self.fetched.add(one.trial_id)
        if one.status == TuneTrial.ERROR:
            error = one.get_pickled_error()
            cause = getattr(error, "cause", None) or error  # what was raised on the node
            trial.write_error(f"{type(cause).__name__}: {cause}", one.get_error() or "")
            self.on_change(trial, FAILED, _status(one))
            return
        if one.trial_id in self.tune_trials or trial.state != FINISHED:
            folder = unpack(one.checkpoint, trial.folder)
            if _was_ended(one):
                folder.tell(CUT_SHORT, **_status(one))
        self.on_change(trial, trial.state, _status(one))

    def _trial(self, one: TuneTrial) -> Trial:
        name = str(one)  # given by _Names; a member of a population may have another one's config
        if name not in self.trials:
            self.sweep.keep_suggestion(one.config[SUGGESTED])
            self.trials[name] = self.sweep.suggested(one.config[SUGGESTED])
        return self.trials[name]


def _was_ended(one: TuneTrial) -> bool:
    """Return whether a trial was ended before its run was finished."""
    told = (one.last_result or {}).get(STATE)
    return bool(one.status == TuneTrial.TERMINATED and told != FINISHED)


def _status(one: TuneTrial) -> dict[str, Any]:
    result = one.last_result or {}
    return {name: result[name] for name in _STATUS if name in result}


_WATCH: ContextVar[_Watch] = ContextVar("watch")


class _Relay(tune.Callback):  # type: ignore[misc]  # ray is untyped here
    """Tells the watch of this process; Tune saves its callbacks, so this one holds nothing."""

    def on_trial_start(
        self, iteration: int, trials: list[TuneTrial], trial: TuneTrial, **info: Any
    ) -> None:
        """See `_Watch.begun`."""
        _WATCH.get().begun(trial)

    def on_trial_result(
        self,
        iteration: int,
        trials: list[TuneTrial],
        trial: TuneTrial,
        result: dict[str, Any],
        **info: Any,
    ) -> None:
        """See `_Watch.reported`."""
        _WATCH.get().reported(trial)

    def on_step_end(self, iteration: int, trials: list[TuneTrial], **info: Any) -> None:
        """See `_Watch.look`."""
        _WATCH.get().look(trials)
