"""Trials as Tune's function, and what its schedulers and searches do to them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray.tune")
pytest.importorskip("sb3_contrib")

import ray
from ray import tune

from quiltrail.core.errors import ConfigError
from quiltrail.train.cluster import trial as on_a_node
from quiltrail.train.cluster.backend import RayBackend, _remembered
from quiltrail.train.cluster.search import param_space
from quiltrail.train.cluster.trial import (
    COMMAND,
    CONFIG,
    JUDGED,
    SUGGESTED,
    TRIAL,
    _experiment,
    train_trial,
)
from quiltrail.train.compare import compare
from quiltrail.train.files import read_json
from quiltrail.train.folder import CUT_SHORT, FINISHED, RunFolder
from quiltrail.train.run import run_experiment
from quiltrail.train.sweep import FAILED, STOPPED, WAITING, Sweep, Trial
from tests.train.small import small_config

STORE_BYTES = 100 * 2**20
GAMMA = "training.hyperparameters.gamma"
RATE = "training.learning_rate.initial"
PATCHWORK = [
    "env.id=quiltrail/Patchwork-v0",
    "env.max_episode_steps=20",
    "training.transforms=[]",
    "training.starts=null",
    "evaluation.reference_agent=null",
]


class Reports:
    """Stands for Tune: keeps the newest checkpoint, and lets a trial die at one of its reports."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.states: list[tuple[str, int]] = []
        self.deadly = 0

    def report(self, metrics: Mapping[str, Any], checkpoint: tune.Checkpoint) -> None:
        self.states.append((metrics["state"], metrics["steps"]))
        with checkpoint.as_directory() as saved:
            shutil.copytree(saved, self.place, dirs_exist_ok=True)
        if len(self.states) == self.deadly:
            raise KeyboardInterrupt

    def get_checkpoint(self) -> tune.Checkpoint | None:
        return tune.Checkpoint.from_directory(self.place) if self.place.exists() else None


def test_a_trial_that_died_goes_on_from_its_checkpoint_to_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = Reports(tmp_path / "checkpoint")
    monkeypatch.setattr(on_a_node.tune, "report", reports.report)
    monkeypatch.setattr(on_a_node.tune, "get_checkpoint", reports.get_checkpoint)
    monkeypatch.setattr("sys.argv", ["worker"])
    config = small_config()
    given = {
        TRIAL: {CONFIG: config.model_dump(mode="json")},
        COMMAND: ["sweep", "sunpleat"],
        JUDGED: False,
    }
    reports.deadly = 3
    with pytest.raises(KeyboardInterrupt):
        train_trial(given)
    assert reports.states == [("running", 0), ("running", 2048), ("running", 4096)]
    train_trial(given)
    assert reports.states[3:] == [("running", 4096), ("running", 6144), (FINISHED, 8192)]

    there = on_a_node.unpack(tune.Checkpoint.from_directory(reports.place), tmp_path / "there")
    whole = run_experiment(config, tmp_path / "whole", quiet=True)
    assert there.evaluation is not None
    assert there.evaluation["weights_hash"] == whole.weights_hash
    assert there.status["state"] == FINISHED
    run = read_json(there.path / "run.json")
    assert run is not None
    assert run["command"] == ["quiltrail", "sweep", "sunpleat"]


def test_what_is_suggested_stays_in_its_range_and_names_its_trial(tmp_path: Path) -> None:
    search = f"sweep.optuna={{trials: 3, space: {{{GAMMA}: [0.5, 0.9], {RATE}: {{low: 0.1, "
    sweep = Sweep.create(tmp_path / "s", small_config(search + "high: 1.0}}}"), {}, [7])
    space = param_space(sweep, [])
    given = {**space, SUGGESTED: {GAMMA: 0.5, RATE: 0.2}}
    assert _experiment(given) == sweep.suggested(given[SUGGESTED]).config
    assert space[SUGGESTED][GAMMA].categories == [0.5, 0.9]
    assert all(0.1 <= space[SUGGESTED][RATE].sample() <= 1.0 for _ in range(20))
    assert space[TRIAL][CONFIG]["sweep"] is None


def test_storage_is_remembered(tmp_path: Path) -> None:
    sweep = Sweep.create(tmp_path / "s", small_config(), {}, [])
    place = _remembered(sweep, str(tmp_path / "a"))
    assert place.storage == str(tmp_path / "a")
    assert _remembered(sweep, None) == place
    other = Sweep.create(tmp_path / "t", small_config(), {}, [])
    assert _remembered(other, place.storage).experiment != place.experiment
    with pytest.raises(ConfigError, match="keeps its state in"):
        _remembered(sweep, "s3://bucket")
    with pytest.raises(ConfigError, match="jobs"):
        RayBackend(jobs=0)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A Ray of two CPUs in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("RAY_AUTH_MODE", "disabled")
        patch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2]))
        ray.init("local", num_cpus=2, include_dashboard=False, object_store_memory=STORE_BYTES)
        yield
        ray.shutdown()


