"""Procedural Patchrook: levels, difficulty, split, filters, and play against the slow reference."""

from __future__ import annotations

from collections import Counter
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import settings
from scipy.stats import chisquare

import quiltrail
from quiltrail.core.errors import OptionError, StateError
from quiltrail.core.levels import PARTS
from quiltrail.core.mulberry32 import STREAM_LEVEL, draws_at
from quiltrail.envs.patchrook import quilts, rules
from quiltrail.envs.patchrook.levels import PatchrookLevelsEngine
from quiltrail.envs.patchrook.levels_difficulty import CERTAIN, count_covers, difficulty_of
from quiltrail.envs.patchrook.levels_partitions import (
    count_partitions,
    find_partition,
    partition_memo,
)
from quiltrail.envs.patchrook.shapes import bits_of
from quiltrail.envs.patchrook.solver import all_covers, best_actions
from tests.agreement import AgreementMachine, Visits, compare_batch
from tests.engine_player import EnginePlayer
from tests.reference.patchrook_levels import (
    Family,
    PatchrookLevelsReference,
    all_partitions,
    chance_to_finish,
    level_quilt,
    part_of,
    shape_and_orientation,
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
    assert expected | {f"patches {count}" for count in (3, 4, 5)} <= set(visits)


def test_runs_of_one_board_agree_with_the_reference() -> None:
    visits = _compare(4_000, seed=2, one_board=True)
    assert "phase cleared" not in visits
    assert visits["games ended"] > 200


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_three_hundred_thousand_steps_agree_with_the_reference() -> None:
    assert _compare(300_000, seed=3, one_board=False)["steps"] >= 300_000


class PatchrookLevelsMachine(AgreementMachine):
    def make_engine(self, num_games: int) -> PatchrookLevelsEngine:
        return _engine(num_games)

    def make_reference(self, seed: int) -> PatchrookLevelsReference:
        return _reference(seed)


TestPatchrookLevelsMachine = PatchrookLevelsMachine.TestCase
TestPatchrookLevelsMachine.settings = settings(
    max_examples=30, stateful_step_count=30, deadline=None
)


def _agree_on_levels(levels: range, family: Family) -> None:
    engine = PatchrookLevelsEngine(1, **family._asdict())
    for level in levels:
        reference = PatchrookLevelsReference(3, family=family, level=level)
        player = EnginePlayer(engine, 3, level=level)
        assert player.view() == reference.view()
        puzzle = engine.source.puzzles.puzzle(level)
        assert PARTS[puzzle["part"]] == part_of(reference.quilt)


def test_default_levels_are_those_of_the_reference() -> None:
    _agree_on_levels(range(12), Family())


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "family", [Family(), Family((2, 5), (0, 9), (3, 6)), Family((5, 5), (0, 1), (5, 6))]
)
def test_many_levels_are_those_of_the_reference(family: Family) -> None:
    _agree_on_levels(range(10**9, 10**9 + 300), family)


@pytest.mark.parametrize(
    ("template", "covers", "difficulty"),
    [
        (0, 16, 1.4),
        (1, 16, 4.1),
        (2, 16, 4.6),
        (3, 24, 7.2),
        (4, 16, 7.5),
        (5, 8, 10.9),
        (6, 14, 12.6),
    ],
)
def test_the_published_templates_have_known_difficulties(
    template: int, covers: int, difficulty: float
) -> None:
    board, shapes = int(quilts._USABLE[template, 0]), quilts._SHAPES[template]
    found, chance = count_covers(board, shapes, int(quilts._PATCH_COUNTS[template]))
    assert found == covers
    assert round(difficulty_of(chance), 1) == difficulty


def test_three_bars_on_three_rows_always_fit() -> None:
    """Beside a bar laid across or down, the other two fit in that direction and in no other."""
    board = bits_of((x, y) for x in range(3) for y in range(3))
    covers, chance = count_covers(board, np.array([1, 1, 1, 0, 0, 0], np.int8), 3)
    assert covers == 12  # two directions, three letters in any order
    assert 0 <= CERTAIN - chance < 100  # what integer division drops


def _compare_difficulties(levels: list[int], family: Family) -> float:
    """Return the largest relative error of the chance against brute force."""
    engine = PatchrookLevelsEngine(1, **family._asdict())
    worst = 0.0
    for level in levels:
        exact = chance_to_finish(level_quilt(level, family))
        puzzle = engine.source.puzzles.puzzle(level)
        worst = max(worst, abs(float(int(puzzle["chance"]) / CERTAIN / exact) - 1))
        engine.reset(np.array([0]), np.zeros(1, np.uint64), level=np.array([level]))
        assert len(all_covers(engine, 0)) == puzzle["covers"]
    return worst


def test_difficulty_is_that_of_brute_force() -> None:
    assert _compare_difficulties(list(range(25)), Family((3, 4), (0, 3), (3, 4))) < 1e-12


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_difficulty_is_that_of_brute_force_on_200_random_levels() -> None:
    rng = np.random.default_rng(5)
    levels = rng.integers(2**32, size=200).tolist()
    worst = _compare_difficulties(levels, Family())
    print(f"\nlargest relative error {worst:.1e}")
    assert worst < 1e-11


