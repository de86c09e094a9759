"""The algorithm afterstate_td inside the experiments: runs, resuming, schedules."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from quiltrail.agents.patchwork import PatchworkGreedy
from quiltrail.core.errors import OptionError
from quiltrail.train.afterstate.learner import AfterstateLearner
from quiltrail.train.afterstate.value import load_value
from quiltrail.train.config import ExperimentConfig
from quiltrail.train.evaluate import evaluate
from quiltrail.train.models import load_player
from quiltrail.train.run import run_experiment
from tests.train.small import small_own, whole_and_resumed


def small(*more: str) -> ExperimentConfig:
    return small_own("patchwork_td", *more)


def test_a_run_learns_and_its_model_plays_what_was_evaluated(tmp_path: Path) -> None:
    result = run_experiment(small(), tmp_path / "run", quiet=True)
    assert result.steps >= 100_000
    assert result.refusals == result.report.refusals == 0
    player = load_player(tmp_path / "run")
    again = evaluate(player, "patchwork", result.report.seeds, max_episode_steps=60)
    assert again.scores == result.report.scores == result.sampled.scores
    assert isinstance(player, PatchworkGreedy)
    assert load_value(tmp_path / "run" / "model.zip").weights.any()


@pytest.mark.usefixtures("short_chunks")
def test_a_resumed_learner_learns_what_an_uninterrupted_one_learns() -> None:
    whole, resumed = whole_and_resumed(lambda: AfterstateLearner(small()), before=2, after=2)
    np.testing.assert_equal(resumed.get_state(), whole.get_state())


@pytest.mark.usefixtures("short_chunks")
def test_the_player_follows_the_learner_and_the_step_the_schedule() -> None:
    learner = AfterstateLearner(
        small("training.learning_rate={initial: 1.0, final: 0.0}", "training.total_steps=3200")
    )
    value = learner.value()
    steps = [learner.learn_chunk()["train/step"] for _ in range(3)]
    assert steps == pytest.approx([1.0, 0.5, 0.0], abs=0.02)
    assert value.weights is learner.weights()["weights"]


def test_hyperparameters_are_checked_before_any_game_is_made() -> None:
    config: Any = copy.deepcopy(small().model_dump())
    config["training"]["hyperparameters"]["stages"] = True
    with pytest.raises(OptionError, match="stages"):
        AfterstateLearner(ExperimentConfig.model_validate(config))
