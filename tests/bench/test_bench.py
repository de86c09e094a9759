"""`quiltrail bench`: which rows there are, what they say, and the clock behind them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

from quiltrail.bench import limit
from quiltrail.bench.clock import Effort, Stopwatch, fastest
from quiltrail.bench.rows import HEADER, Plan, Row, document, measure
from quiltrail.bench.subjects import (
    SUBJECTS,
    Case,
    Layout,
    cases_of,
    find_subject,
    layout_of,
    never_banks,
)
from quiltrail.cli.bench import bench
from quiltrail.core.errors import ConfigError, UnknownNameError
from quiltrail.envs import GAMES, find_game

TINY = Plan([], batches=(1, 3), threads=(1,), seconds=1e-6, repeats=1)


def test_every_id_is_timed_through_every_face() -> None:
    for spec in GAMES:
        cases = cases_of(spec.name, (64, 1), (2, 1))
        assert [(one.face, one.num_envs, one.threads) for one in cases] == [
            ("single", 1, 1),
            *(("vector, live", 1, 1), ("vector, live", 1, 2), ("vector", 1, 1), ("SB3", 1, 1)),
            *(("vector, live", 64, 1), ("vector, live", 64, 2), ("vector", 64, 1)),
            ("SB3", 64, 1),
        ]


@pytest.mark.parametrize("subject", ["Sunpleat", "Tinrail self-play", "tinrail-v0 (AEC)"])
def test_each_case_becomes_a_row(subject: str) -> None:
    rows = list(measure(Plan([subject], (1, 3), (1,), 1e-6, 1)))
    cases = cases_of(subject, (1, 3), (1,))
    assert [Case(subject, row.face, row.num_envs, row.threads) for row in rows] == cases  # type: ignore[arg-type]
    assert all(row.cpu_ns > 0 and row.wall_ns > 0 for row in rows)


def test_bytes_are_those_of_the_arrays_that_a_step_hands_out() -> None:
    engine = find_game("patchwork").make_engine(1)
    layout = layout_of("Patchwork")
    assert layout.observation == sum(part[0].nbytes for part in engine.observation.values())
    assert layout.mask == engine.mask[0].nbytes == 243
    assert layout_of("tinrail-v0 (AEC)").mask == 12


def test_the_share_of_the_limit_is_the_limits_time_in_the_steps_time() -> None:
    row = Row("Sunpleat", "vector", 64, 1, 80, 9, 48, cpu_ns=100.0, wall_ns=200.0, limit_ns=25.0)
    assert row.limit_share == 0.25
    assert row.steps_per_cpu_second == 1e7
    assert row.steps_per_second == 5e6
    assert row.to_markdown().count("|") == HEADER.splitlines()[0].count("|")
    assert "| 80 + 9 | 10,000,000 | 5,000,000 | 25% |" in row.to_markdown()


def test_the_limit_writes_every_word_of_every_row(monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    kernel = limit._write
    monkeypatch.setattr(limit, "_write", lambda *given: (written.append(given), kernel(*given)))
    steps = limit.write_play(Layout(observation=17, mask=9, state=0), 5)(Stopwatch())
    observations, masks, value, times = written[0]
    assert observations.shape == (5, 3)
    assert masks.shape == (5, 2)
    assert steps == 5 * times
    last = np.uint64(value + times - 1)
    assert (observations == last).all()
    assert (masks == last).all()


def test_only_what_is_inside_the_watch_counts_and_the_best_repeat_wins() -> None:
    calls = []

    def play(watch: Stopwatch) -> int:
        calls.append(len(calls))
        watch.cpu_ns += 300 if len(calls) == 4 else 500
        watch.wall_ns += 700
        return 10

    timing = fastest(play, Effort(seconds=1e-9, repeats=3, warm_up=2))
    assert len(calls) == 2 + 3
    assert (timing.cpu_ns, timing.wall_ns) == (30.0, 70.0)


def test_the_watch_adds_up_its_blocks() -> None:
    watch = Stopwatch()
    with watch:
        sum(range(1000))
    first = watch.wall_ns
    with watch:
        sum(range(1000))
    assert 0 < first < watch.wall_ns


def test_the_player_never_banks_while_something_else_is_legal() -> None:
    engine = find_game("sunpleat").make_engine(32)
    player = never_banks(engine)
    while not engine.terminated.all():
        engine.step(player.act(engine))
    assert {engine.view(row)["endReason"] for row in range(32)} == {"out-of-lives"}


def test_the_command_prints_a_table_and_writes_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bench.json"
    bench(["quiltrail/Patchwork-v0"], "1,2", "1", 1e-6, 1, path)
    lines = capsys.readouterr().out.splitlines()
    written = json.loads(path.read_text())
    assert lines[:2] == HEADER.splitlines()
    assert len(lines) - 2 == len(written["rows"]) == 7
    assert {"numpy", "numba", "python", "quiltrail"} <= set(written["versions"])
    assert written["host"]["processors"] >= 1
    assert written["plan"]["batches"] == [1, 2]
    for row in written["rows"]:
        assert row["limit_share"] == pytest.approx(row["limit_ns"] / row["cpu_ns"])
        assert row["steps_per_cpu_second"] == pytest.approx(1e9 / row["cpu_ns"])


def test_a_document_repeats_the_rows() -> None:
    row = Row("x", "AEC", 1, 1, 80, 9, 48, 10.0, 20.0, 1.0)
    written = document([row], TINY)
    assert written["rows"][0]["limit_share"] == 0.1
    assert written["rows"][0]["steps_per_second"] == 5e7
    assert "release" not in written["host"]


def test_mistakes_are_named() -> None:
    with pytest.raises(UnknownNameError, match="did you mean Patchwork"):
        find_subject("Patchwrok")
    with pytest.raises(ConfigError, match="--batches"):
        bench(["sunpleat"], "1,x", "1", 0.1, 1, None)
    with pytest.raises(ConfigError, match="--repeats"):
        bench(["sunpleat"], "1", "1", 0.1, 0, None)
    assert find_subject("tinrail self-play") == "Tinrail self-play"
    assert len(SUBJECTS) == len(GAMES) + 2
