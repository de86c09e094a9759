"""Patchwork's engine against the rules, the shared cases and the slow reference."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from quiltrail.agents import RandomLegal
from quiltrail.agents.patchwork import PatchworkGreedy
from quiltrail.core.errors import OptionError
from quiltrail.core.mulberry32 import Mulberry32
from quiltrail.envs.patchwork import rules
from quiltrail.envs.patchwork.deal import big_weight, shape_at
from quiltrail.envs.patchwork.engine import PatchworkEngine
from tests.agreement import Visits, assert_visited, compare_batch, find_disagreement
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
from tests.reference.patchwork import PatchworkReference, Position


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


class CountingReference(PatchworkReference):
    """Counts the deals of all games that needed more than one set."""

    deals: ClassVar[Visits] = Counter()

    def _deal(self) -> None:
        super()._deal()
        self.deals["deals with retries"] += self.sets_drawn() > 1


def _describe(view: dict[str, Any], refusal: str) -> list[str]:
    if refusal != "accepted":
        return []
    names = [f"phase {view['phase']}", f"level {view['patchesSewn'] // 100:02}"]
    if view["streak"] > 0:
        names.append("stitches")
    if view["streak"] > 1:
        names.append("combos")
    return names


def _compare(steps: int, seed: int, *, revive: bool, num_games: int = 64) -> None:
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
    expected = {"stitches", "combos", "deals with retries", "games ended", "phase ended"}
    expected |= {"refusal out-of-bounds", "refusal overlap", "refusal not-in-tray"}
    expected |= {"refusal index-out-of-range"} | {f"level {level:02}" for level in range(5)}
    if revive:
        expected |= {"phase stuck", "refusal wrong-phase"}
    assert_visited(visits, expected)


@pytest.mark.parametrize(("steps", "revive"), [(70_000, False), (30_000, True)])
def test_a_hundred_thousand_steps_agree_with_the_reference(steps: int, revive: bool) -> None:
    _compare(steps, seed=1, revive=revive, num_games=32)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("steps", "revive"), [(750_000, False), (250_000, True)])
def test_a_million_steps_agree_with_the_reference(steps: int, revive: bool) -> None:
    _compare(steps, seed=2, revive=revive)


@pytest.mark.parametrize("revive", [False, True])
def test_no_line_of_play_is_found_that_the_reference_plays_otherwise(revive: bool) -> None:
    find_disagreement(
        lambda count: PatchworkEngine(count, revive=revive),
        lambda seed: PatchworkReference(seed, revive=revive),
        examples=25,
    )


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


@pytest.mark.parametrize("sewn", [-1, 1_000_000, True, 1.0, "1", None])
def test_an_impossible_start_is_refused(sewn: object) -> None:
    with pytest.raises(OptionError, match="sewn"):
        PatchworkEngine(1).check_start("sewn", sewn)


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


def test_one_stream_deals_the_whole_game() -> None:
    engine, agent = PatchworkEngine(1), RandomLegal(9)
    engine.reset(np.array([0]), np.array([9], np.uint64))
    stream = Mulberry32(9)
    for _ in range(4):
        drawn = [int(shape_at(stream.below(157), 1)) for _ in range(3)]
        assert engine.state["tray"][0].tolist() == drawn
        for _ in range(3):
            engine.step(agent.act(engine))
