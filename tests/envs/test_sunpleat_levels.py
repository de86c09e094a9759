"""Procedural Sunpleat: settings, states, and play against the slow reference."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import quiltrail
from quiltrail.agents.sunpleat import SunpleatSolver
from quiltrail.core.errors import OptionError, StateError
from quiltrail.envs.sunpleat.levels import SunpleatLevelsEngine
from tests.agreement import Visits, assert_visited, compare_batch, find_disagreement
from tests.engine_player import EnginePlayer
from tests.impossible_states import assert_refused_by_field
from tests.reference.sunpleat_levels import (
    SunpleatLevelsReference,
    level_garland,
    par,
    part_of,
)

quiltrail.register_envs()

ENV_ID = "quiltrail/SunpleatLevels-v0"


def _describe(view: dict[str, Any], refusal: str) -> list[str]:
    end = f"end {view['endReason']}" if view["endReason"] else f"phase {view['phase']}"
    return [end, f"par {view['exactPar']}", f"leaves {view['leaves']}"]


def _compare(steps: int, seed: int, **chosen: Any) -> Visits:
    return compare_batch(
        lambda count: SunpleatLevelsEngine(count, **chosen),
        lambda one: SunpleatLevelsReference(one, **chosen),
        steps=steps,
        guide=SunpleatSolver().act,
        describe=_describe,
        seed=seed,
    )


def test_forty_thousand_steps_agree_with_the_reference() -> None:
    visits = _compare(40_000, seed=1)
    expected = {f"par {distance}" for distance in range(3, 10)} | {f"leaves {k}" for k in range(4)}
    expected |= {"end banked", "end out-of-lives", "phase retry", "phase cleared"}
    assert_visited(visits, expected)


@pytest.mark.parametrize(
    "chosen",
    [
        {"n": 3, "slack": 0},
        {"n": 5, "distance": (2, 6), "slack": 1, "split": "train"},
        {"n": 3, "one_board": True, "num_levels": 10, "start_level": 7},
        {"n": 8, "distance": (3, 3), "slack": 2, "num_levels": 30},
    ],
    ids=str,
)
def test_other_settings_agree_with_the_reference(chosen: dict[str, Any]) -> None:
    visits = _compare(6_000, seed=2, **chosen)
    assert ("end cleared" in visits) == bool(chosen.get("one_board"))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("chosen", [{}, {"n": 6, "split": "test"}, {"n": 10, "distance": (1, 3)}])
def test_many_steps_agree_with_the_reference(chosen: dict[str, Any]) -> None:
    visits = _compare(200_000, seed=3, **chosen)
    assert_visited(visits, {"end banked", "end out-of-lives", "phase retry", "phase cleared"})


def test_no_line_of_play_is_found_that_the_reference_plays_otherwise() -> None:
    find_disagreement(SunpleatLevelsEngine, SunpleatLevelsReference, examples=40)


@pytest.mark.parametrize("n", [5, 8])
def test_the_exact_player_clears_every_board_at_par(n: int) -> None:
    engine, solver = SunpleatLevelsEngine(8, n=n, slack=0), SunpleatSolver()
    engine.reset(np.arange(8), np.arange(8, dtype=np.uint64))
    for _ in range(80):
        engine.step(solver.act(engine))
        assert not engine.terminated.any()
    assert (engine.state["leaves"] == 3).all()
    assert (engine.state["cleared"] >= 3).all()


def test_a_split_is_kept_to() -> None:
    engine = SunpleatLevelsEngine(100, split="test")
    engine.reset(np.arange(100), np.arange(100, dtype=np.uint64))
    for start in engine.state["start"]:
        assert part_of(tuple(start.tolist())) == "test"


def test_levels_can_be_chosen_and_have_to_be_of_the_set() -> None:
    engine = SunpleatLevelsEngine(1, n=5, start_level=100, num_levels=50)
    player = EnginePlayer(engine, 4, level=120)
    assert player.view()["garland"] == list(level_garland(120, 5, None))
    assert player.view()["exactPar"] == par(level_garland(120, 5, None))
    for level in (99, 150, -1, True, "100", None):
        with pytest.raises(OptionError, match="level"):
            engine.check_start("level", level)


def test_a_cleared_board_ends_a_run_of_one_board_with_success() -> None:
    env = gym.make(ENV_ID, one_board=True)
    env.reset(seed=3)
    terminated, solver = False, SunpleatSolver()
    while not terminated:
        action = int(solver.act(env.unwrapped.engine)[0])
        _, reward, terminated, _, info = env.step(action)
        assert ("is_success" in info) == terminated
    assert info["is_success"] is True
    assert info["score"] == reward == 100 + 25 * 5 + 10 * 4
    assert env.unwrapped.view()["endReason"] == "cleared"
    env.reset(seed=3)
    assert env.step(env.action_space.n - 1)[4]["is_success"] is False


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n", 1),
        ("n", 11),
        ("n", 5.0),
        ("slack", -1),
        ("slack", 17),
        ("distance", 0),
        ("distance", 11),
        ("distance", (4, 3)),
        ("distance", "3"),
        ("start_level", -1),
        ("num_levels", 2**32 + 1),
        ("split", "dev"),
        ("one_board", None),
    ],
)
def test_a_setting_out_of_range_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(OptionError, match=name):
        SunpleatLevelsEngine(1, **{name: value})


def test_settings_pass_through_json() -> None:
    engine = SunpleatLevelsEngine(1, distance=(3, 9), split="train", num_levels=1000)
    again = SunpleatLevelsEngine(1, **engine.settings)
    again.set_state(0, engine.get_state(0))
    assert again.settings == engine.settings


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("level", 12),
        ("cursor", 5),
        ("par", 1),
        ("start", [1, 2, 3, 4, -5]),
        ("garland", [1, 2, 3, 4, 4]),
        ("n", 4),
        ("board", 0),
        ("moves_used", -1),
        ("leaves", 0),
        ("phase", 4),
        ("end_reason", 3),
        ("score", 5),
        ("turn", -1),
    ],
)
def test_an_impossible_state_is_refused_by_field(field: str, value: object) -> None:
    assert_refused_by_field(SunpleatLevelsEngine(1), field, value)


def test_an_end_that_does_not_fit_a_run_of_one_board_is_impossible() -> None:
    engine, solver = SunpleatLevelsEngine(1, one_board=True, n=3), SunpleatSolver()
    while not engine.terminated[0]:
        engine.step(solver.act(engine))
    state = engine.get_state(0)
    engine.set_state(0, state)
    assert engine.success is not None
    assert engine.success[0]
    for changes in ({"phase": 1, "end_reason": 0}, {"end_reason": 1}):
        with pytest.raises(StateError, match=r"phase|end_reason"):
            engine.set_state(0, {**state, **changes})
