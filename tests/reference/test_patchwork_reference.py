"""The Patchwork referee against the rule cases, the published facts and its own book-keeping."""

from __future__ import annotations

import copy
import random
import statistics
from typing import Any

import pytest

from tests.cases.patchwork import (
    CASES,
    NARROW_QUILT,
    SCHEDULE,
    SEED_WITH_DRAWS,
    CannotInject,
    Case,
    case_named,
    check_first_tray,
    place,
    run_case,
    top_rows,
)
from tests.reference.mulberry32 import Mulberry32
from tests.reference.patchwork import PatchworkReference, Position
from tests.reference.patchwork_quilt import NAMES, UNITS, weight

CASE_IDS = [case["id"] for case in CASES]


def start(*rows: str, tray: tuple[str | None, ...], **counters: int) -> PatchworkReference:
    """Start from the top rows of a quilt that is empty below them."""
    return PatchworkReference.from_position(Position(top_rows(*rows), tray, **counters))


def on_narrow_quilt(
    *tray: str | None, draws: tuple[str, ...] | None = None, seed: int = 0, revive: bool = False
) -> PatchworkReference:
    """Start on the narrow quilt."""
    position = Position(NARROW_QUILT, tray, seed=seed, revive=revive, draws=draws)
    return PatchworkReference.from_position(position)


def play_randomly(seed: int) -> PatchworkReference:
    """Play uniformly random legal actions to the end."""
    game = PatchworkReference(seed)
    chooser = random.Random(seed)
    while not game.ended:
        assert game.play(chooser.choice(game.legal_actions())) == "accepted"
    return game


@pytest.mark.parametrize("case", CASES, ids=CASE_IDS)
def test_the_referee_agrees_with_the_case(case: Case) -> None:
    run_case(case, PatchworkReference.from_position)


@pytest.mark.parametrize("case", [c for c in CASES if c.get("draws")], ids=lambda c: c["id"])
def test_a_player_without_injected_draws_replays_the_case_from_a_seed(case: Case) -> None:
    def seeded_only(position: Position) -> PatchworkReference:
        if position.draws is not None:
            raise CannotInject
        return PatchworkReference.from_position(position)

    if case["id"] in SEED_WITH_DRAWS:
        run_case(case, seeded_only)
        return
    with pytest.raises(CannotInject):
        run_case(case, seeded_only)


@pytest.mark.parametrize("case_id", SEED_WITH_DRAWS)
def test_the_seed_of_a_case_draws_what_the_case_injects(case_id: str) -> None:
    game = PatchworkReference(SEED_WITH_DRAWS[case_id])
    assert game.tray == case_named(case_id)["draws"]


def test_the_generator_gives_the_outputs_of_the_case_file() -> None:
    stream = Mulberry32(42)
    assert [stream.next_uint32() for _ in range(4)] == SCHEDULE["mulberry32_seed42_first4"]


@pytest.mark.parametrize("seed", [int(seed) for seed in SCHEDULE["first_trays"]])
def test_the_first_tray_follows_from_the_seed(seed: int) -> None:
    check_first_tray(seed, PatchworkReference.from_position)


def test_a_seed_counts_modulo_two_to_the_32() -> None:
    assert PatchworkReference(-1).view() == PatchworkReference(2**32 - 1).view()
    assert PatchworkReference(42 + 2**32).view() == PatchworkReference(42).view()


@pytest.mark.parametrize("seed", [True, 1.0, "1", None])
def test_a_seed_that_is_no_int_is_an_error(seed: object) -> None:
    with pytest.raises(TypeError, match="a seed is an int"):
        PatchworkReference(seed)  # type: ignore[arg-type]


