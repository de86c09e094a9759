"""Trials in processes of this machine, one process each, a few at a time."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.context import SpawnProcess

from quiltrail.core.errors import ConfigError, shown
from quiltrail.train.folder import FINISHED, RunFolder
from quiltrail.train.sweep import FAILED, STOPPED, WORKING, Backend, OnChange, Sweep, Trial
from quiltrail.train.trial import STOPPED_CODE, run_trial

_POLL_SECONDS = 0.2


class LocalBackend(Backend):
    """At most ``jobs`` trials at a time.

    Each has a fresh process, so that a trial that is killed, or takes all memory, harms no other.

    Args:
        jobs: processes at a time.

    Raises:
        ConfigError: if it is not an int of at least 1.
    """

    def __init__(self, jobs: int) -> None:
        if type(jobs) is not int or jobs < 1:
            raise ConfigError(f"jobs is an int of at least 1, got {shown(jobs)}")
        self._jobs = jobs

    def run(self, sweep: Sweep, on_change: OnChange, stop: Callable[[], bool]) -> None:
        """Run all trials; see `Backend.run`.

        Raises:
            ConfigError: if the sweep asks for what only Ray Tune does.
        """
        if sweep.tuning.needs_ray:
            raise ConfigError("sweep.asha, sweep.pbt and sweep.optuna need --backend ray")
        waiting = sweep.waiting()
        working: dict[SpawnProcess, Trial] = {}
        stopping = False
        try:
            while working or (waiting and not stopping):
                while waiting and len(working) < self._jobs and not stopping:
                    trial = waiting.pop(0)
                    working[_start(trial)] = trial
                    on_change(trial, WORKING, {})
                time.sleep(_POLL_SECONDS)
                for process, trial in list(working.items()):
                    status = RunFolder(trial.folder).status
                    on_change(trial, _state_of(process, trial), status)
                    if process.exitcode is not None:
                        del working[process]
                if stop() and not stopping:
                    stopping = True
                    for process in working:
                        process.terminate()  # SIGTERM: the run saves at its next boundary
        finally:
            for process in working:
                process.terminate()
                process.join()


def _start(trial: Trial) -> SpawnProcess:
    process = multiprocessing.get_context("spawn").Process(
        target=run_trial,
        args=(trial,),
        name=trial.name,
    )
    process.start()
    return process


def _state_of(process: SpawnProcess, trial: Trial) -> str:
    """Return a trial's state; a process that died without a word gets an error file."""
    code = process.exitcode
    if code is None:
        return WORKING
    if code == 0:
        return FINISHED
    if code == STOPPED_CODE:
        return STOPPED
    if not trial.error_file.is_file():
        trial.write_error(f"its process ended with code {code}")
    return FAILED
