"""Procedural Patchrook: settings, filters, states, and play against the slow reference."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import quiltrail
from quiltrail.core.errors import OptionError, StateError
from quiltrail.core.mulberry32 import STREAM_LEVEL
from quiltrail.envs.patchrook import rules
from quiltrail.envs.patchrook.levels import PatchrookLevelsEngine
from quiltrail.envs.patchrook.solver import all_covers, best_actions
from tests.agreement import Visits, assert_visited, compare_batch, find_disagreement
from tests.impossible_states import assert_refused_by_field
from tests.reference.patchrook_levels import (
    Family,
    PatchrookLevelsReference,
)

quiltrail.register_envs()

ENV_ID = "quiltrail/PatchrookLevels-v0"
SMALL = Family(size=(3, 4), cutouts=(0, 3))
SETTINGS: dict[str, Any] = {"size": SMALL.size, "cutouts": SMALL.cutouts, "num_levels": 60}
TEST_PART = 1


def _engine(num_games: int, **more: Any) -> PatchrookLevelsEngine:
    return PatchrookLevelsEngine(num_games, **{**SETTINGS, **more})


def _reference(seed: int, **more: Any) -> PatchrookLevelsReference:
    return PatchrookLevelsReference(seed, family=SMALL, **{"num_levels": 60, **more})


def _describe(view: dict[str, Any], refusal: str) -> list[str]:
    return [f"phase {view['phase']}", f"patches {len(view['patches'])}"]


def _compare(steps: int, seed: int, one_board: bool) -> Visits:
    return compare_batch(
        lambda count: _engine(count, one_board=one_board, split="train"),
        lambda one: _reference(one, one_board=one_board, split="train"),
        steps=steps,
        guide=best_actions,
        guided_share=1.0,
        describe=_describe,
        illegal_share=0.2,
        seed=seed,
    )


def test_six_thousand_steps_agree_with_the_reference() -> None:
    visits = _compare(6_000, seed=1, one_board=False)
    expected = {"phase playing", "phase cleared", "phase ended", "refusal cut-out"}
    expected |= {"refusal overlap", "refusal out-of-bounds", "refusal no-such-patch"}
    assert_visited(visits, expected | {f"patches {count}" for count in (3, 4, 5)})


def test_runs_of_one_board_agree_with_the_reference() -> None:
    visits = _compare(4_000, seed=2, one_board=True)
    assert "phase cleared" not in visits
    assert visits["games ended"] > 200


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_three_hundred_thousand_steps_agree_with_the_reference() -> None:
    visits = _compare(300_000, seed=3, one_board=False)
    assert_visited(visits, {"phase cleared", "phase ended", "refusal cut-out"})


def test_no_line_of_play_is_found_that_the_reference_plays_otherwise() -> None:
    find_disagreement(_engine, _reference, examples=30, steps=30)


def test_filters_let_only_wanted_levels_pass() -> None:
    engine = PatchrookLevelsEngine(40, difficulty=(5, 7), max_covers=4, split="test")
    engine.reset(np.arange(40), np.arange(40, dtype=np.uint64))
    assert ((engine.difficulties() >= 5) & (engine.difficulties() < 7)).all()
    for row in range(40):
        assert len(all_covers(engine, row)) <= 4
        puzzle = engine.source.judged(int(engine.state["level"][row]))
        assert puzzle["part"] == TEST_PART


def test_levels_come_from_the_set() -> None:
    engine = PatchrookLevelsEngine(64, start_level=2**32 - 9, num_levels=9)
    engine.reset(np.arange(64), np.arange(64, dtype=np.uint64))
    assert set(engine.state["level"].tolist()) == set(range(2**32 - 9, 2**32))


def test_a_run_goes_on_to_other_levels_and_the_same_seed_repeats_them() -> None:
    engine = _engine(2)
    engine.reset(np.arange(2), np.array([5, 5], np.uint64))
    levels = []
    while engine.state["quilt"][0] < 8:
        engine.step(best_actions(engine))
        levels.append(int(engine.state["level"][0]))
    assert engine.state["level"][0] == engine.state["level"][1]
    assert len(set(levels)) > 3
    assert not engine.observation["stage"].any()


def test_a_cleared_board_ends_a_run_of_one_board_with_success() -> None:
    env = gym.make(ENV_ID, one_board=True, **SETTINGS)
    _, info = env.reset(seed=3)
    terminated = False
    while not terminated:
        assert "is_success" not in info
        action = int(best_actions(env.unwrapped.engine)[0])
        _, reward, terminated, _, info = env.step(action)
    assert info["is_success"] is True
    assert info["score"] == reward > 0
    env.reset(seed=3)
    assert env.step(rules.BANK)[4]["is_success"] is False


def test_levels_can_be_chosen_and_have_to_be_wanted() -> None:
    engine = PatchrookLevelsEngine(1, num_levels=50, split="train")
    unwanted = [level for level in range(50) if not engine.source.accepts(level)]
    assert unwanted
    for level in (unwanted[0], 50, -1, True, "1", None):
        with pytest.raises(OptionError, match="level"):
            engine.check_start("level", level)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("size", (1, 5)),
        ("size", (4, 3)),
        ("size", 6),
        ("cutouts", -1),
        ("cutouts", (0, 17)),
        ("patches", (2, 3)),
        ("patches", 7),
        ("patches", 3.0),
        ("difficulty", (5, 5)),
        ("difficulty", 5),
        ("difficulty", (-1, 5)),
        ("max_covers", 0),
        ("start_level", 2**32),
        ("num_levels", -1),
        ("split", "valid"),
        ("one_board", 1),
    ],
)
def test_a_setting_out_of_range_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(OptionError, match=name):
        PatchrookLevelsEngine(1, **{name: value})


def test_settings_that_no_level_fits_are_refused() -> None:
    with pytest.raises(OptionError, match="squares"):
        PatchrookLevelsEngine(1, size=3, patches=6)
    with pytest.raises(OptionError, match="wider"):
        PatchrookLevelsEngine(1, size=3, cutouts=0, difficulty=(20, 30))


def test_settings_pass_through_json() -> None:
    engine = PatchrookLevelsEngine(1, size=4, difficulty=(3, 6), split="train")
    again = PatchrookLevelsEngine(1, **engine.settings)
    again.set_state(0, engine.get_state(0))
    assert again.settings == engine.settings


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("level", 12),
        ("level", 2**32 - 1),
        ("cursor", 5),
        ("usable", 31),
        ("width", 2),
        ("num_patches", 2),
        ("shape", [1, 1, 1, 0, 0, 0]),
        ("tray_order", [0, 1, 2, 3, 4, 5]),
        ("initial", [9, 0, 0, -1, -1, -1]),
        ("stage", 0),
        ("score", 10),
        ("turn", -1),
        ("quilt", 0),
        ("phase", 1),
        ("last_points", 300),
    ],
)
def test_an_impossible_state_is_refused_by_field(field: str, value: object) -> None:
    assert_refused_by_field(_engine(1), field, value)


def test_later_quilts_of_a_run_are_checked_too() -> None:
    engine = _engine(1)
    while engine.state["quilt"][0] < 3:
        engine.step(best_actions(engine))
    state = engine.get_state(0)
    engine.set_state(0, state)
    first_cursor = state["seed"] ^ STREAM_LEVEL
    for field, value in (("cursor", first_cursor), ("score", 350), ("score", 10**6), ("turn", 3)):
        with pytest.raises(StateError, match=field):
            engine.set_state(0, {**state, field: value})


def test_a_row_of_one_board_never_stands_in_phase_cleared() -> None:
    engine = _engine(1, one_board=True)
    while not engine.terminated[0]:
        engine.step(best_actions(engine))
    state = engine.get_state(0)
    engine.set_state(0, state)
    assert engine.success is not None
    assert engine.success[0]
    with pytest.raises(StateError, match="phase"):
        engine.set_state(0, {**state, "phase": 1})
