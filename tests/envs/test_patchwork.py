"""Patchwork's engine against the rules, the shared cases and the slow reference."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

from quiltrail.agents import RandomLegal
from quiltrail.agents.patchwork import PatchworkGreedy
from quiltrail.core.errors import OptionError, StateError
from quiltrail.core.mulberry32 import Mulberry32
from quiltrail.envs.patchwork import rules
from quiltrail.envs.patchwork.deal import big_weight, shape_at
from quiltrail.envs.patchwork.draw import UNITS, ansi, completed_units
from quiltrail.envs.patchwork.engine import PatchworkEngine
from quiltrail.envs.patchwork.observe import beads
from quiltrail.envs.patchwork.quilt import full_units, seams, single_holes
from quiltrail.envs.patchwork.tables import squares_as_words
from quiltrail.envs.rendering import rgb_array
from tests.agreement import AgreementMachine, Visits, compare_batch
from tests.cases.patchwork import (
    CASES,
    NARROW_QUILT,
    SCHEDULE,
    SEED_WITH_DRAWS,
    SHAPES,
    CannotInject,
    Case,
    check_first_tray,
    place,
    run_case,
)
from tests.envs.patchwork_player import PatchworkPlayer, started
from tests.reference import patchwork_greedy as by_hand
from tests.reference.patchwork import UNITS as REFERENCE_UNITS
from tests.reference.patchwork import PatchworkReference, Position

# The shared cases.


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_shared_cases_hold(case: Case) -> None:
    if case.get("draws") and case["id"] not in SEED_WITH_DRAWS:
        with pytest.raises(CannotInject):  # nine draws that no seed is known for
            run_case(case, PatchworkPlayer)
        return
    run_case(case, PatchworkPlayer)


@pytest.mark.parametrize("seed", [int(seed) for seed in SCHEDULE["first_trays"]])
def test_the_first_tray_follows_from_the_seed(seed: int) -> None:
    check_first_tray(seed, PatchworkPlayer)


def test_the_37_shapes_have_the_published_ids_names_and_cells() -> None:
    ours = {
        name: {"id": shape, "cells": [list(cell) for cell in rules.cells_of(shape)]}
        for shape, name in enumerate(rules.SHAPE_NAMES)
    }
    assert ours == SHAPES


@pytest.mark.parametrize("sewn", [int(sewn) for sewn in SCHEDULE["weights"]])
def test_every_draw_below_the_total_stands_for_a_shape_by_its_weight(sewn: int) -> None:
    big, total = int(big_weight(sewn)), SCHEDULE["totals"][str(sewn)]
    drawn = Counter(int(shape_at(x, big)) for x in range(total))
    small, medium, heavy = SCHEDULE["weights"][str(sewn)]
    sizes = [len(one["cells"]) for one in SHAPES.values()]
    weights = [small if n <= 3 else medium if n == 4 else heavy for n in sizes]
    assert [drawn[shape] for shape in range(37)] == weights
    assert [int(shape_at(x, big)) for x in range(total)] == sorted(drawn.elements())


# Agreement with the reference.


class CountingReference(PatchworkReference):
    """Counts the deals of all games and those that needed more than one set."""

    deals: ClassVar[Visits] = Counter()

    def _deal(self) -> None:
        super()._deal()
        self.deals["deals"] += 1
        self.deals["deals with retries"] += self.sets_drawn() > 1
        self.deals["sets retried"] += self.sets_drawn() - 1


def _describe(view: dict[str, Any], refusal: str) -> list[str]:
    if refusal != "accepted":
        return []
    names = [f"phase {view['phase']}", f"level {view['patchesSewn'] // 100:02}"]
    if view["streak"] > 0:
        names.append("stitches")
    if view["streak"] > 1:
        names.append("combos")
    return names


def _compare(steps: int, seed: int, *, revive: bool, num_games: int = 64) -> Visits:
    CountingReference.deals = Counter()
    visits = compare_batch(
        lambda count: PatchworkEngine(count, revive=revive),
        lambda one: CountingReference(one, revive=revive),
        steps=steps,
        num_games=num_games,
        guide=PatchworkGreedy().act,
        guided_share=1.0,
        describe=_describe,
        seed=seed,
    )
    visits += CountingReference.deals
    print(f"\nrevive={revive}: {dict(sorted(visits.items()))}")
    expected = {"stitches", "combos", "deals with retries", "games ended", "phase ended"}
    expected |= {"refusal out-of-bounds", "refusal overlap", "refusal not-in-tray"}
    expected |= {"refusal index-out-of-range"} | {f"level {level:02}" for level in range(5)}
    if revive:
        expected |= {"phase stuck", "refusal wrong-phase"}
    assert expected <= set(visits)
    return visits


@pytest.mark.parametrize(("steps", "revive"), [(70_000, False), (30_000, True)])
def test_a_hundred_thousand_steps_agree_with_the_reference(steps: int, revive: bool) -> None:
    assert _compare(steps, seed=1, revive=revive, num_games=32)["steps"] >= steps


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("steps", "revive"), [(750_000, False), (250_000, True)])
def test_a_million_steps_agree_with_the_reference(steps: int, revive: bool) -> None:
    assert _compare(steps, seed=2, revive=revive)["steps"] >= steps


class PatchworkMachine(AgreementMachine):
    revive = False

    def make_engine(self, num_games: int) -> PatchworkEngine:
        return PatchworkEngine(num_games, revive=self.revive)

    def make_reference(self, seed: int) -> PatchworkReference:
        return PatchworkReference(seed, revive=self.revive)


class RevivableMachine(PatchworkMachine):
    revive = True


TestPatchworkMachine = PatchworkMachine.TestCase
TestPatchworkMachine.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)
TestRevivableMachine = RevivableMachine.TestCase
TestRevivableMachine.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)


def test_deals_retry_as_the_reference_does_up_to_the_twentieth_set() -> None:
    tries: Visits = Counter()
    for seed in range(600):
        position = Position(NARROW_QUILT, (None, None, "I2h"), sewn=2, seed=seed)
        engine, reference = PatchworkPlayer(position), PatchworkReference.from_position(position)
        assert engine.play(place(2, 4, 5)) == reference.play(place(2, 4, 5)) == "accepted"
        assert engine.view() == reference.view()
        assert engine.sets_drawn() == reference.sets_drawn()
        tries[f"{engine.sets_drawn()} {engine.view()['phase']}"] += 1
    assert set(tries) == {f"{n} playing" for n in range(1, 21)} | {"20 ended"}


@pytest.mark.parametrize("sewn", [0, 250, 3000])
def test_a_revive_hands_out_what_the_reference_hands_out(sewn: int) -> None:
    for seed in range(100):
        position = Position(NARROW_QUILT, ("B33", None, "O"), sewn=sewn, seed=seed, revive=True)
        engine, reference = PatchworkPlayer(position), PatchworkReference.from_position(position)
        assert engine.view() == reference.view()
        assert engine.play({"type": "revive"}) == reference.play({"type": "revive"}) == "accepted"
        assert engine.view() == reference.view()


# Bit work.

quilts = st.frozensets(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=81)


@given(quilts)
def test_seams_and_single_holes_are_those_counted_square_by_square(quilt: frozenset) -> None:
    words = squares_as_words(sorted(quilt))
    assert seams(*words) == by_hand.seams(quilt)
    assert single_holes(*words) == by_hand.single_holes(quilt)


@given(quilts, st.sets(st.sampled_from(sorted(REFERENCE_UNITS))))
def test_full_units_are_those_found_one_by_one(quilt: frozenset, chosen: set[str]) -> None:
    quilt = quilt.union(*(REFERENCE_UNITS[name] for name in chosen))
    full = [unit for unit in REFERENCE_UNITS.values() if unit <= quilt]
    count, top, bottom = full_units(*squares_as_words(sorted(quilt)))
    assert count == len(full)
    expected = squares_as_words(sorted(frozenset().union(*full)))
    assert [int(top), int(bottom)] == expected.tolist()


# Refusals.


@pytest.mark.parametrize(
    ("action", "refusal", "particulars"),
    [
        (place(1, 0, 0), "not-in-tray", "slot 1"),
        (place(0, 0, 7), "out-of-bounds", "I3h at row 0, col 7"),
        (place(2, 7, 0), "out-of-bounds", "I3v at row 7, col 0"),
        (place(0, 4, 2), "overlap", "I3h at row 4, col 2"),
    ],
)
def test_a_refusal_teaches_and_changes_nothing(
    action: dict[str, Any], refusal: str, particulars: str
) -> None:
    empty = "." * 9
    player = started(empty, empty, empty, empty, "....#....", tray=("I3h", None, "I3v"))
    before = player.engine.get_state(1)
    verdict = player.engine.submit(1, action)
    assert verdict.name == refusal
    assert particulars in verdict.reason
    assert player.engine.get_state(1) == before


def test_only_revive_and_finish_are_legal_when_stuck_and_the_reason_says_so() -> None:
    player = PatchworkPlayer(Position(NARROW_QUILT, ("B33", None, "O"), revive=True))
    assert player.engine.legal_indices(1) == [243, 244]
    verdict = player.engine.submit(1, place(0, 0, 0))
    assert verdict.name == "wrong-phase"
    assert "phase stuck" in verdict.reason
    assert "legal now: revive, finish" in verdict.reason


@pytest.mark.parametrize("action", [place(0, 0, 0), {"type": "revive"}, {"type": "finish"}])
def test_after_the_end_every_action_meets_run_ended(action: dict[str, Any]) -> None:
    player = PatchworkPlayer(Position(NARROW_QUILT, ("B33", None, "O"), revive=True))
    assert player.play({"type": "finish"}) == "accepted"
    verdict = player.engine.submit(1, action)
    assert verdict.name == "run-ended"
    assert "no action is legal now" in verdict.reason


def test_the_anchor_square_of_a_patch_with_an_open_corner_may_be_filled() -> None:
    player = started("#", tray=("T2", None, None))
    assert player.play(place(0, 0, 0)) == "accepted"
    assert player.view()["quilt"][:2] == ["##.......", "###......"]


def test_scores_pass_two_to_the_31() -> None:
    player = started(tray=("B33", "dot", None), score=2**31)
    player.play(place(0, 0, 0))
    assert player.score == 2**31 + 29


# Observation.


def _abacus(count: int, digits: int) -> list[list[int]]:
    text = f"{min(count, 10**digits - 1):0{digits}}"[::-1]
    return [[int(bead < int(digit)) for bead in range(9)] for digit in text]


@given(st.integers(0, 200_000), st.sampled_from([2, 5]))
def test_an_abacus_shows_the_decimal_digits(count: int, digits: int) -> None:
    bits = int(beads(count, digits))
    shown = [[bits >> (9 * row + bead) & 1 for bead in range(9)] for row in range(digits)]
    assert shown == _abacus(count, digits)


@pytest.mark.parametrize("revive", [False, True])
def test_the_observation_shows_quilt_tray_counters_and_phase(revive: bool) -> None:
    engine, agent = PatchworkEngine(32, revive=revive), RandomLegal(1)
    engine.reset(np.arange(32), np.arange(32, dtype=np.uint64), sewn=np.arange(32) * 371)
    seen: set[str] = set()
    for _ in range(60):
        engine.step(agent.act(engine))
        for row in range(32):
            view, observation = engine.view(row), engine.observation_of(row)
            quilt = [[int(mark == "#") for mark in line] for line in view["quilt"]]
            assert observation["quilt"].tolist() == quilt
            windows = observation["tray"].reshape(3, 5, 5)
            cells = [[] if patch is None else patch["cells"] for patch in view["tray"]]
            assert [np.argwhere(window).tolist() for window in windows] == cells
            assert observation["streak"].tolist() == _abacus(view["streak"], 2)
            assert observation["sewn"].tolist() == _abacus(view["patchesSewn"], 5)
            phases = ["playing", "stuck", "ended"]
            assert observation["phase"].tolist() == [int(view["phase"] == one) for one in phases]
            can_revive = revive and engine.state["revive"][row] == 0 and not engine.terminated[row]
            assert observation["revive"].tolist() == [int(can_revive)]
            seen.add(view["phase"])
    assert seen == {"playing", "ended"} | ({"stuck"} if revive else set())


def test_the_weight_of_big_shapes_is_linear_in_the_abacus() -> None:
    for sewn in (0, 99, 100, 842, 1_000, 15_400, 99_999):
        rows = np.array(_abacus(sewn, 5)).sum(axis=1)
        assert big_weight(sewn) == 1 + rows[2] + 10 * rows[3] + 100 * rows[4]


# Options and states.


@pytest.mark.parametrize("revive", [1, None, "yes", 0.0])
def test_revive_is_a_bool(revive: Any) -> None:
    with pytest.raises(OptionError, match="revive"):
        PatchworkEngine(1, revive=revive)


def test_with_the_revive_there_are_245_actions_and_row_i_equals_a_single_environment() -> None:
    vector = gym.make_vec("quiltrail/Patchwork-v0", num_envs=6, revive=True)
    singles = [gym.make("quiltrail/Patchwork-v0", revive=True) for _ in range(6)]
    check_env(singles[0].unwrapped)
    assert vector.single_action_space.n == singles[0].action_space.n == 245
    seen, infos = vector.reset(seed=8)
    told = [env.reset(seed=8 + row) for row, env in enumerate(singles)]
    ended, stuck = np.zeros(6, bool), 0
    rng = np.random.default_rng(0)
    for _ in range(120):
        for row, (observation, info) in enumerate(told):
            np.testing.assert_array_equal(infos["action_mask"][row], info["action_mask"])
            for name, value in observation.items():
                np.testing.assert_array_equal(seen[name][row], value)
        stuck += int(seen["phase"][:, 1].sum())
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in infos["action_mask"]])
        seen, _, terminated, _, infos = vector.step(actions)
        told = [
            env.reset() if ended[row] else env.step(actions[row])[::4]  # observation, info
            for row, env in enumerate(singles)
        ]
        ended = terminated
    assert stuck > 3


@pytest.mark.parametrize("sewn", [-1, 1_000_000, True, 1.0, "1", None])
def test_an_impossible_start_is_refused(sewn: object) -> None:
    with pytest.raises(OptionError, match="sewn"):
        PatchworkEngine(1).check_start("sewn", sewn)


def test_a_late_start_deals_by_the_late_schedule() -> None:
    engine = PatchworkEngine(2000)
    rows = np.arange(2000)
    engine.reset(rows, rows.astype(np.uint64), sewn=np.full(2000, 5000))
    share = (engine.state["tray"] >= 28).mean()
    assert abs(share - 9 * 51 / (148 + 9 * 51)) < 0.02
    state = engine.get_state(7)
    assert (state["sewn"], state["start"], state["turn"]) == (5000, 5000, 0)
    engine.set_state(8, state)
    assert engine.view(8) == engine.view(7)


def _states_along_play(revive: bool) -> Iterator[tuple[PatchworkEngine, int]]:
    engine, agent = PatchworkEngine(24, revive=revive), RandomLegal(5)
    engine.reset(np.arange(24), np.arange(24, dtype=np.uint64), sewn=np.arange(24) * 100)
    for _ in range(70):
        for row in range(24):
            yield engine, row
        engine.step(agent.act(engine))


@pytest.mark.parametrize("revive", [False, True])
def test_every_state_of_play_is_taken_back(revive: bool) -> None:
    other = PatchworkEngine(1, revive=revive)
    for engine, row in _states_along_play(revive):
        state = engine.get_state(row)
        other.set_state(0, state)
        assert other.get_state(0) == state
        assert other.view(0) == engine.view(row)


def _after(count: int, seed: int = 3, *, revive: bool = False) -> PatchworkEngine:
    engine, agent = PatchworkEngine(1, revive=revive), RandomLegal(seed)
    engine.reset(np.array([0]), np.array([seed], np.uint64))
    for _ in range(count):
        engine.step(agent.act(engine))
    return engine


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("quilt", [511, 0]),  # row 0 is full
        ("quilt", [1 << 45, 0]),
        ("quilt", [0, 1 << 36]),
        ("quilt", [2**45 - 2, 2**36 - 2]),  # more squares than seven patches have
        ("fabric", [[2**45 - 1, 0], [0, 0], [0, 0]]),
        ("tray", [-1, -1, -1]),
        ("tray", [0, 1, 37]),
        ("tray", [0, 1, -2]),
        ("tray", [0, 0, 0]),
        ("revive", 1),
        ("revive", 3),
        ("turn", 6),
        ("turn", -1),
        ("sewn", 6),
        ("sewn", -1),
        ("start", -1),
        ("streak", -1),
        ("streak", 8),
        ("score", 6),
        ("score", 10**6),
        ("cursor", 12345),
        ("seed", 4),
        ("seed", 2**32),
        ("seed", None),
        ("turn", True),
        ("game", "sunpleat"),
        ("settings", {"revive": True}),
    ],
)
def test_an_impossible_state_is_refused_by_field(field: str, value: object) -> None:
    engine = _after(7)
    before = engine.get_state(0)
    named = {"sewn": "sewn|turn", "seed": "seed|cursor"}.get(field, field)
    with pytest.raises(StateError, match=f'"({named})"'):
        engine.set_state(0, {**before, field: value})
    assert engine.get_state(0) == before


def test_a_fabric_number_beyond_the_six_is_impossible() -> None:
    engine = _after(7)
    state = engine.get_state(0)
    state["fabric"] = [state["quilt"]] * 3
    with pytest.raises(StateError, match="fabric"):
        engine.set_state(0, state)


def test_a_revive_is_declined_only_when_no_patch_fits() -> None:
    engine = _after(7, revive=True)
    state = {**engine.get_state(0), "revive": 2, "turn": 8}
    with pytest.raises(StateError, match="revive"):
        engine.set_state(0, state)


# Drawing.


def test_the_units_that_a_placement_completes_are_those_it_stitches_away() -> None:
    engine, agent = PatchworkEngine(16), PatchworkGreedy()
    engine.reset(np.arange(16), np.arange(16, dtype=np.uint64))
    for _ in range(60):
        actions = agent.act(engine)
        completed = [completed_units(engine, row, int(actions[row])) for row in range(16)]
        any_placement = [completed_units(engine, row) for row in range(16)]
        assert all(
            set(one) <= set(more) for one, more in zip(completed, any_placement, strict=True)
        )
        before = engine.state["streak"].copy()
        engine.step(actions)
        k = np.array([len(one) for one in completed])
        assert (engine.state["streak"] == np.where(k > 0, before + 1, 0)).all()


def test_text_marks_the_rows_columns_and_blocks_that_one_patch_would_complete() -> None:
    player = started("########.", "##.......", "##.......", tray=("dot", "I2v", None))
    text = ansi(player.engine, 1)
    assert [line.endswith("<") for line in text.splitlines()[2:5]] == [True, False, False]
    assert "^" not in text
    assert "blocks to complete: (0, 0)\n" in text


def test_each_patch_has_the_fabric_of_its_shape_wherever_it_is_drawn() -> None:
    player = started(tray=("dot", "I2h", "I5v"))
    for slot, col in enumerate((0, 2, 5)):
        player.play(place(slot, 3, col))
    text = ansi(player.engine, 1).splitlines()
    assert text[6].startswith("|R.T|T.P|")  # red gingham 0, teal polka dot 1, plum diamond 29
    assert text[7].startswith("|...|..P|")


@pytest.mark.parametrize("size", [64, 128])
def test_a_picture_shows_a_preview_and_what_it_completes(size: int) -> None:
    from quiltrail.envs.patchwork.draw import paint
    from quiltrail.render import raster

    player = started("########.", tray=("dot", "B33", None))
    plain = rgb_array(player.engine, 1)
    assert plain.shape == (512, 512, 3)
    idle, filling = (raster(paint, player.engine, 1, action, size=size) for action in (8 * 9, 8))
    assert (idle != filling).any()


def test_the_units_are_nine_rows_nine_columns_and_nine_blocks() -> None:
    assert len(set(UNITS)) == 27
    squares = Counter(
        (r, c)
        for row, col, rows, cols in UNITS
        for r, c in itertools.product(range(row, row + rows), range(col, col + cols))
    )
    assert set(squares.values()) == {3}
    assert len(squares) == 81


def test_one_stream_deals_the_whole_game() -> None:
    engine, agent = PatchworkEngine(1), RandomLegal(9)
    engine.reset(np.array([0]), np.array([9], np.uint64))
    stream = Mulberry32(9)
    for _ in range(4):
        drawn = [int(shape_at(stream.below(157), 1)) for _ in range(3)]
        assert engine.state["tray"][0].tolist() == drawn
        for _ in range(3):
            engine.step(agent.act(engine))