def test_a_new_game_publishes_exactly_the_agreed_fields() -> None:
    view = PatchworkReference(42).view()
    legal_actions = view.pop("legalActions")
    assert view == {
        "quilt": ["........."] * 9,
        "tray": [
            {"shape": 14, "cells": [[0, 0], [0, 1], [1, 1], [2, 1]]},
            {"shape": 8, "cells": [[0, 1], [1, 0], [1, 1]]},
            {"shape": 24, "cells": [[0, 1], [0, 2], [1, 0], [1, 1]]},
        ],
        "streak": 0,
        "patchesSewn": 0,
        "score": 0,
        "reviveUsed": False,
        "phase": "playing",
        "turn": 0,
    }
    assert len(legal_actions) == 56 + 64 + 56
    assert legal_actions[0] == place(0, 0, 0)
    assert legal_actions[-1] == place(2, 7, 6)


def test_every_index_decodes_to_an_action_that_encodes_to_it() -> None:
    assert [PatchworkReference.encode(PatchworkReference.decode(i)) for i in range(245)] == list(
        range(245)
    )
    assert PatchworkReference.decode(0) == place(0, 0, 0)
    assert PatchworkReference.decode(81 + 9 + 2) == place(1, 1, 2)
    assert PatchworkReference.decode(242) == place(2, 8, 8)
    assert PatchworkReference.decode(243) == {"type": "revive"}
    assert PatchworkReference.decode(244) == {"type": "finish"}


@pytest.mark.parametrize("index", [-1, 245])
def test_an_index_outside_the_space_decodes_to_an_error(index: int) -> None:
    with pytest.raises(ValueError, match="no action has index"):
        PatchworkReference.decode(index)


@pytest.mark.parametrize("action", [place(3, 0, 0), place(0, -1, 0), {"type": "lift"}])
def test_an_action_outside_the_space_encodes_to_an_error(action: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="is no action"):
        PatchworkReference.encode(action)


@pytest.mark.parametrize(
    ("action", "refusal"),
    [
        (None, "not-an-object"),
        ([], "not-an-object"),
        (17, "not-an-object"),
        ("place", "not-an-object"),
        ({}, "unknown-type"),
        ({"slot": 0, "row": 0, "col": 0}, "unknown-type"),
        ({"type": "lift"}, "unknown-type"),
        ({"type": ["place"]}, "unknown-type"),
        ({"type": None, "slot": 0, "row": 0, "col": 0}, "unknown-type"),
        ({"type": "Place", "slot": 0, "row": 0, "col": 0}, "unknown-type"),
        ({"type": "revive"}, "unknown-type"),
        ({"type": "finish"}, "unknown-type"),
        ({"type": "place", "slot": 0, "row": 0}, "missing-field"),
        ({"type": "place", "slot": 0, "row": 0, "column": 0}, "missing-field"),
        ({"type": "place", "slot": 0, "row": 0, "col": 0, "rotation": 0}, "extra-field"),
        ({"type": "place", "slot": 0, "row": 0, "col": 0, 1: 0}, "extra-field"),
        ({"type": "place", "slot": "0", "row": 0, "col": 0, "rotation": 0}, "extra-field"),
        (place(True, 0, 0), "bad-value"),
        ({"type": "place", "slot": 0, "row": 0.0, "col": 0}, "bad-value"),
        ({"type": "place", "slot": 0, "row": 0, "col": "0"}, "bad-value"),
        ({"type": "place", "slot": 0, "row": 0, "col": None}, "bad-value"),
        ({"type": "place", "slot": 1, "row": 0, "col": [0]}, "bad-value"),
        (place(3, 0, 0), "bad-value"),
        (place(-1, 0, 0), "bad-value"),
        (place(0, -1, 0), "bad-value"),
        (place(0, 9, 0), "bad-value"),
        (place(1, 0, 10**30), "bad-value"),
        (place(1, 0, 0), "not-in-tray"),
        (place(1, 8, 8), "not-in-tray"),
        (place(0, 0, 7), "out-of-bounds"),
        (place(0, 4, 7), "out-of-bounds"),
        (place(2, 8, 0), "out-of-bounds"),
        (place(0, 4, 2), "overlap"),
    ],
)
def test_a_refusal_names_the_first_fault_and_changes_nothing(action: object, refusal: str) -> None:
    empty = "........."
    game = start(empty, empty, empty, empty, "....#..##", tray=("I3h", None, "I3v"))
    before, cursor = game.view(), game.stream.cursor
    assert game.play(action) == refusal
    assert game.view() == before
    assert game.stream.cursor == cursor


