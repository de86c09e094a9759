"""One trial of a sweep as Ray Tune's function: what runs on a node.

Tune hands out dictionaries. Ours have `TRIAL` (name and config), `COMMAND` (what the user typed),
`JUDGED` (whether a scheduler waits for each evaluation) and, where a scheduler or a search puts
values in, `CHANGED` or `SUGGESTED` (value by key).

A run lives in a folder of the node that nobody else writes. Each time it saves, the folder goes to
Tune as one packed file: whatever happens to the node, another one goes on from there.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ray import tune

from quiltrail.train.config import ExperimentConfig, configure
from quiltrail.train.folder import FINISHED, RUNNING, RunFolder
from quiltrail.train.sweep import experiment

TRIAL, COMMAND, CHANGED, SUGGESTED = "trial", "command", "changed", "suggested"
JUDGED = "judged"
NAME, CONFIG = "name", "config"

#: What a report to Tune holds beside the status of the run.
STATE = "state"
#: Reports carry these two; schedulers and searches look at them. The steps are those of the last
#: evaluation, and 0 in the last report: nobody is to be stopped or changed when it has finished.
METRIC, STEPS = "score", "judged_steps"

_PACKED = "run.tar"


def train_trial(given: dict[str, Any]) -> None:
    """Train a run to its end, from Tune's checkpoint if there is one."""
    sys.argv = ["quiltrail", *given[COMMAND]]  # run.json says what the user typed
    config = _experiment(given)
    with tempfile.TemporaryDirectory(prefix="quiltrail-") as place:
        folder = Path(place) / "run"
        checkpoint = tune.get_checkpoint()
        if checkpoint is not None:
            unpack(checkpoint, folder)
        _train(config, folder, judged=given[JUDGED])


def _experiment(given: dict[str, Any]) -> ExperimentConfig:
    config = given[TRIAL][CONFIG]
    if SUGGESTED in given:
        return experiment(config, given[SUGGESTED], config["training"]["seed"])
    return configure(config, given.get(CHANGED, {}))


def unpack(checkpoint: tune.Checkpoint, path: Path) -> RunFolder:
    """Put the run that a checkpoint holds into its place."""
    with checkpoint.as_directory() as saved:
        return RunFolder.unpack(Path(saved) / _PACKED, path)


def _train(config: ExperimentConfig, path: Path, *, judged: bool) -> None:
    from quiltrail.train.run import Run  # torch takes seconds to import

    run = Run(config, lambda status: _report(path, RUNNING, status), save_evaluations=judged)
    if path.exists():
        folder = RunFolder.open(path)
        changed = folder.config.digest != config.digest
        if changed:
            folder.change_config(config, folder.status["steps"])
        run.attach(folder, take_over=changed)
    else:
        run.attach(RunFolder.create(path, config))
    run.finish(quiet=True)
    _report(path, FINISHED, RunFolder(path).status)


def _report(path: Path, state: str, status: Mapping[str, Any]) -> None:
    """Give Tune the run as it stands, and wait until it has taken note."""
    with tempfile.TemporaryDirectory(prefix="quiltrail-") as place:
        RunFolder(path).pack(Path(place) / _PACKED)
        steps = 0 if state == FINISHED else status["evaluated_steps"]
        report = {**status, STATE: state, STEPS: steps}
        tune.report(report, checkpoint=tune.Checkpoint.from_directory(place))
