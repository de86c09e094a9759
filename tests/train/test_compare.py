"""Comparison of runs that were written by hand, with numbers worked out by hand."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

from quiltrail.core.errors import ConfigError
from quiltrail.train.compare import compare, write_comparison
from quiltrail.train.config import load_config


def write_run(folder: Path, score: float, *settings: str, name: str = "") -> None:
    """Write what a finished run leaves behind: random play scored 100, the reference 300."""
    config = load_config("sunpleat", [*settings, *([f"name={name}"] if name else [])])
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(config.to_yaml())
    share = (score - 100) / 200
    final = {
        "summary": {"mean": {"value": score}},
        "normalised": {"mean": {"value": share}},
        "refusals": 0,
    }
    evaluation = {"env_id": config.env.id, "deterministic": final}
    (folder / "evaluation.json").write_text(json.dumps(evaluation))
    (folder / "curve.csv").write_text(
        f"steps,seconds,score,normalised\n0,0.0,100.0,0.0\n1000,1.0,{score},{share}\n"
    )


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for seed, (low, high) in enumerate([(100, 150), (200, 250), (300, 250)]):
        write_run(tmp_path / "a" / f"seed-{seed}", low, f"training.seed={seed}", name="a")
        write_run(tmp_path / "b" / f"seed-{seed}", high, f"training.seed={seed}", name="b")
    return tmp_path


def test_runs_that_differ_in_the_seed_are_one_experiment(runs: Path) -> None:
    rows = {row["name"]: row for row in compare([runs]).rows()}
    assert {name: row["runs"] for name, row in rows.items()} == {"a": 3, "b": 3}
    assert rows["a"]["mean score"].startswith("200.0 [")
    assert rows["a"]["normalised IQM"].startswith("0.500 [")
    assert rows["a"]["worst"] == "100.0"


def test_improvement_counts_pairs_of_runs(runs: Path) -> None:
    found = {(x, y): summary.value for x, y, summary in compare([runs]).improvements()}
    # b beats a: 150 > 100; 250 > 100, 200 twice: 5 of 9
    assert found[("b", "a")] == pytest.approx(5 / 9)
    assert found[("a", "b")] == pytest.approx(4 / 9)


def test_one_name_for_two_experiments_is_told_apart(runs: Path) -> None:
    write_run(runs / "c", 120, "training.total_steps=5", name="a")
    names = [row["name"] for row in compare([runs]).rows()]
    assert len(set(names)) == 3
    assert sum(name.startswith("a ") for name in names) == 2


def test_algorithms_are_put_together_across_games(runs: Path) -> None:
    write_run(runs / "d", 300, "env.id=quiltrail/Patchwork-v0", name="d")
    comparison = compare([runs], by="algorithm")
    games = comparison.strata["lean_maskable_ppo"]
    assert {env_id: len(scores) for env_id, scores in games.items()} == {
        "quiltrail/Sunpleat-v0": 6,
        "quiltrail/Patchwork-v0": 1,
    }
    assert any("| lean_maskable_ppo | 2 | 7 |" in line for line in comparison.lines())


def test_everything_is_written_down(runs: Path, tmp_path: Path) -> None:
    unfinished = runs / "e"
    unfinished.mkdir()
    (unfinished / "config.yaml").write_text(load_config("sunpleat").to_yaml())
    write_comparison(compare([runs]), tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"COMPARISON.md", "comparison.csv", "curves-0.png", "profiles.png"}
    page = (tmp_path / "out" / "COMPARISON.md").read_text()
    assert "1 run(s) without a final evaluation were left out" in page
    with (tmp_path / "out" / "comparison.csv").open(newline="") as file:
        assert [row["name"] for row in csv.DictReader(file)] == ["a", "b"]


def test_folders_without_finished_runs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no run in"):
        compare([tmp_path])
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "config.yaml").write_text(load_config("sunpleat").to_yaml())
    with pytest.raises(ConfigError, match="none of these runs is finished"):
        compare([tmp_path])
    with pytest.raises(ConfigError, match="experiment or algorithm"):
        compare([tmp_path], by="colour")
