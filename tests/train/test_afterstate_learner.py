"""The algorithm afterstate_td inside the experiments: runs, resuming, bad configs."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from quiltrail.agents.patchwork import PatchworkGreedy
from quiltrail.core.errors import ModelMismatchError, OptionError, QuiltrailError
from quiltrail.train.afterstate.learner import AfterstateLearner
from quiltrail.train.afterstate.value import load_value
from quiltrail.train.config import ExperimentConfig, load_config
from quiltrail.train.evaluate import evaluate
from quiltrail.train.models import load_player
from quiltrail.train.run import run_experiment
from tests.train.small import whole_and_resumed

SMALL = [
    "env.num_envs=16",
    "training.total_steps=100_000",
    "evaluation.every_steps=1_000_000",
    "evaluation.episodes=4",
    "evaluation.report_episodes=4",
    "evaluation.max_episode_steps=60",
]


def small(*more: str) -> ExperimentConfig:
    return load_config("patchwork_td", [*SMALL, *more])


@pytest.fixture
def short_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quiltrail.train.afterstate.learner._CHUNK", 1600)


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
def test_another_seed_learns_something_else_and_the_same_seed_the_same() -> None:
    learners = [AfterstateLearner(small(f"training.seed={seed}")) for seed in (0, 0, 1)]
    for one in learners:
        one.learn_chunk()
    same, again, other = (one.weights()["weights"] for one in learners)
    np.testing.assert_array_equal(same, again)
    assert (same != other).any()


@pytest.mark.usefixtures("short_chunks")
def test_the_player_follows_the_learner_and_the_step_the_schedule() -> None:
    learner = AfterstateLearner(
        small("training.learning_rate={initial: 1.0, final: 0.0}", "training.total_steps=3200")
    )
    value = learner.value()
    steps = [learner.learn_chunk()["train/step"] for _ in range(3)]
    assert steps == pytest.approx([1.0, 0.5, 0.0], abs=0.02)
    assert value.weights is learner.weights()["weights"]


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("training.hyperparameters.gamma=1.5", "gamma"),
        ("training.hyperparameters.gamma=yes", "gamma"),
        ("training.hyperparameters.stages=0", "stages"),
        ("training.hyperparameters.stage_length=2.5", "stage_length"),
        ("training.hyperparameters.latest_start=-1", "latest_start"),
        ("training.hyperparameters.gama=0.9", "gama"),
        ("training.transforms=[{name: reward_scale}]", "transforms"),
        ("training.entropy={initial: 1, final: 0}", "entropy"),
        ("env.id=sunpleat", "after-states can be learned of patchwork"),
        ("env.settings={revive: true}", "revive"),
    ],
)
def test_what_it_does_not_have_is_one_sentence(override: str, said: str) -> None:
    with pytest.raises(QuiltrailError, match=said):
        AfterstateLearner(small(override))


@pytest.mark.parametrize("content", [b"", b"no model", b"PK\x05\x06" + bytes(18)])
def test_a_model_of_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.zip"
    path.write_bytes(content)
    with pytest.raises(ModelMismatchError, match=r"^model\.zip holds no after-state value"):
        AfterstateLearner.load_player(path, None)


def test_hyperparameters_are_checked_before_any_game_is_made() -> None:
    config: Any = copy.deepcopy(small().model_dump())
    config["training"]["hyperparameters"]["stages"] = True
    with pytest.raises(OptionError, match="stages"):
        AfterstateLearner(ExperimentConfig.model_validate(config))