def run_here(folder: Path, *settings: str, seeds: int) -> tuple[Sweep, dict[str, str]]:
    """Run a sweep; return it with the last state of each trial."""
    sweep = Sweep.create(folder, small_config(*settings), {}, range(seeds))
    states: dict[str, str] = {}

    def note(trial: Trial, state: str, status: Mapping[str, Any]) -> None:
        states[trial.name] = state

    sweep.run(RayBackend(), note, lambda: False)
    return sweep, states


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_failure_is_told_as_by_the_local_backend(here: None, tmp_path: Path) -> None:
    oracle = "evaluation.reference_agent=oracle"
    sweep, states = run_here(tmp_path / "s", oracle, "sweep.max_failures=1", seeds=1)
    assert list(states.values()) == [FAILED]
    (why,) = sweep.failures().values()
    assert why.startswith("UnknownNameError: unknown agent 'oracle'")
    assert [trial.name for trial in sweep.waiting()] == list(states)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_stopped_sweep_goes_on_where_it_was(here: None, tmp_path: Path) -> None:
    sweep = Sweep.create(tmp_path / "s", small_config("training.total_steps=20480"), {}, [0])
    (trial,) = sweep.trials()
    seen: list[tuple[str, int]] = []

    def note(trial: Trial, state: str, status: Mapping[str, Any]) -> None:
        if "steps" in status:
            seen.append((state, status["steps"]))

    sweep.run(RayBackend(), note, lambda: bool(seen) and seen[-1][1] >= 4096)
    state, steps = seen[-1]
    assert (state, steps < 20480, trial.state) == (STOPPED, True, WAITING)
    seen.clear()
    sweep.run(RayBackend(), note, lambda: False)
    assert seen[-1] == (FINISHED, 20480)
    assert min(steps for _, steps in seen) >= 2048, "it did not begin anew"


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_worse_ones_are_cut_short(here: None, tmp_path: Path) -> None:
    config = small_config(
        "sweep.asha={grace_steps: 4096, reduction_factor: 4}",
        "checkpoints.every_seconds=1000",
        "training.total_steps=10240",
        *PATCHWORK,
    )
    games = {"evaluation.max_episode_steps": [20, 1]}  # one move cannot score what twenty do
    sweep = Sweep.create(tmp_path / "s", config, games, [0])
    sweep.run(RayBackend(jobs=1), lambda *_: None, lambda: False)
    better, worse = sweep.trials()
    assert (better.state, worse.state) == (FINISHED, CUT_SHORT)
    assert not sweep.waiting()
    assert RunFolder(worse.folder).status["steps"] == 4096
    assert (worse.folder / "checkpoints").is_dir()
    assert compare([sweep.folder]).unfinished == 1


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_search_tries_as_many_settings_as_it_may(here: None, tmp_path: Path) -> None:
    space = f"{{{RATE}: {{low: 1.0e-4, high: 1.0e-2, log: true}}, {GAMMA}: [0.7, 0.9]}}"
    sweep, states = run_here(
        tmp_path / "s",
        f"sweep.optuna={{trials: 4, space: {space}, at_once: 2}}",
        "training.total_steps=4096",
        seeds=1,
    )
    assert list(states.values()) == [FINISHED] * 4
    trials = Sweep.open(sweep.folder).trials()
    rates = {trial.config.training.learning_rate.initial for trial in trials}
    assert len(rates) == 4
    assert all(1e-4 <= rate <= 1e-2 for rate in rates)
    assert all(RunFolder(trial.folder).config == trial.config for trial in trials)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_population_passes_on_what_it_learned(here: None, tmp_path: Path) -> None:
    space = f"{{{RATE}: {{low: 1.0e-5, high: 1.0e-2, log: true}}}}"
    sweep, states = run_here(
        tmp_path / "s",
        f"sweep.pbt={{every_steps: 4096, space: {space}, quantile: 0.5}}",
        "training.total_steps=16384",
        "evaluation.every_steps=2048",
        "checkpoints.every_seconds=1000",
        seeds=2,
    )
    assert list(states.values()) == [FINISHED] * 2
    lineages = [read_json(trial.folder / "lineage.json") for trial in sweep.trials()]
    assert any(lineages), "somebody went on from the other"
    for trial in sweep.trials():
        config = RunFolder(trial.folder).config
        assert 1e-5 <= config.training.learning_rate.initial <= 1e-2
