"""One trial of a sweep, in a process of its own."""

from __future__ import annotations

import signal
import sys
import traceback

from quiltrail.train.sweep import Trial

STOPPED_CODE = 3  # exit code of a trial that saved and stopped because it was told to


def run_trial(trial: Trial) -> None:
    """Train a trial to its end, or go on with the run that lies in its folder.

    Exits with 0, with `STOPPED_CODE`, or with 1 after writing why it failed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches it through the sweep, once
    try:
        _train(trial)
    except Exception as error:
        from quiltrail.train.run import InterruptedRunError

        if isinstance(error, InterruptedRunError):
            sys.exit(STOPPED_CODE)
        trial.write_error(f"{type(error).__name__}: {error}", traceback.format_exc())
        sys.exit(1)


def _train(trial: Trial) -> None:
    from quiltrail.train.run import resume_experiment, run_experiment

    if (trial.folder / "config.yaml").is_file():
        resume_experiment(trial.folder, quiet=True)
        return
    run_experiment(trial.config, trial.folder, quiet=True)
