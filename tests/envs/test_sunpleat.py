"""Sunpleat's engine against the rules, the shared cases and the slow reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quiltrail.agents.sunpleat import SunpleatSolver
from quiltrail.core.errors import OptionError
from quiltrail.envs.sunpleat.engine import SunpleatEngine, award, flip
from quiltrail.envs.sunpleat.par import distance_between
from tests.agreement import assert_visited, compare_batch, find_disagreement
from tests.cases.sunpleat_patchrook import Case, Hooks, case_name, load_cases, run_case
from tests.engine_player import EnginePlayer, first_draws
from tests.reference.sunpleat import SunpleatReference


def _flipped(garland: list[int], count: int) -> list[int]:
    array = np.array(garland, np.int8)
    flip(array, count)
    return array.tolist()


def _par(garland: list[int]) -> int:
    target = np.arange(1, len(garland) + 1, dtype=np.int8)
    return distance_between(np.array(garland, np.int8), target)


HOOKS = Hooks(
    flip=_flipped, par=_par, draws=first_draws, board_award=lambda n, left: int(award(n, left))
)


@pytest.mark.parametrize("case", load_cases("sunpleat"), ids=case_name)
def test_the_shared_cases_hold(case: Case) -> None:
    run_case(case, lambda seed: EnginePlayer(SunpleatEngine(2), seed), HOOKS)


def _describe(view: dict[str, Any], refusal: str) -> list[str]:
    end = f"end {view['endReason']}" if view["endReason"] else f"phase {view['phase']}"
    return [end, f"template {view['templateIndex']}", f"leaves {view['leaves']}"]


def _compare(steps: int, seed: int) -> None:
    visits = compare_batch(
        SunpleatEngine,
        SunpleatReference,
        steps=steps,
        guide=SunpleatSolver().act,
        describe=_describe,
        seed=seed,
    )
    expected = {f"template {t}" for t in range(1, 9)} | {f"leaves {k}" for k in range(4)}
    expected |= {"end banked", "end out-of-lives", "phase retry", "phase cleared"}
    expected |= {"refusal count-exceeds-n", "refusal wrong-phase", "refusal index-out-of-range"}
    assert_visited(visits, expected)


def test_two_hundred_thousand_steps_agree_with_the_reference() -> None:
    _compare(200_000, seed=1)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(10))
def test_a_million_steps_agree_with_the_reference(seed: int) -> None:
    _compare(1_000_000, seed=100 + seed)


def test_no_line_of_play_is_found_that_the_reference_plays_otherwise() -> None:
    find_disagreement(SunpleatEngine, SunpleatReference, examples=60)


@pytest.mark.parametrize("board", [1, 5, 8, 9, 12, 13, 4001])
def test_a_run_can_start_at_any_board(board: int) -> None:
    engine = SunpleatEngine(1)
    engine.reset(np.array([0]), np.zeros(1, np.uint64), board=np.array([board]))
    assert engine.view(0) == SunpleatReference(0, board=board).view()


@pytest.mark.parametrize("board", [0, -1, True, 1.0, "1", None, 2**31])
def test_an_impossible_board_is_refused(board: object) -> None:
    with pytest.raises(OptionError, match="board"):
        SunpleatEngine(1).check_start("board", board)


@pytest.mark.parametrize(("boards", "total"), [(1, 215), (8, 1970), (12, 3030), (80, 21050)])
def test_optimal_play_earns_the_published_totals(boards: int, total: int) -> None:
    engine, solver = SunpleatEngine(1), SunpleatSolver()
    while engine.state["cleared"][0] < boards:
        engine.step(solver.act(engine))
    assert engine.score[0] == total


def test_four_thousand_optimal_boards_pass_the_submission_guard_and_go_on() -> None:
    engine, solver = SunpleatEngine(1), SunpleatSolver()
    while engine.state["cleared"][0] < 4000:
        engine.step(solver.act(engine))
    assert engine.score[0] == 1_059_850
    assert not engine.terminated[0]


@pytest.mark.parametrize(
    ("board", "line", "points"),
    [(1, "2", 215), (3, "423", 240), (5, "31425", 265), (1, "11332", 175), (5, "111131425", 225)],
)
def test_single_clears_earn_the_published_awards(board: int, line: str, points: int) -> None:
    player = EnginePlayer(SunpleatEngine(1), board=board)
    for count in line:
        player.play({"type": "flip", "count": int(count)})
    assert player.view()["lastAward"] == player.score == points


def test_the_optimum_of_256_steps_is_9920() -> None:
    engine, solver = SunpleatEngine(1), SunpleatSolver()
    for _ in range(256):
        engine.step(solver.act(engine))
    assert engine.score[0] == 9920