def test_after_the_end_a_well_formed_action_meets_run_ended_and_a_malformed_one_its_fault() -> None:
    game = on_narrow_quilt("B33", None, None)
    assert game.ended
    assert game.legal_actions() == []
    assert game.play(place(1, 0, 0)) == "run-ended"
    assert game.play({"type": "place"}) == "missing-field"
    assert game.play({"type": "revive"}) == "unknown-type"
    cells = [[row, col] for row in range(3) for col in range(3)]
    assert game.view()["tray"] == [{"shape": 36, "cells": cells}, None, None]


def test_the_anchor_square_of_a_patch_with_an_open_corner_may_be_filled() -> None:
    game = start("#", tray=("T2", None, None))
    assert place(0, 0, 0) in game.legal_actions()
    assert game.play(place(0, 0, 0)) == "accepted"
    assert game.quilt == {(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)}


def test_each_clearing_patch_in_a_row_earns_ten_more_for_every_unit() -> None:
    empty, gap = ".........", "########."
    game = start(gap, empty, gap, gap, empty, gap, gap, tray=("dot", "I2v", "I2v"))
    assert game.play(place(0, 0, 8)) == "accepted"
    assert (game.score, game.streak) == (1 + 20, 1)
    assert game.play(place(1, 2, 8)) == "accepted"
    assert (game.score, game.streak) == (21 + 2 + 80 + 10 * 1 * 2, 2)
    assert game.play(place(2, 5, 8)) == "accepted"
    assert (game.score, game.streak) == (123 + 2 + 80 + 10 * 2 * 2, 3)


def test_scores_pass_two_to_the_31() -> None:
    game = start(tray=("B33", "dot", None), score=2**31)
    assert game.play(place(0, 0, 0)) == "accepted"
    assert game.score == 2**31 + 29


def test_the_game_ends_in_the_middle_of_a_tray_when_no_patch_left_fits() -> None:
    game = on_narrow_quilt("I2h", "I2h", "B33")
    assert game.play(place(0, 4, 5)) == "accepted"
    assert game.ended
    assert (game.score, game.sewn, game.turn) == (2, 1, 1)
    assert game.tray == [None, "I2h", "B33"]


def test_the_twentieth_set_without_a_fit_is_kept_and_ends_the_game() -> None:
    draws = ("O",) * 57 + ("B33", "I2v", "O") + ("dot",) * 3
    game = on_narrow_quilt("I2h", None, None, draws=draws)
    assert game.play(place(0, 4, 5)) == "accepted"
    assert game.sets_drawn() == 20
    assert game.tray == ["B33", "I2v", "O"]
    assert game.ended


def test_the_twentieth_set_can_still_save_the_game() -> None:
    draws = ("O",) * 57 + ("B33", "I2v", "dot")
    game = on_narrow_quilt("I2h", None, None, draws=draws)
    assert game.play(place(0, 4, 5)) == "accepted"
    assert game.sets_drawn() == 20
    assert game.view()["phase"] == "playing"


def test_a_deal_takes_three_draws_a_set_by_the_weights_of_the_patches_sewn() -> None:
    game = start(tray=("dot", None, None), sewn=399, seed=9)
    stream = Mulberry32(9)
    assert game.play(place(0, 4, 4)) == "accepted"
    tray = []
    for _ in range(3):
        x = stream.below(9 * 8 + 19 * 4 + 9 * 5)
        tray.append([n for n in NAMES for _ in range(weight(n, 400))][x])
    assert game.tray == tray
    assert game.stream.cursor == stream.cursor


def stuck_game() -> PatchworkReference:
    """Return a game in which nothing fits and the revive is unused."""
    return on_narrow_quilt("I3v", None, "c3_nw", seed=5, revive=True)


