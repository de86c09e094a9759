"""A whole training run in small, its folder, and every bad config in one sentence."""

from __future__ import annotations

import csv
import json
import shutil
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import yaml

from quiltrail.agents import make_agent
from quiltrail.core.errors import (
    ConfigError,
    InvalidSeedError,
    ModelMismatchError,
    OptionError,
    UnknownNameError,
)
from quiltrail.core.record import GameRecord
from quiltrail.envs import find_game
from quiltrail.envs.sunpleat.winnable import winnable_positions
from quiltrail.train.config import Schedule, config_names, json_schema, load_config
from quiltrail.train.evaluate import evaluate
from quiltrail.train.learners import ALGORITHMS
from quiltrail.train.learners.base import find_learner
from quiltrail.train.models import load_player
from quiltrail.train.run import run_experiment
from quiltrail.train.starts import PooledStarts
from tests.train.small import small_config


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "small"
    run_experiment(small_config(), folder, quiet=True)
    return folder


def test_a_run_folder_says_everything_and_names_no_home(run_folder: Path) -> None:
    names = {path.name for path in run_folder.iterdir()}
    assert names == {
        "REPORT.md",
        "checkpoints",
        "config.yaml",
        "curve.csv",
        "curve.png",
        "evaluation.json",
        "lock",
        "model.zip",
        "progress.csv",
        "replay.json",
        "replay.png",
        "run.json",
        "status.json",
        "tensorboard",
    }
    home = str(Path.home()).encode()
    for path in run_folder.rglob("*"):
        assert path.is_dir() or home not in path.read_bytes(), path
    run = json.loads((run_folder / "run.json").read_text())
    assert (run["seed"], run["threads"]) == (0, 1)
    assert {"torch", "numpy", "quiltrail", "sb3-contrib"} <= set(run["versions"])
    assert {"command", "config_digest", "git_revision", "host"} <= set(run)
    for picture in ("curve.png", "replay.png"):
        assert (run_folder / picture).read_bytes().startswith(b"\x89PNG")


def test_the_final_evaluation_is_normalised_and_counts_refusals(run_folder: Path) -> None:
    evaluation = json.loads((run_folder / "evaluation.json").read_text())
    references = evaluation["references"]
    assert (references["agent"], references["score"]) == ("sunpleat-solver", 9920)
    for kind in ("deterministic", "sampled"):
        judged = evaluation[kind]
        assert judged["seeds"] == list(range(2_000_000, 2_000_004))
        assert len(judged["scores"]) == len(judged["lengths"]) == 4
        assert judged["refusals"] == 0
        share = (np.mean(judged["scores"]) - references["random"]) / (9920 - references["random"])
        assert judged["normalised"]["mean"]["value"] == pytest.approx(share)
    assert evaluation["training_refusals"] == 0
    assert evaluation["learned_from_exact_solutions"] is True
    assert evaluation["selection"]["seeds"][0] == 1_000_000


def test_the_replay_is_the_first_game_of_the_evaluation(run_folder: Path) -> None:
    evaluation = json.loads((run_folder / "evaluation.json").read_text())["deterministic"]
    game = GameRecord.load(run_folder / "replay.json")
    assert (game.seed, len(game.actions)) == (evaluation["seeds"][0], evaluation["lengths"][0])
    *_, last = game.replay(find_game("sunpleat").make_engine(1))
    assert last["score"] == evaluation["scores"][0]


