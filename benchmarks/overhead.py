"""What our training loop costs over bare SB3, by interleaved CPU seconds.

Both learn the same steps on the same environment with the same settings and end in the same
weights; ours also follows schedules, writes metrics and saves checkpoints. Neither evaluates along
the way: an evaluation costs what its games cost, which is the config's choice. Pairs are
interleaved, and which half goes first alternates, so that drifts of the machine cancel.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from quiltrail.statistics import Summary, bootstrap
from quiltrail.train.config import ExperimentConfig, load_config
from quiltrail.train.folder import RunFolder
from quiltrail.train.learners.base import Learner, find_learner
from quiltrail.train.metrics import MetricsLog
from quiltrail.train.progress import ProgressBar, StopRequest
from quiltrail.train.randomness import fix_randomness
from quiltrail.train.run import Run, weights_hash

_CONSTANT = "{initial: 1.0e-3, final: 1.0e-3}"


def main() -> None:
    """Print the overhead with its 95 % interval."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--config", default="sunpleat")
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--steps", type=int, default=131_072)
    parser.add_argument("--checkpoint-seconds", type=float, default=2.0)
    options = parser.parse_args()
    config = load_config(
        options.config,
        [
            f"training.total_steps={options.steps}",
            f"training.learning_rate={_CONSTANT}",
            f"training.entropy={_CONSTANT}",
            f"evaluation.every_steps={10 * options.steps}",
            "evaluation.episodes=1",
            "evaluation.max_episode_steps=1",
            "evaluation.stop_at_reference=false",
            f"checkpoints.every_seconds={options.checkpoint_seconds}",
        ],
    )
    for half in (_learn_bare, _learn_ours):
        half(config)  # compiles and warms up
    overheads = []
    for pair in range(options.pairs):
        halves: list[Callable[[ExperimentConfig], tuple[float, str]]] = [_learn_bare, _learn_ours]
        results = {half: half(config) for half in (halves if pair % 2 else halves[::-1])}
        (bare, bare_hash), (ours, our_hash) = results[_learn_bare], results[_learn_ours]
        assert bare_hash == our_hash, "both have to learn the same"
        overheads.append(ours / bare - 1)
        print(
            f"pair {pair}: bare {bare:.2f} s, ours {ours:.2f} s, {overheads[-1]:+.1%}", flush=True
        )
    print(f"overhead over {options.pairs} pairs of {options.steps:,} steps: {_text(overheads)}")


def _text(overheads: list[float]) -> str:
    mean: Summary = bootstrap([overheads], np.mean)
    median: Summary = bootstrap([overheads], np.median)
    return f"mean {mean.text('+.2%')}, median {median.text('+.2%')}"


def _learner(config: ExperimentConfig) -> Learner:
    fix_randomness(config.training.seed, config.training.threads)
    return find_learner(config.training.algorithm)(config)


def _learn_bare(config: ExperimentConfig) -> tuple[float, str]:
    """Learn with one call of SB3's own ``learn``; return CPU seconds and the weights' hash."""
    learner = _learner(config)
    model = learner.model  # type: ignore[attr-defined]
    model.ent_coef = config.training.entropy.initial  # type: ignore[union-attr]
    began = time.process_time()
    model.learn(config.training.total_steps)
    return time.process_time() - began, weights_hash(learner.weights())


def _learn_ours(config: ExperimentConfig) -> tuple[float, str]:
    """Learn as a run does, into a folder; return CPU seconds and the weights' hash."""
    run = Run(config)
    with tempfile.TemporaryDirectory() as place:
        folder = RunFolder.create(Path(place) / "run", config)
        run.attach(folder)
        began = time.process_time()
        with (
            MetricsLog(folder.path, 0) as log,
            ProgressBar(config.name, config.training.total_steps, quiet=True) as bar,
            StopRequest() as stop,
        ):
            run.learn(log, bar, stop)
        return time.process_time() - began, weights_hash(run.learner.weights())


if __name__ == "__main__":
    main()
