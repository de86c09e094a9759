"""Patchrook's engine against the rules, the shared cases and the slow reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from quiltrail.core.errors import OptionError, StateError, demand
from quiltrail.envs.patchrook.engine import PatchrookEngine
from quiltrail.envs.patchrook.quilts import STAGE_AWARDS, QuiltSource, stage_of
from quiltrail.envs.patchrook.rules import BANK, NEXT, STAGE_TEMPLATES, TEMPLATES
from quiltrail.envs.patchrook.shapes import (
    SHAPE_NAMES,
    button_of,
    covered_cells,
    orientations_of,
)
from quiltrail.envs.patchrook.solver import all_covers, best_actions
from tests.agreement import assert_visited, compare_batch, find_disagreement
from tests.cases.sunpleat_patchrook import Case, Hooks, case_name, load_cases, run_case
from tests.engine_player import EnginePlayer, first_draws
from tests.envs.patchrook_player import QuiltPlayer
from tests.reference.patchrook import PatchrookReference

CUT_CORNER_QUILT = 8
FIRST_FIT = {"type": "place", "patchId": "A", "orientation": 1, "x": 0, "y": 0}


def _template(quilt: int) -> str:
    return TEMPLATES[STAGE_TEMPLATES[stage_of(quilt)]].name.lower().replace(" ", "_")


HOOKS = Hooks(
    orientations=orientations_of,
    button=lambda cells: button_of(tuple(cells)),
    covered=lambda cells, x, y: covered_cells(tuple(cells), x, y),
    draws=first_draws,
    quilt_award=lambda quilt: int(STAGE_AWARDS[stage_of(quilt)]),
    quilt_template=_template,
)


@pytest.mark.parametrize("case", load_cases("patchrook"), ids=case_name)
def test_the_shared_cases_hold(case: Case) -> None:
    run_case(case, lambda seed: QuiltPlayer(PatchrookEngine(2), seed), HOOKS)


def _first_quilt(seed: int) -> int:
    return 1 + seed % 9


class SpreadEngine(PatchrookEngine):
    """Starts each game at one of quilts 1 to 9, by its seed."""

    def _start(self, rows: Any, seeds: Any, **start: Any) -> None:
        super()._start(rows, seeds, quilt=_first_quilt(seeds).astype(np.int64), **start)


def _spread_reference(seed: int) -> PatchrookReference:
    return PatchrookReference(seed, _first_quilt(seed))


def _describe(view: dict[str, Any], refusal: str) -> list[str]:
    return [f"template {_template(view['quilt'])}", f"phase {view['phase']}"]


def _compare(steps: int, seed: int) -> None:
    visits = compare_batch(
        SpreadEngine,
        _spread_reference,
        steps=steps,
        guide=best_actions,
        guided_share=1.0,
        describe=_describe,
        illegal_share=0.1,
        seed=seed,
    )
    expected = {f"template {_template(quilt)}" for quilt in range(1, 9)}
    expected |= {"phase playing", "phase cleared", "phase ended"}
    expected |= {
        f"refusal {name}"
        for name in (
            "wrong-phase",
            "no-such-patch",
            "not-in-tray",
            "no-such-orientation",
            "out-of-bounds",
            "cut-out",
            "overlap",
            "not-placed",
            "index-out-of-range",
        )
    }
    assert_visited(visits, expected)


def test_fifty_thousand_steps_agree_with_the_reference() -> None:
    _compare(50_000, seed=1)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_three_hundred_thousand_steps_agree_with_the_reference() -> None:
    _compare(300_000, seed=2)


def test_no_line_of_play_is_found_that_the_reference_plays_otherwise() -> None:
    find_disagreement(
        SpreadEngine, lambda seed: _spread_reference(seed % 2**32), examples=40, steps=30
    )


@pytest.mark.parametrize("quilt", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1000])
def test_a_run_can_start_at_any_quilt(quilt: int) -> None:
    player = EnginePlayer(PatchrookEngine(1), 7, quilt=quilt)
    assert player.view() == PatchrookReference(7, quilt).view()


def test_a_quilt_started_at_is_the_one_that_play_leads_to() -> None:
    played = PatchrookEngine(3)
    played.reset(np.arange(3), np.array([7, 8, 2**32 - 1], np.uint64))
    fresh = played.copy()
    for quilt in range(2, 13):
        while (played.state["quilt"] < quilt).any():
            played.step(best_actions(played))
        fresh.reset(np.arange(3), played.game_seed.astype(np.uint64), quilt=np.full(3, quilt))
        for name in ("cursor", "usable", "shape", "tray_order", "initial"):
            np.testing.assert_array_equal(fresh.state[name], played.state[name])


@pytest.mark.parametrize("quilt", [0, -1, True, 1.0, "1", None, 2**31])
def test_an_impossible_quilt_is_refused(quilt: object) -> None:
    with pytest.raises(OptionError, match="quilt"):
        PatchrookEngine(1).check_start("quilt", quilt)


def test_eight_quilts_earn_3490_in_44_actions() -> None:
    engine = PatchrookEngine(1)
    for _ in range(44):
        engine.step(best_actions(engine))
    assert engine.score[0] == 3490
    assert engine.view(0)["phase"] == "cleared"
    assert engine.state["quilt"][0] == 8


@pytest.mark.parametrize(("steps", "points"), [(64, 5000), (256, 20_100), (1000, 79_490)])
def test_the_optimum_of_some_steps(steps: int, points: int) -> None:
    engine = PatchrookEngine(2)
    for _ in range(steps):
        engine.step(best_actions(engine))
    assert engine.score.tolist() == [points, points]


def test_a_run_from_the_last_quilt_to_start_at_goes_on() -> None:
    engine = EnginePlayer(PatchrookEngine(1), 3, quilt=2**31 - 1).engine
    while engine.state["quilt"][0] < 2**31 + 1:
        engine.step(best_actions(engine))
    engine.set_state(0, engine.get_state(0))
    assert engine.score[0] in (1000, 1010)


def test_scores_pass_two_to_the_31() -> None:
    engine = PatchrookEngine(1)
    quilt = 4_299_999  # behind the first five quilts and 1,433,331 times three
    points = 1980 + 1_433_331 * 1510
    start = EnginePlayer(engine, 3, quilt=quilt).engine.get_state(0)
    engine.set_state(0, {**start, "score": points, "turn": 10**9})
    while engine.state["phase"][0] == 0:
        engine.step(best_actions(engine))
    assert engine.score[0] == points + 500 > 2**31


def test_refusals_say_what_would_have_been_allowed() -> None:
    player = EnginePlayer(PatchrookEngine(1), 3, quilt=CUT_CORNER_QUILT)
    engine = player.engine
    place = {"type": "place", "patchId": "A", "orientation": 0, "x": 4, "y": 4}
    assert "off the board" in engine.submit(0, place).reason
    assert "legal now: place, bank" in engine.submit(0, {"type": "next"}).reason
    assert "phase playing" in engine.submit(0, {"type": "next"}).reason
    assert "patch B" in engine.submit(0, {"type": "lift", "patchId": "B"}).reason
    lesson = PatchrookEngine(1)
    assert "there are ABC" in lesson.submit(0, {"type": "lift", "patchId": "D"}).reason
    missing = {**FIRST_FIT, "orientation": 2}
    assert "A has orientations 0 to 1" in lesson.submit(0, missing).reason


class UprightSquares(QuiltSource):
    """Deals the same 4 x 4 quilt of four squares of four for ever."""

    settings: Mapping[str, Any] = {"kind": "squares"}

    def deal(self, state: Any, rows: Any, *, fresh: bool) -> None:
        state["stage"][rows] = -1
        state["width"][rows] = state["height"][rows] = 4
        state["usable"][rows] = 0b01111_01111_01111_01111
        state["num_patches"][rows] = 4
        state["shape"][rows] = [*[SHAPE_NAMES.index("O4")] * 4, 0, 0]
        state["tray_order"][rows] = [0, 1, 2, 3, -1, -1]
        state["initial"][rows] = [0, 0, 0, 0, -1, -1]

    def check_board(self, game: Any) -> None:
        demand(game["stage"] == -1, "stage", "is -1")

    def check_run(self, game: Any, points: int, turns: int) -> None:
        demand(points % 390 == 0, "score", "is a multiple of 390")


def test_quilts_may_come_from_another_source() -> None:
    engine = PatchrookEngine(2, source=UprightSquares())
    for _ in range(5 * 7):
        engine.step(best_actions(engine))
        assert engine.refusal.tolist() == [0, 0]
        engine.set_state(0, engine.get_state(0))
    assert engine.score.tolist() == [7 * 390] * 2
    assert engine.state["quilt"].tolist() == [8, 8]
    assert not engine.observation["stage"].any()
    assert len(all_covers(engine, 0)) == 24
    with pytest.raises(StateError, match="settings"):
        PatchrookEngine(1).set_state(0, engine.get_state(0))


def test_after_bank_the_board_stays_and_nothing_is_legal() -> None:
    player = EnginePlayer(PatchrookEngine(1))
    player.play(FIRST_FIT)
    before = player.view()
    player.play({"type": "bank"})
    ended = {"phase": "ended", "turn": 2, "legalActions": []}
    assert player.view() == before | ended
    assert player.engine.mask.all()
    assert player.play({"type": "bank"}) == "run-ended"


def test_next_and_bank_are_all_that_is_legal_on_a_cleared_quilt() -> None:
    engine = PatchrookEngine(1)
    for _ in range(3):
        engine.step(best_actions(engine))
    assert engine.legal_indices(0) == [NEXT, BANK]