def test_metrics_are_there_for_spreadsheets_and_for_tensorboard(run_folder: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    with (run_folder / "progress.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["steps"]) for row in rows] == [2048, 4096, 6144, 8192]
    events = EventAccumulator(str(run_folder / "tensorboard"))
    events.Reload()
    losses = events.Scalars("train/loss")
    assert [one.step for one in losses] == [2048, 4096, 6144, 8192]
    for one, row in zip(losses, rows, strict=True):
        assert one.value == pytest.approx(float(row["train/loss"]))


def test_the_resolved_config_repeats_the_run_to_the_same_weights(
    run_folder: Path, tmp_path: Path
) -> None:
    again = run_experiment(load_config(str(run_folder / "config.yaml")), tmp_path / "b", quiet=True)
    evaluation = json.loads((run_folder / "evaluation.json").read_text())
    assert again.weights_hash == evaluation["weights_hash"]


def test_a_saved_model_plays_what_was_evaluated(run_folder: Path) -> None:
    evaluation = json.loads((run_folder / "evaluation.json").read_text())["deterministic"]
    player = load_player(run_folder / "model.zip")
    assert evaluate(player, "sunpleat", evaluation["seeds"]).scores == evaluation["scores"]


def test_a_model_of_another_game_is_refused_by_name(run_folder: Path, tmp_path: Path) -> None:
    player = load_player(run_folder)
    with pytest.raises((ModelMismatchError, OptionError)):
        evaluate(player, "patchwork", [1])
    with pytest.raises(ModelMismatchError, match="no run folder"):
        load_player(tmp_path)
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "config.yaml").write_text((run_folder / "config.yaml").read_text())
    (broken / "model.zip").write_bytes(b"PK nonsense")
    with pytest.raises(ModelMismatchError, match="no archive of a model"):
        load_player(broken)


def test_a_model_from_elsewhere_needs_trust_and_its_misfits_are_named(
    run_folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "theirs.zip"
    file.write_bytes((run_folder / "model.zip").read_bytes())
    with pytest.raises(ConfigError, match="execute code"):
        load_player(file, "maskable_ppo")
    with pytest.raises(ConfigError, match="--algorithm"):
        load_player(file, trusted=True)
    with pytest.raises(ConfigError, match="did you mean ppo"):
        load_player(file, "pppo", trusted=True)
    player = load_player(file, "lean_maskable_ppo", trusted=True)
    assert max(evaluate(player, "sunpleat", [5]).lengths) <= 256
    with pytest.raises(ModelMismatchError) as caught:
        evaluate(player, "patchwork", [5])
    for name in ('has no "garland"', 'has no "quilt"', "actions: the model has Discrete(9)"):
        assert name in str(caught.value)


def test_unmasked_algorithms_pay_for_refusals_with_steps(tmp_path: Path) -> None:
    config = small_config("training.total_steps=4096", algorithm="ppo")
    result = run_experiment(config, tmp_path / "run", quiet=True)
    assert result.refusals > 0
    assert load_player(result.folder).masked is False  # type: ignore[attr-defined]
    assert "refused 0 actions" not in (result.folder / "REPORT.md").read_text()


def test_a_taken_folder_is_not_written_into(run_folder: Path) -> None:
    with pytest.raises(ConfigError, match="--resume"):
        run_experiment(small_config(), run_folder, quiet=True)


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("training.total_stepz=3", "did you mean training.total_steps"),
        ("training.algorithm=maskable_pp", "did you mean maskable_ppo"),
        ("checkpoints.keep=0", "checkpoints.keep"),
        ("training.total_steps=0", "greater than or equal to 1"),
        ("training.total_steps=lots", "training.total_steps"),
        ("training.seed=-1", "training.seed"),
        ("training.seed=1.5", "training.seed"),
        ("training.algorithm=magic", "maskable_ppo"),
        ("training.learning_rate.initial=-1", "learning_rate.initial"),
        ("training.learning_rate.initial=.nan", "learning_rate.initial"),
        ("training.entropy.speed=1", "training.entropy.speed"),
        ("colour=red", "unknown config key 'colour'"),
        ("env.id.x=3", "holds no section"),
        ("nonsense", "section.key=value"),
        ("a.b=[1", "not valid YAML"),
    ],
)
def test_a_bad_setting_ends_in_one_sentence(override: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config("sunpleat", [override])
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "override",
    [
        "env.id=quiltrail/Chess-v0",
        "env.settings={colour: red}",
        "evaluation.reference_agent=oracle",
        "training.transforms=[{name: teleport}]",
        "training.transforms=[{name: reward_scale, args: {size: 3}}]",
        "training.transforms=[{name: potential_shaping, args: {potential: luck}}]",
        "training.starts={name: anywhere}",
        "training.starts={name: sunpleat_winnable, args: {usual_share: 2}}",
        "training.starts={name: sunpleat_winnable, args: {size: 2}}",
        "training.hyperparameters={patience: 3}",
        "training.policy_args={depth: 3}",
        "training.exploration={initial: 1, final: 0}",
        "training.policy=patchrook_planes",
        "training.policy=planes",
    ],
)
def test_names_that_do_not_exist_are_refused_before_anything_is_made(
    override: str, tmp_path: Path
) -> None:
    with pytest.raises((ConfigError, UnknownNameError, OptionError)):
        run_experiment(small_config(override), tmp_path / "x", quiet=True)
    assert not (tmp_path / "x").exists()


def test_a_config_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    for name in ("sunpleet", str(tmp_path / "absent.yaml")):
        with pytest.raises(ConfigError):
            load_config(name)
    for text in ("[1]", ":", "a: [", "\x00"):
        path = tmp_path / "bad.yaml"
        path.write_text(text)
        with pytest.raises(ConfigError):
            load_config(str(path))


@pytest.mark.parametrize("name", config_names())
def test_shipped_configs_are_valid_and_survive_a_round_trip(name: str, tmp_path: Path) -> None:
    config = load_config(name)
    path = tmp_path / "again.yaml"
    path.write_text(config.to_yaml())
    assert load_config(str(path)) == config
    assert load_config(str(path)).digest == config.digest
    assert yaml.safe_load(config.to_yaml())["name"] == name


