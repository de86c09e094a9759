"""What a training run does along the way: schedules, evaluation, the best model, a progress bar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from stable_baselines3.common.callbacks import BaseCallback

from quiltrail.train.config import ExperimentConfig
from quiltrail.train.evaluate import Evaluation


@dataclass(frozen=True)
class CurvePoint:
    """Mean score on the plain game after so many steps and seconds of training."""

    steps: int
    seconds: float
    score: float


class TrainingProgress(BaseCallback):
    """Follows the config's schedules, evaluates at its intervals and keeps the best model.

    Args:
        config: the experiment.
        judge: returns an evaluation of the model as it is.
        keep: saves the model as it is; called whenever an evaluation is the best so far.
        seconds: returns the seconds since training began.
        reference: the score that counts as 1, or None.
        quiet: whether to draw no bar.
    """

    def __init__(
        self,
        config: ExperimentConfig,
        judge: Callable[[Any], Evaluation],
        keep: Callable[[Any], None],
        seconds: Callable[[], float],
        reference: float | None,
        *,
        quiet: bool,
    ) -> None:
        super().__init__()
        self.config = config
        self.curve: list[CurvePoint] = []
        self.best: Evaluation | None = None
        self._judge, self._keep, self._seconds = judge, keep, seconds
        self._reference = reference
        self._next_evaluation = 0
        self._stop = False
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:>9,.0f} steps"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[score]}"),
            disable=quiet,
        )

    def _on_training_start(self) -> None:
        total = self.config.training.total_steps
        self._task = self._bar.add_task(self.config.name, total=total, score="")
        self._bar.start()

    def _on_rollout_start(self) -> None:
        progress = min(1.0, self.num_timesteps / self.config.training.total_steps)
        # SB3's constructor takes a schedule for the learning rate but not for the entropy.
        self.model.ent_coef = self.config.training.entropy.at(progress)  # type: ignore[attr-defined]
        if self.num_timesteps >= self._next_evaluation:
            self._evaluate()
        self._bar.update(self._task, completed=self.num_timesteps)

    def _on_step(self) -> bool:
        return not self._stop

    def _on_training_end(self) -> None:
        self._evaluate()
        self.close()

    def close(self) -> None:
        """Take the bar from the screen."""
        self._bar.stop()

    def _evaluate(self) -> None:
        if self.curve and self.curve[-1].steps == self.num_timesteps:
            return
        self._next_evaluation = self.num_timesteps + self.config.evaluation.every_steps
        evaluation = self._judge(self.model)
        score = evaluation.mean_score
        self.curve.append(CurvePoint(self.num_timesteps, self._seconds(), score))
        self.logger.record("eval/mean_score", score)
        if self.best is None or score >= self.best.mean_score:
            self.best = evaluation
            self._keep(self.model)
        shown = f"score {score:,.0f}"
        if self._reference:
            shown += f" of {self._reference:,.0f}"
            self._stop = self.config.evaluation.stop_at_reference and score >= self._reference
        self._bar.update(self._task, completed=self.num_timesteps, score=shown)
