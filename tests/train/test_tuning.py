"""What a sweep on a cluster rests on and that needs no cluster."""

from __future__ import annotations

import tarfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from typer.testing import CliRunner

from quiltrail.cli import app
from quiltrail.core.errors import ConfigError, MissingExtraError
from quiltrail.train.folder import CUT_SHORT, RunFolder
from quiltrail.train.local_backend import LocalBackend
from quiltrail.train.run import Run
from quiltrail.train.sweep import WAITING, Sweep
from quiltrail.train.tuning import Range
from tests.train.small import small_config

GAMMA = "training.hyperparameters.gamma"
SEARCH = f"sweep.optuna={{trials: 4, space: {{{GAMMA}: {{low: 0.5, high: 0.99}}}}}}"


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("sweep.asha={grace_step: 3}", "did you mean sweep.asha.grace_steps"),
        ("sweep.asha={grace_steps: 0}", "sweep.asha.grace_steps"),
        (f"sweep.optuna={{trials: 1, space: {{{GAMMA}: {{low: 2, high: 1}}}}}}", "below high"),
        (f"sweep.optuna={{trials: 1, space: {{{GAMMA}: {{lo: 2, high: 1}}}}}}", "gamma.low"),
        ("sweep.optuna={trials: 1, space: {}}", "sweep.optuna.space"),
        ("sweep.pbt={every_steps: 1, space: {env.id: [a]}}", "env.id cannot change while"),
        (f"sweep={{asha: {{grace_steps: 1}}, pbt: {{every_steps: 1, space: {{{GAMMA}: [1]}}}}}}",
         "neither asha nor optuna"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_section_is_one_sentence(setting: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        small_config(setting)


def test_the_section_is_no_part_of_a_run() -> None:
    plain, tuned = small_config(), small_config("sweep.asha={grace_steps: 5}")
    assert plain.digest == tuned.digest
    assert "sweep" not in tuned.to_yaml()


def test_a_changed_value_is_put_back_into_its_range() -> None:
    assert Range(low=0.5, high=2.0).clipped(3.0) == 2.0
    assert Range(low=0.5, high=2.0).clipped(0.7) == 0.7
    assert Range(low=1, high=8).clipped(3.6) == 4
    assert Range(low=1, high=8).clipped(0.2) == 1


def test_a_search_has_the_trials_it_suggested(tmp_path: Path) -> None:
    sweep = Sweep.create(tmp_path / "s", small_config(SEARCH), {}, [3])
    assert sweep.trials() == []
    for gamma in (0.75, 0.8, 0.75):
        sweep.keep_suggestion({GAMMA: gamma})
    first, second = Sweep.open(tmp_path / "s").trials()
    assert first == sweep.suggested({GAMMA: 0.75})
    assert first.config.training.hyperparameters["gamma"] == 0.75
    assert first.config.training.seed == 3
    assert first.config.name.endswith("gamma=0.75")
    assert first.name != second.name
    with pytest.raises(ConfigError, match="no grid and one seed"):
        Sweep.create(tmp_path / "t", small_config(SEARCH), {}, [0, 1])
    wrong = small_config("sweep.optuna={trials: 4, space: {training.gama: [1]}}")
    with pytest.raises(ConfigError, match="unknown config key"):
        Sweep.create(tmp_path / "t", wrong, {}, [0])


def test_processes_of_this_machine_do_not_search(tmp_path: Path) -> None:
    sweep = Sweep.create(tmp_path / "s", small_config(SEARCH), {}, [0])
    with pytest.raises(ConfigError, match="--backend ray"):
        sweep.run(LocalBackend(1), lambda *_: None, lambda: False)


def test_a_trial_that_was_cut_short_is_over(tmp_path: Path) -> None:
    sweep = Sweep.create(tmp_path / "s", small_config(), {}, [0, 1])
    cut = sweep.trials()[0]
    assert cut.state == WAITING
    cut.folder.mkdir(parents=True)
    RunFolder(cut.folder).tell(CUT_SHORT)
    assert [trial.name for trial in sweep.waiting()] == ["000/seed-1"]


def test_a_packed_run_comes_out_whole_and_in_place_of_an_older_one(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run", small_config())
    (folder.path / "model.part").write_text("half")
    folder.pack(tmp_path / "run.tar")
    with tarfile.open(tmp_path / "run.tar") as archive:
        assert {one.uname for one in archive} == {""}
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "older").touch()
    there = RunFolder.unpack(tmp_path / "run.tar", tmp_path / "there")
    assert {path.name for path in there.path.iterdir()} == {"config.yaml", "run.json"}
    assert there.config == folder.config


def test_a_packed_run_cannot_reach_outside(tmp_path: Path) -> None:
    (tmp_path / "evil").write_text("x")
    with tarfile.open(tmp_path / "run.tar", "w") as archive:
        archive.add(tmp_path / "evil", arcname="../evil")
    with pytest.raises(tarfile.TarError):
        RunFolder.unpack(tmp_path / "run.tar", tmp_path / "deep" / "there")


def test_a_member_of_a_population_goes_on_from_another_one(tmp_path: Path) -> None:
    often = ["evaluation.every_steps=2048", "checkpoints.every_seconds=1000"]
    config, steps = small_config("training.total_steps=4096", *often), []
    donor = Run(config, lambda one: steps.append(one["evaluated_steps"]), save_evaluations=True)
    donor.attach(RunFolder.create(tmp_path / "run", config))
    donor.finish(quiet=True)
    assert steps == [0, 2048]  # the end is told by whoever waits for it

    changed = small_config("training.total_steps=6144", f"{GAMMA}=0.5", "training.seed=1")
    folder = RunFolder.open(tmp_path / "run")
    with pytest.raises(ConfigError, match="was changed"):
        Run(changed).attach(folder)
    folder.change_config(changed, 4096)
    member = Run(changed)
    member.attach(folder, take_over=True)
    assert member.learner.steps == 4096
    taken, given = member.learner.weights(), donor.learner.weights()
    assert all(np.array_equal(taken[name], given[name]) for name in given)
    result = member.finish(quiet=True)
    assert result.steps == 6144
    assert (folder.path / "lineage.json").is_file()
    assert folder.config == changed


def test_options_of_ray_are_said_to_be_those_of_ray(tmp_path: Path) -> None:
    for options in (["--address=auto"], ["--storage=/x"], ["--backend=slurm"]):
        result = CliRunner().invoke(app, ["sweep", "sunpleat", f"--out={tmp_path}", *options])
        assert isinstance(result.exception, ConfigError), options


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed")
def test_without_ray_the_extra_is_named() -> None:
    result = CliRunner().invoke(app, ["sweep", "sunpleat", "--backend=ray"])
    assert isinstance(result.exception, MissingExtraError)
    assert "pip install 'quiltrail[sweep]'" in str(result.exception)
    with pytest.raises(MissingExtraError, match=r"pip install 'quiltrail\[rllib\]'"):
        import quiltrail.rllib  # noqa: F401
