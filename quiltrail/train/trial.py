"""One trial of a sweep, in a process of its own."""

from __future__ import annotations

import signal
import sys
import traceback
from pathlib import Path
from typing import Any

from quiltrail.train.config import ExperimentConfig

STOPPED_CODE = 3  # exit code of a trial that saved and stopped because it was told to


def run_trial(config: dict[str, Any], folder: Path, error_file: Path) -> None:
    """Train a config to its end, or go on with the run that lies in the folder.

    Exits with 0, with `STOPPED_CODE`, or with 1 after writing why it failed.

    Args:
        config: as data.
        folder: of the run.
        error_file: written on failure: one line, then the whole traceback.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches it through the sweep, once
    try:
        _train(config, folder)
    except Exception as error:
        from quiltrail.train.run import InterruptedRunError

        if isinstance(error, InterruptedRunError):
            sys.exit(STOPPED_CODE)
        error_file.parent.mkdir(parents=True, exist_ok=True)
        said = " ".join(f"{type(error).__name__}: {error}".split())
        error_file.write_text(f"{said}\n\n{traceback.format_exc()}", encoding="utf-8")
        sys.exit(1)


def _train(config: dict[str, Any], folder: Path) -> None:
    from quiltrail.train.run import resume_experiment, run_experiment

    if (folder / "config.yaml").is_file():
        resume_experiment(folder, quiet=True)
        return
    run_experiment(ExperimentConfig.model_validate(config), folder, quiet=True)
