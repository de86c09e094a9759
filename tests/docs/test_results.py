"""The page of results is what its table of experiments and its measurements say."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import typer

from benchmarks import tinrail_strength as strength
from benchmarks.results import __main__ as results
from benchmarks.results.measure import measure, train
from benchmarks.results.page import MEASUREMENTS, PAGE, fill
from benchmarks.results.rows import Play, Row, Training, is_stale, load_rows
from quiltrail.agents import Agent, make_agent
from quiltrail.cli import app
from quiltrail.train.evaluate import evaluate
from quiltrail.train.files import read_json, write_json
from tests.train.small import SMALL

ROWS = load_rows()
TRAINING = Training(config="sunpleat", seeds="3,5", set=SMALL)


def test_the_page_is_in_step_with_the_table_and_the_measurements() -> None:
    measured = read_json(MEASUREMENTS) or {}
    assert set(measured) <= set(ROWS)
    page = PAGE.read_text(encoding="utf-8")
    assert fill(page, ROWS, measured) == page, "run `python -m benchmarks.results --render`"


def test_every_published_command_is_one() -> None:
    commands = typer.main.get_command(app)
    context = typer.Context(commands)
    for line in [line for row in ROWS.values() for line in row.commands()]:
        program, name, *words = shlex.split(line)
        assert program == "quiltrail"
        command = commands.get_command(context, name)  # type: ignore[attr-defined]
        command.make_context(name, words)


def test_a_page_without_a_place_for_a_table_is_refused() -> None:
    with pytest.raises(ValueError, match="places"):
        fill("<!-- results: chess --><!-- end of results -->", ROWS, {})


def test_a_row_without_a_measurement_says_so() -> None:
    row = Row(env="sunpleat", agent="nobody", play=Play(agent="random"))
    page = "before <!-- results: sunpleat -->old<!-- end of results --> after"
    filled = fill(page, {"one": row}, {})
    assert "nobody | not measured yet" in filled
    assert "quiltrail evaluate --env sunpleat --agent random --seeds 0-99" in filled
    assert filled.startswith("before")
    assert filled.endswith("after")
    assert "old" not in filled


def test_a_changed_row_is_measured_again() -> None:
    row = Row(env="sunpleat", agent="a", train=TRAINING)
    measured = {"digest": row.digest}
    changed = row.model_copy(update={"train": TRAINING.model_copy(update={"seeds": "3"})})
    renamed = row.model_copy(update={"agent": "b"})
    assert not is_stale(renamed, measured)
    assert is_stale(changed, measured)
    assert is_stale(row, None)


def test_a_measurement_of_before_a_change_says_so(tmp_path: Path) -> None:
    row = Row(env="sunpleat", agent="nobody", play=Play(agent="random", seeds="0-1"))
    measured = {"one": measure(row, tmp_path)}
    page = "<!-- results: sunpleat --><!-- end of results -->"
    assert "before a change" not in fill(page, {"one": row}, measured)
    changed = row.model_copy(update={"statistic": "median"})
    assert "nobody (measured before a change)" in fill(page, {"one": changed}, measured)


def test_a_row_of_games_has_the_statistic_of_its_games(tmp_path: Path) -> None:
    play = Play(agent="random", seeds="4-9", max_steps=9)
    one = measure(Row(env="patchwork", agent="", play=play, statistic="median"), tmp_path)
    played = evaluate(make_agent("random"), "patchwork", range(4, 10), max_episode_steps=9)
    assert one["score"]["value"] == np.median(played.scores)
    assert one["length"] == {"value": 9.0, "low": 9.0, "high": 9.0}
    assert (one["runs"], one["games"], one["training"]) == (1, 6, [])
    assert one["success"] is one["in_budget"] is None
    assert one["score"]["low"] <= one["score"]["value"] <= one["score"]["high"]


def test_a_row_of_levels_has_the_share_of_its_boards(tmp_path: Path) -> None:
    settings = {"one_board": True, "n": 4}
    play = Play(agent="sunpleat-solver", seeds="0-9", settings=settings)
    row = Row(env="sunpleatlevels", agent="solver", play=play)
    one = measure(row, tmp_path)
    assert one["success"]["value"] == one["in_budget"]["value"] == 1.0
    page = fill(
        "<!-- results: sunpleatlevels --><!-- end of results -->", {"one": row}, {"one": one}
    )
    assert "1.000 [0.722, 1.000], 1.000 [0.722, 1.000]" in page


def test_a_row_of_runs_has_the_mean_of_their_means_and_keeps_them(tmp_path: Path) -> None:
    row = Row(env="sunpleat", agent="", train=TRAINING)
    one = measure(row, tmp_path)
    reports: list[dict[str, Any]] = [
        folder.evaluation or {} for folder in train(TRAINING, tmp_path)
    ]
    means = [report["deterministic"]["summary"]["mean"]["value"] for report in reports]
    assert one["score"]["value"] == pytest.approx(np.mean(means))
    assert [run["seed"] for run in one["training"]] == [3, 5]
    assert all(run["cpu_seconds"] > 0 and run["steps"] == 8192 for run in one["training"])
    assert measure(row, tmp_path)["training"] == one["training"], "no run is made twice"
    again = measure(row.model_copy(update={"play": Play(seeds="0-2")}), tmp_path)
    assert (again["runs"], again["games"]) == (2, 3)


def test_the_strength_of_tinrails_players_is_in_step_with_its_measurements() -> None:
    measured = read_json(strength.MEASUREMENTS) or {}
    assert set(measured) <= set(strength.ROWS)
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(strength.MARK)
    shown, _, _ = rest.partition(strength.END)
    assert shown.strip() == "\n".join(strength.table(measured)).strip()


def test_only_the_players_that_have_not_met_meet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, *known = strength.ROWS
    write_json(tmp_path / "strength.json", {row: {} for row in known})
    written: dict[str, Any] = {}
    monkeypatch.setattr(strength, "MEASUREMENTS", tmp_path / "strength.json")
    monkeypatch.setattr(strength, "measure", lambda pairing, matches: {"matches": matches})
    monkeypatch.setattr(strength, "write", written.__setitem__)
    results._measure_strength(again=False)
    assert written == {new: {"matches": strength.ROWS[new].matches}}


@pytest.mark.parametrize("name", strength.PLAYERS)
def test_players_that_meet_can_be_made(name: str) -> None:
    _, make = strength.PLAYERS[name]
    assert isinstance(make(), Agent)