def test_only_reviving_and_finishing_are_legal_when_stuck() -> None:
    game = stuck_game()
    view = game.view()
    assert (view["phase"], view["reviveUsed"], game.ended) == ("stuck", False, False)
    assert view["legalActions"] == [{"type": "revive"}, {"type": "finish"}]
    assert game.play(place(0, 0, 0)) == "wrong-phase"
    assert game.play(place(1, 8, 8)) == "wrong-phase"
    assert game.play({"type": "place"}) == "missing-field"
    assert game.play({"type": "revive", "slot": 0}) == "extra-field"
    assert game.view() == view


def test_reviving_and_finishing_are_refused_while_a_patch_fits() -> None:
    game = PatchworkReference(revive=True)
    assert game.play({"type": "revive"}) == "wrong-phase"
    assert game.play({"type": "finish"}) == "wrong-phase"


def test_finishing_ends_the_game_without_a_draw() -> None:
    game = stuck_game()
    cursor = game.stream.cursor
    assert game.play({"type": "finish"}) == "accepted"
    view = game.view()
    assert (view["phase"], view["reviveUsed"], view["turn"]) == ("ended", False, 1)
    assert view["legalActions"] == []
    assert game.stream.cursor == cursor
    assert game.play({"type": "revive"}) == "run-ended"


def test_a_game_stuck_again_after_its_revive_is_over() -> None:
    game = stuck_game()
    assert game.play({"type": "revive"}) == "accepted"
    assert game.tray == ["I3h", "I3h", "dot"]
    assert game.play(place(2, 4, 5)) == "accepted"
    view = game.view()
    assert (view["phase"], view["reviveUsed"], view["turn"]) == ("ended", True, 2)
    assert game.play({"type": "revive"}) == "run-ended"
    assert game.play({"type": "finish"}) == "run-ended"


def test_a_failed_deal_leaves_a_revivable_game_stuck() -> None:
    draws = ("O",) * 60 + ("dot",) * 3
    game = on_narrow_quilt("I2h", None, None, draws=draws, revive=True)
    assert game.play(place(0, 4, 5)) == "accepted"
    assert game.view()["phase"] == "stuck"
    assert game.play({"type": "revive"}) == "accepted"
    assert game.tray == ["dot"] * 3


@pytest.mark.parametrize("seed", range(20))
def test_the_books_balance_along_a_random_game(seed: int) -> None:
    game = PatchworkReference(seed, revive=True)
    chooser = random.Random(seed)
    while not game.ended:
        before, streak, filled = game.view(), game.streak, len(game.quilt)
        action = chooser.choice(before["legalActions"])
        assert game.play(action) == "accepted"
        after = game.view()
        assert after["turn"] == before["turn"] + 1
        assert not any(unit <= game.quilt for unit in UNITS.values())
        if action["type"] != "place":
            assert (after["score"], after["quilt"]) == (before["score"], before["quilt"])
            continue
        squares = len(before["tray"][action["slot"]]["cells"])
        k = len(game.units_cleared())
        removed = len(frozenset().union(*(UNITS[name] for name in game.units_cleared())))
        assert len(game.quilt) == filled + squares - removed
        assert game.streak == (streak + 1 if k else 0)
        assert after["score"] - before["score"] == squares + 20 * k * k + 10 * streak * k
        assert after["patchesSewn"] == before["patchesSewn"] + 1


@pytest.mark.parametrize("seed", range(3))
def test_the_legal_list_is_exactly_what_is_accepted_in_ascending_order(seed: int) -> None:
    game = PatchworkReference(seed)
    chooser = random.Random(seed)
    for _ in range(8):
        indices = [game.encode(action) for action in game.legal_actions()]
        answers = [copy.deepcopy(game).play(game.decode(i)) for i in range(243)]
        accepted = [i for i, answer in enumerate(answers) if answer == "accepted"]
        assert indices == accepted
        game.play(game.decode(chooser.choice(indices)))


def test_the_same_seed_and_actions_give_the_same_game() -> None:
    assert play_randomly(7).view() == play_randomly(7).view()


def test_random_play_fills_the_quilt_in_about_twenty_patches() -> None:
    patches = [play_randomly(seed).sewn for seed in range(200)]
    assert 18 < statistics.mean(patches) < 22
    assert 16 <= statistics.median(patches) <= 22
