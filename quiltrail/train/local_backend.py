"""Trials in processes of this machine, one process each, a few at a time."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
import traceback
from collections.abc import Callable
from multiprocessing.context import SpawnProcess

from quiltrail.core.errors import ConfigError, InterruptedRunError, shown
from quiltrail.train.folder import FINISHED, RunFolder
from quiltrail.train.sweep import FAILED, STOPPED, WORKING, Backend, OnChange, Sweep, Trial

_POLL_SECONDS = 0.2
_FAILED_CODE = 1
_STOPPED_CODE = 3  # of a trial that saved and stopped because it was told to


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
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_run_trial, args=(trial,), name=trial.name)
    process.start()
    return process


def _run_trial(trial: Trial) -> None:
    """Train a trial to its end, or go on with the run that lies in its folder.

    Exits with 0, with 3 if it was stopped, or with 1 after writing why it failed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches it through the sweep, once
    try:
        _train(trial)
    except InterruptedRunError:
        sys.exit(_STOPPED_CODE)
    except Exception as error:
        trial.write_error(f"{type(error).__name__}: {error}", traceback.format_exc())
        sys.exit(_FAILED_CODE)


def _train(trial: Trial) -> None:
    from quiltrail.train.run import resume_experiment, run_experiment  # torch takes seconds

    if RunFolder(trial.folder).is_begun:
        resume_experiment(trial.folder, quiet=True)
    else:
        run_experiment(trial.config, trial.folder, quiet=True)


def _state_of(process: SpawnProcess, trial: Trial) -> str:
    """Return a trial's state; a process that died without a word gets an error file."""
    code = process.exitcode
    if code is None:
        return WORKING
    if code == 0:
        return FINISHED
    if code == _STOPPED_CODE:
        return STOPPED
    if not trial.error_file.is_file():
        trial.write_error(f"its process ended with code {code}")
    return FAILED
