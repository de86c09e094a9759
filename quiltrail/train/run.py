"""One training run, from a config to a folder that says everything about it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents import Agent
from quiltrail.core.errors import ConfigError, InterruptedRunError, StorageError
from quiltrail.core.record import GameRecord
from quiltrail.train.config import ExperimentConfig
from quiltrail.train.evaluate import Evaluation, evaluate
from quiltrail.train.files import ASIDE
from quiltrail.train.folder import FINISHED, INTERRUPTED, RUNNING, RunFolder
from quiltrail.train.learners.base import Learner, find_learner
from quiltrail.train.lock import locked
from quiltrail.train.metrics import MetricsLog
from quiltrail.train.progress import ProgressBar, StopRequest
from quiltrail.train.randomness import (
    borrowed_randomness,
    fix_randomness,
    get_randomness,
    set_randomness,
)
from quiltrail.train.references import References, find_references
from quiltrail.train.report import write_results
from quiltrail.train.result import CurvePoint, RunResult

_STATUS_SECONDS = 1.0

#: Told after a checkpoint on the way is written: how far the run is, as in status.json.
OnSaved = Callable[[Mapping[str, Any]], None]


@dataclass
class _Memory:
    """What a run knows beside its learner."""

    curve: list[CurvePoint] = field(default_factory=list)
    best: Evaluation | None = None
    next_evaluation: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    reached: bool = False  # the reference, where the config stops there

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> _Memory:
        """Return the memory that ``dataclasses.asdict`` turned into plain values."""
        best = state["best"]
        if best is not None:
            best = Evaluation(**{**best, "first_game": GameRecord(**best["first_game"])})
        curve = [CurvePoint(**point) for point in state["curve"]]
        return cls(**{**state, "curve": curve, "best": best})


def run_experiment(config: ExperimentConfig, out: Path, *, quiet: bool = False) -> RunResult:
    """Train, evaluate and write the run's folder.

    Args:
        config: what to do.
        out: the folder to make; it must not exist yet, or be empty.
        quiet: whether to draw no progress bar.

    Raises:
        ConfigError: if the config names something that does not exist, or the folder is taken.
        StorageError: if a file cannot be written.
        InterruptedRunError: if Ctrl-C or SIGTERM stopped it; everything is saved.
    """
    run = Run(config)
    return _work(run, RunFolder.create(out, config), quiet=quiet)


def resume_experiment(path: Path, *, quiet: bool = False) -> RunResult:
    """Go on with an interrupted run from its newest whole checkpoint, or from its start.

    It ends in the same weights as a run that was never interrupted, on the same machine, with the
    same versions and number of threads.

    Raises:
        ConfigError: if there is no run, or another process is at work there.
        StorageError: if a file cannot be written.
        InterruptedRunError: if Ctrl-C or SIGTERM stopped it again.
    """
    folder = RunFolder.open(path)
    return _work(Run(folder.config), folder, quiet=quiet)


def _work(run: Run, folder: RunFolder, *, quiet: bool) -> RunResult:
    """Go on with a run in its folder, alone there.

    Raises:
        StorageError: if a file cannot be written.
    """
    try:
        with locked(folder.path):
            run.attach(folder)
            return run.finish(quiet=quiet)
    except OSError as error:
        raise StorageError(
            f"{error.strerror or error} ({error.filename or folder.path}); what was saved before "
            f"is whole, so make room and go on with: quiltrail train --resume {folder.path}"
        ) from error


def weights_hash(weights: Mapping[str, NDArray[np.generic]]) -> str:
    """Return the SHA-256 of names, types, shapes and values."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        value = np.ascontiguousarray(weights[name])
        digest.update(f"{name} {value.dtype.str} {value.shape}\n".encode())
        digest.update(value.tobytes())
    return digest.hexdigest()


