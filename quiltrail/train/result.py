"""What comes of a run: its learning curve and its result."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from quiltrail.train.evaluate import Evaluation
from quiltrail.train.references import References


@dataclass(frozen=True)
class CurvePoint:
    """Mean score on the plain game after so many steps and seconds of training."""

    steps: int
    seconds: float
    score: float
    normalised: float | None = None


@dataclass(frozen=True)
class RunResult:
    """What a run reached.

    Attributes:
        folder: where everything about it lies.
        evaluation: the best evaluation along the way, which chose the model.
        report: the model on seeds that chose nothing, its most probable actions.
        sampled: the same with actions drawn from its policy.
        references: what random play and the reference agent score on the report's seeds.
        curve: the evaluations along the way.
        steps: how many environment steps it learned from.
        seconds: wall time of training, evaluations included.
        cpu_seconds: CPU time of the same, of all threads.
        refusals: how many of the learner's actions the games refused while it trained.
        weights_hash: of the last weights.
    """

    folder: Path
    evaluation: Evaluation
    report: Evaluation
    sampled: Evaluation
    references: References
    curve: list[CurvePoint]
    steps: int
    seconds: float
    cpu_seconds: float
    refusals: int
    weights_hash: str