def test_the_schema_is_published_with_the_configs() -> None:
    published = files("quiltrail.configs").joinpath("schema.json").read_text("utf-8")
    assert json.loads(published) == json_schema(), "quiltrail schema --out that file"
    algorithm = json_schema()["$defs"]["TrainingSection"]["properties"]["algorithm"]
    assert algorithm["enum"] == sorted(ALGORITHMS)


def test_the_digest_is_of_what_decides_the_run() -> None:
    config = load_config("sunpleat")
    assert load_config("sunpleat", ["checkpoints.keep=9", "description=x"]).digest == config.digest
    other = load_config("sunpleat", ["training.seed=3"])
    assert other.digest != config.digest
    assert other.method_digest == config.method_digest


def test_a_game_alone_means_its_maskable_ppo_config() -> None:
    assert load_config("sunpleat") == load_config("sunpleat_maskable_ppo")
    for game in ("patchrook", "patchwork", "tinrail"):
        assert load_config(game).training.algorithm.endswith("maskable_ppo")


def test_every_shipped_config_makes_its_learner() -> None:
    for name in config_names():
        config = load_config(name)
        make_agent(config.evaluation.reference_agent or "random")
        assert find_learner(config.training.algorithm)(config).steps == 0


def test_schedules_hold_fall_and_stay() -> None:
    schedule = Schedule(initial=1.0, final=0.2, hold_until=0.2, reach_at=0.6)
    assert [schedule.at(x) for x in (0.0, 0.2, 0.4, 0.6, 1.0)] == pytest.approx(
        [1.0, 1.0, 0.6, 0.2, 0.2]
    )


def test_a_schedule_that_ends_where_it_stays_falls_at_once_from_there() -> None:
    schedule = Schedule(initial=1.0, final=0.2, hold_until=0.5, reach_at=0.5)
    assert [schedule.at(x) for x in (0.0, 0.5, 0.6)] == pytest.approx([1.0, 1.0, 0.2])


def test_evaluation_is_one_episode_a_seed_and_the_same_twice() -> None:
    first = evaluate(make_agent("random", seed=3), "sunpleat", range(40))
    second = evaluate(make_agent("random", seed=3), "sunpleat", range(40))
    assert first == second
    assert first.refusals == 0
    assert max(first.lengths) <= 256
    assert evaluate(
        make_agent("sunpleat-solver"), "sunpleat", [0], max_episode_steps=41
    ).scores == [1970]
    with pytest.raises(OptionError, match="at least one seed"):
        evaluate(make_agent("random"), "sunpleat", [])
    with pytest.raises(InvalidSeedError):
        evaluate(make_agent("random"), "sunpleat", [1.5])  # type: ignore[list-item]


def test_levels_are_cleared_within_their_budget_or_not() -> None:
    settings = {"one_board": True, "patches": 3}
    exact = evaluate(make_agent("patchrook-solver"), "patchrooklevels", [0, 1], settings=settings)
    assert exact.successes == exact.in_budget == [True, True]
    assert exact.rates()["in_budget"].value == 1
    stuck = make_agent("patchrook-restart-when-stuck")
    found = evaluate(
        stuck, "patchrooklevels", range(60), settings=settings | {"difficulty": [4, 9]}
    )
    swift = [length <= 16 for length in found.lengths]  # 4 (3 + 1) actions
    assert found.in_budget == swift
    assert 0 < sum(swift) < sum(found.successes or [])
    assert evaluate(make_agent("random"), "sunpleat", [0]).rates() == {}


def test_training_starts_can_still_be_won_and_the_usual_ones_come_first() -> None:
    groups = winnable_positions()
    assert [len(group) for group in groups] == [7, 17, 59, 100, 266, 300, 1134, 1090]
    assert all(group[0]["moves_used"] == 0 for group in groups)
    usual = PooledStarts(groups, usual_share=1.0)

    class Two:
        num_games = 2

    records = usual(Two(), np.arange(2), np.random.default_rng(0))["state"]  # type: ignore[arg-type]
    assert all(record["moves_used"] == 0 for record in records)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(5))
def test_training_reaches_the_exact_optimum(seed: int, tmp_path: Path) -> None:
    result = run_experiment(
        load_config("sunpleat", [f"training.seed={seed}"]), tmp_path / "run", quiet=True
    )
    assert result.evaluation.mean_score == 9920


class _Bomb:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Path.touch, (self._path,)


def test_code_in_a_runs_model_is_not_executed(run_folder: Path, tmp_path: Path) -> None:
    import torch

    trap = tmp_path / "trap"
    copy = tmp_path / "run"
    shutil.copytree(run_folder, copy)
    with zipfile.ZipFile(copy / "model.zip", "w") as archive, archive.open("policy.pth", "w") as to:
        torch.save({"weights": _Bomb(trap)}, to)
    with pytest.raises(ModelMismatchError, match="holds no weights"):
        load_player(copy)
    assert not trap.exists()