class Run:
    """A run in this process: the learner, and what is known about it.

    Making it touches no file, so that a config that does not fit leaves nothing behind; then it is
    attached to a folder, learns, and writes its results there.

    Args:
        config: what to do.
        on_saved: if given, called after each checkpoint on the way.
        save_evaluations: whether each evaluation is followed by a checkpoint, however soon.

    Raises:
        ConfigError: if the config names something that does not exist.
        OptionError: if a part of the config does not fit the game.
    """

    def __init__(
        self,
        config: ExperimentConfig,
        on_saved: OnSaved | None = None,
        *,
        save_evaluations: bool = False,
    ) -> None:
        self.config = config
        self._on_saved, self._save_evaluations = on_saved, save_evaluations
        self._evaluated: dict[str, Any] = {
            "env_id": config.env.id,
            "max_episode_steps": config.evaluation.max_episode_steps,
            "settings": {**config.env.settings, **config.evaluation.settings},
        }
        fix_randomness(config.training.seed, config.training.threads)
        self._references = self._find_references(config.evaluation.seeds)
        self.learner: Learner = find_learner(config.training.algorithm)(config)
        self._player = self.learner.player()
        self._memory = _Memory()

    def attach(self, folder: RunFolder, *, take_over: bool = False) -> None:
        """Go on from the newest whole checkpoint in a folder, or from the start.

        Args:
            folder: of this run.
            take_over: whether the checkpoint may be of another config, as when a member of a
                population goes on from another one; its random numbers then stay this run's own.

        Raises:
            ConfigError: if the checkpoint is of another config.
        """
        self._folder = folder
        self._checkpoints = folder.checkpoints(self.config.checkpoints.keep)
        checkpoint = self._checkpoints.newest()
        if checkpoint is not None:
            self._restore(checkpoint, take_over=take_over)

    def finish(self, *, quiet: bool) -> RunResult:
        """Learn what is left, evaluate, write the results."""
        log = MetricsLog(self._folder.path, self.learner.steps)
        bar = ProgressBar(self.config.name, self.config.training.total_steps, quiet=quiet)
        with log, bar, StopRequest() as stop:
            self.learn(log, bar, stop)
        result = self._results()
        write_results(result, self.config)
        self._tell(FINISHED)
        return result

    def learn(self, log: MetricsLog, bar: ProgressBar, stop: StopRequest) -> None:
        """Learn what is left, from boundary to boundary.

        Raises:
            InterruptedRunError: if it was asked to stop; everything is saved.
        """
        self._began = time.monotonic() - self._memory.seconds
        self._cpu_began = time.process_time() - self._memory.cpu_seconds
        self._saved = self._told = time.monotonic()
        if self._memory.curve:
            bar.show(self.learner.steps, self._memory.curve[-1])
        # A checkpoint follows the evaluation of its own steps, so that what goes on from it is not
        # evaluated there again and knows the best model so far.
        while True:
            judged = self._evaluate_if_due(bar) and self._save_evaluations
            done = self._is_done()
            saved = self._save_if_due(now=done or stop.noted or judged)
            if done:
                return
            if saved and self._on_saved is not None:
                self._on_saved(self._status())
            if stop.noted:
                self._tell(INTERRUPTED)
                raise InterruptedRunError(
                    f"stopped and saved after {self.learner.steps:,} steps; "
                    f"go on with: quiltrail train --resume {self._folder.path}"
                )
            values = self.learner.learn_chunk() | self._last_score()
            log.add(self.learner.steps, values)
            bar.show(self.learner.steps)

    def _is_done(self) -> bool:
        return self._memory.reached or self.learner.steps >= self.config.training.total_steps

    def _evaluate_if_due(self, bar: ProgressBar) -> bool:
        memory, steps = self._memory, self.learner.steps
        if memory.curve and memory.curve[-1].steps == steps:
            return False  # a resumed run was evaluated here before it was interrupted
        if steps < memory.next_evaluation and not self._is_done():
            return False
        memory.next_evaluation = steps + self.config.evaluation.every_steps
        evaluation = self._evaluate(self._player, self.config.evaluation.seeds)
        score = evaluation.mean_score
        point = CurvePoint(
            steps, time.monotonic() - self._began, score, self._references.normalised(score)
        )
        memory.curve.append(point)
        if memory.best is None or score >= memory.best.mean_score:  # of equals the later
            memory.best = evaluation
            self._keep_model()
        reference = self._references.score
        if self.config.evaluation.stop_at_reference and reference is not None:
            memory.reached = score >= reference
        bar.show(steps, point)
        return True

    def _keep_model(self) -> None:
        aside = self._folder.path / f"model{ASIDE}"
        self.learner.save_model(aside)
        aside.replace(self._folder.model)

    def _last_score(self) -> dict[str, float]:
        return {"eval/mean_score": self._memory.curve[-1].score}

    def _evaluate(self, player: Agent, seeds: range) -> Evaluation:
        """Evaluate a player; what it draws at random changes nothing about what is learned."""
        with borrowed_randomness(self.config.training.seed):
            return evaluate(player, seeds=seeds, **self._evaluated)

    def _find_references(self, seeds: range) -> References:
        with borrowed_randomness(self.config.training.seed):
            agent = self.config.evaluation.reference_agent
            return find_references(agent, seeds=seeds, **self._evaluated)

    def _results(self) -> RunResult:
        memory, seeds = self._memory, self.config.evaluation.report_seeds
        assert memory.best is not None, "every run evaluates at least once"
        load = type(self.learner).load_player
        players = [
            load(self._folder.model, self.config, deterministic=sure) for sure in (True, False)
        ]
        report, sampled = (self._evaluate(player, seeds) for player in players)
        return RunResult(
            folder=self._folder.path,
            evaluation=memory.best,
            report=report,
            sampled=sampled,
            references=self._find_references(seeds),
            curve=memory.curve,
            steps=self.learner.steps,
            seconds=memory.seconds,
            cpu_seconds=memory.cpu_seconds,
            refusals=self.learner.refusals,
            weights_hash=weights_hash(self.learner.weights()),
        )

    def _save_if_due(self, *, now: bool) -> bool:
        clock = time.monotonic()
        self._memory.seconds = clock - self._began
        self._memory.cpu_seconds = time.process_time() - self._cpu_began
        due = now or clock - self._saved >= self.config.checkpoints.every_seconds
        if due:
            self._checkpoints.save(
                self.learner.steps,
                {
                    "config_digest": self.config.digest,
                    "learner": self.learner.get_state(),
                    "randomness": get_randomness(),
                    "memory": asdict(self._memory),
                },
            )
            self._saved = time.monotonic()
        if now or clock - self._told >= _STATUS_SECONDS:
            self._tell(RUNNING)
            self._told = clock
        return due

    def _restore(self, checkpoint: dict[str, Any], *, take_over: bool) -> None:
        if checkpoint["config_digest"] != self.config.digest and not take_over:
            raise ConfigError(
                f"the config in {self._folder.path} was changed since its checkpoint was written; "
                "train it as a new run"
            )
        self.learner.set_state(checkpoint["learner"])
        if not take_over:
            set_randomness(checkpoint["randomness"])
        self._memory = _Memory.from_state(checkpoint["memory"])

    def _tell(self, state: str) -> None:
        self._folder.tell(state, **self._status())

    def _status(self) -> dict[str, Any]:
        last = self._memory.curve[-1]
        return {
            "steps": self.learner.steps,
            "total_steps": self.config.training.total_steps,
            "evaluated_steps": last.steps,
            "score": last.score,
            "normalised": last.normalised,
            "seconds": round(self._memory.seconds, 1),
        }