@pytest.mark.parametrize(
    ("width", "height", "patches", "count"),
    [(3, 3, 3, 10), (4, 4, 4, 1953), (5, 4, 5, 21_222), (5, 5, 5, 4006), (5, 5, 6, 355_300)],
)
def test_partitions_are_counted_exactly(width: int, height: int, patches: int, count: int) -> None:
    board = bits_of((x, y) for x in range(width) for y in range(height))
    assert count_partitions(partition_memo(), board, patches) == count


def _random_levels(count: int) -> list[int]:
    """Return levels as runs meet them: outputs of a stream, not consecutive numbers."""
    return draws_at(np.full(count, 7, np.uint64), np.arange(1, count + 1)).tolist()


def _shape_sets(side: int, patches: int, levels: list[int]) -> float:
    """Return the p-value of the sets of shapes that full squares of some levels are cut into."""
    family = Family((side, side), (0, 0), (patches, patches))
    square = frozenset((x, y) for x in range(side) for y in range(side))
    sets = [
        tuple(sorted(shape_and_orientation(one)[0] for one in parts))
        for parts in all_partitions(square, patches)
    ]
    assert len(sets) == {3: 10, 4: 1953}[side]
    engine = PatchrookLevelsEngine(1, **family._asdict())
    puzzles = (engine.source.puzzles.puzzle(level) for level in levels)
    seen = Counter(tuple(sorted(puzzle["shape"][:patches].tolist())) for puzzle in puzzles)
    assert set(seen) <= set(sets)
    expected = {one: len(levels) * count / len(sets) for one, count in Counter(sets).items()}
    often = [one for one in expected if expected[one] >= 5]
    rare = len(levels) - sum(seen[one] for one in often)
    rare_expected = len(levels) - sum(expected[one] for one in often)
    observed = [seen[one] for one in often] + [rare] * (rare_expected > 1e-6)
    wanted = [expected[one] for one in often] + [rare_expected] * (rare_expected > 1e-6)
    return float(chisquare(observed, wanted).pvalue)


def test_partitions_of_a_small_silhouette_are_drawn_uniformly() -> None:
    assert _shape_sets(3, 3, _random_levels(10_000)) > 1e-3


def test_partitions_of_a_larger_silhouette_are_drawn_uniformly() -> None:
    pvalue = _shape_sets(4, 4, _random_levels(20_000))
    print(f"\n4 x 4 into 4: p = {pvalue:.3f}")
    assert pvalue > 1e-3


def test_each_partition_has_a_number_of_its_own() -> None:
    square = frozenset((x, y) for x in range(4) for y in range(4))
    board, shapes = bits_of(square), np.zeros(6, np.int8)
    for number, parts in enumerate(all_partitions(square, 4)):
        find_partition(partition_memo(), board, 4, number, shapes)
        assert shapes[:4].tolist() == [shape_and_orientation(one)[0] for one in parts]


def _class_of(engine: PatchrookLevelsEngine, level: int) -> tuple[int, ...]:
    """Return what a puzzle is up to symmetry, found without the engine's hash."""
    puzzle = engine.source.puzzles.puzzle(level)
    word = int(puzzle["usable"])
    cells = [(at % 5, at // 5) for at in range(25) if word >> at & 1]
    views = []
    for _ in range(2):
        for _ in range(4):
            left, top = min(x for x, _ in cells), min(y for _, y in cells)
            views.append(sum(1 << (5 * (y - top) + x - left) for x, y in cells))
            cells = [(-y, x) for x, y in cells]
        cells = [(-x, y) for x, y in cells]
    return (min(views), *sorted(puzzle["shape"].tolist()))


def _parts(levels: range) -> dict[int, set[tuple[int, ...]]]:
    engine = PatchrookLevelsEngine(1)
    found: dict[int, set[tuple[int, ...]]] = {0: set(), 1: set()}
    for level in levels:
        part = int(engine.source.puzzles.puzzle(level)["part"])
        found[part].add(_class_of(engine, level))
    return found


def test_train_and_test_have_no_puzzle_in_common() -> None:
    found = _parts(range(3000))
    assert not found[0] & found[1]
    assert 0.15 < len(found[1]) / (len(found[0]) + len(found[1])) < 0.25


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_train_and_test_are_disjoint_on_100_000_levels() -> None:
    found = _parts(range(100_000))
    print(f"\ntrain {len(found[0]):,} puzzles, test {len(found[1]):,}")
    assert not found[0] & found[1]


def test_filters_let_only_wanted_levels_pass() -> None:
    engine = PatchrookLevelsEngine(40, difficulty=(5, 7), max_covers=4, split="test")
    engine.reset(np.arange(40), np.arange(40, dtype=np.uint64))
    assert ((engine.difficulties() >= 5) & (engine.difficulties() < 7)).all()
    for row in range(40):
        assert len(all_covers(engine, row)) <= 4
        puzzle = engine.source.puzzles.puzzle(int(engine.state["level"][row]))
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
    engine = _engine(1)
    before = engine.get_state(0)
    with pytest.raises(StateError, match=f'"{field}"'):
        engine.set_state(0, {**before, field: value})
    assert engine.get_state(0) == before


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
