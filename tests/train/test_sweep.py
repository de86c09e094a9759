"""Sweeps: names, resuming, failures that stay alone, stopping."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sb3_contrib")

from quiltrail.core.errors import ConfigError
from quiltrail.train.config import load_config
from quiltrail.train.folder import FINISHED, RunFolder
from quiltrail.train.local_backend import LocalBackend
from quiltrail.train.sweep import FAILED, STOPPED, Backend, OnChange, Sweep, Trial, parse_grid
from tests.train.small import SMALL, small_config

GRID = {"training.hyperparameters.gamma": [0.7, 0.9]}


class Recording(Backend):
    """Runs nothing, but says what it was given."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def run(self, sweep: Sweep, on_change: OnChange, stop: Callable[[], bool]) -> None:
        self.names = [trial.name for trial in sweep.waiting()]


def never() -> bool:
    return False


def ignore(trial: Trial, state: str, status: Mapping[str, Any]) -> None:
    pass


def test_a_sweep_is_settings_times_seeds(tmp_path: Path) -> None:
    sweep = Sweep.create(tmp_path / "s", small_config(), GRID, [0, 4])
    trials = sweep.trials()
    assert [trial.name for trial in trials] == [
        "000-training.hyperparameters.gamma=0.7/seed-0",
        "000-training.hyperparameters.gamma=0.7/seed-4",
        "001-training.hyperparameters.gamma=0.9/seed-0",
        "001-training.hyperparameters.gamma=0.9/seed-4",
    ]
    assert trials[3].config.training.hyperparameters["gamma"] == 0.9
    assert trials[3].config.training.seed == 4
    assert trials[2].config.method_digest == trials[3].config.method_digest
    assert Sweep.open(tmp_path / "s") == sweep


def test_running_it_again_leaves_finished_trials_alone(tmp_path: Path) -> None:
    sweep = Sweep.create(tmp_path / "s", small_config(), GRID, [0, 4])
    done = sweep.trials()[1]
    done.folder.mkdir(parents=True)
    RunFolder(done.folder).tell(FINISHED)
    backend = Recording()
    sweep.run(backend, ignore, never)
    assert len(backend.names) == 3
    assert done.name not in backend.names
    assert Sweep.create(tmp_path / "s", small_config(), GRID, [0, 4]) == sweep
    with pytest.raises(ConfigError, match="something else"):
        Sweep.create(tmp_path / "s", small_config(), GRID, [0])
    with pytest.raises(ConfigError, match="no sweep"):
        Sweep.open(tmp_path)


def test_a_grid_is_read_as_yaml_and_its_mistakes_are_found_at_once(tmp_path: Path) -> None:
    assert parse_grid(["a.b=1,2.5,x", "c=[64],[32, 32]"]) == {
        "a.b": [1, 2.5, "x"],
        "c": [[64], [32, 32]],
    }
    for text in ("a", "a=", "=1", "a=[1"):
        with pytest.raises(ConfigError, match="a grid is written"):
            parse_grid([text])
    with pytest.raises(ConfigError, match="did you mean training"):
        Sweep.create(tmp_path / "x", load_config("sunpleat"), {"training.total_step": [1]}, [0])
    with pytest.raises(ConfigError, match="are the same"):
        Sweep.create(tmp_path / "x", load_config("sunpleat"), {}, [0, 0])
    assert not (tmp_path / "x").exists()
    with pytest.raises(ConfigError, match="jobs"):
        LocalBackend(0)


def test_a_failure_stays_alone_and_is_reported(tmp_path: Path) -> None:
    config = load_config("sunpleat", [*SMALL, "training.total_steps=2048"])
    grid = {"evaluation.reference_agent": ["oracle", "sunpleat-solver"]}
    sweep = Sweep.create(tmp_path / "s", config, grid, [0])
    states: dict[str, str] = {}
    sweep.run(LocalBackend(2), lambda trial, state, _: states.update({trial.name: state}), never)
    assert list(states.values()) == [FAILED, FINISHED]
    (why,) = sweep.failures().values()
    assert why.startswith("UnknownNameError: unknown agent 'oracle'")
    evaluation = RunFolder(sweep.trials()[1].folder).evaluation
    assert evaluation is not None
    assert evaluation["training_steps"] == 2048


@pytest.mark.slow
def test_a_stopped_sweep_saves_its_trials(tmp_path: Path) -> None:
    config = load_config("sunpleat", [*SMALL, "training.total_steps=10000000"])
    sweep = Sweep.create(tmp_path / "s", config, {}, [0, 1])
    first, second = sweep.trials()
    states: dict[str, str] = {}
    sweep.run(
        LocalBackend(1),
        lambda trial, state, _: states.update({trial.name: state}),
        lambda: any((first.folder / "checkpoints").glob("*")),
    )
    assert states == {first.name: STOPPED}
    assert RunFolder(first.folder).status["state"] == "interrupted"
    assert not second.folder.exists()
    assert not sweep.failures()
