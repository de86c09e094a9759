"""The Tinrail referee against the shared cases, the bots' records and the published numbers."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.cases.tinrail import (
    CHECKS,
    STRAIGHT,
    U_TURNS,
    Case,
    Check,
    load_bot_vectors,
    load_cases,
    missing_hooks,
    place,
    run_bot_vector,
    run_case,
)
from tests.cases.tinrail_hooks import CellPort, Strands, TinrailHooks
from tests.reference.mulberry32 import first_draws
from tests.reference.tinrail import (
    CELLS,
    ROTATIONS,
    TILE_COUNT,
    TILES,
    Notch,
    Ride,
    TinrailReference,
    match_score,
    neighbour,
    ordered,
    rotate,
    shuffled_deck,
    walk,
)
from tests.reference.tinrail_bots import bot_named


def last_placement(game: TinrailReference) -> Mapping[str, Any]:
    """Return the last placement in the words of the cases."""
    assert game.last is not None
    resolution = game.last.resolution
    return {
        "player": game.last.seat,
        "tile": game.last.tile,
        "rotation": game.last.rotation,
        "cell": game.last.cell,
        "head_on": resolution.head_on,
        "rides": {seat: ride._asdict() for seat, ride in resolution.rides.items()},
    }


def action_mask(game: TinrailReference) -> list[int]:
    """Return 1 for each flat index on the legal list."""
    legal = {game.encode(action) for action in game.legal_actions()}
    return [int(index in legal) for index in range(12)]


def ride(table: Mapping[int, Strands], start: CellPort) -> Ride:
    """Walk from a notch written as a pair."""
    return walk({cell: ordered(strands) for cell, strands in table.items()}, Notch(*start))


REFERENCE = TinrailHooks(
    new_match=TinrailReference,
    tiles=lambda: TILES,
    rotate=lambda tile, rotation: rotate(TILES[tile], rotation),
    neighbour=neighbour,
    uint32s=first_draws,
    deck=shuffled_deck,
    ride=ride,
    position=TinrailReference.from_position,
    match_score=match_score,
    action_mask=action_mask,
    hidden=lambda game: {"hands": game.hands, "pile": game.pile},
    last_placement=last_placement,
    bot=lambda name, seed: bot_named(name, seed).choose,
)


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: f"{case['id']}-{case['kind']}")
def test_the_referee_agrees_with_every_rule_case(case: Case) -> None:
    assert not missing_hooks(case, REFERENCE)
    run_case(case, REFERENCE)


@pytest.mark.parametrize(
    "vector", load_bot_vectors(), ids=lambda v: f"{'-'.join(v['players'])}-{v['seed']}"
)
def test_the_bots_repeat_every_recorded_decision(vector: Case) -> None:
    run_bot_vector(vector, REFERENCE)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_checks_of_whole_matches_hold(check: Check) -> None:
    check(REFERENCE)


def test_a_case_whose_hook_is_missing_is_named_and_cannot_pass_unseen() -> None:
    bare = TinrailHooks(new_match=TinrailReference)
    tiles = next(case for case in load_cases() if case["kind"] == "tiles")
    assert missing_hooks(tiles, bare) == ["tiles"]
    with pytest.raises(ValueError, match="missing_hooks"):
        run_case(tiles, bare)


def test_a_wrong_answer_fails_its_case() -> None:
    wrong = TinrailHooks(new_match=TinrailReference, neighbour=lambda cell, port: (cell, port))
    case = next(case for case in load_cases() if case["kind"] == "neighbour")
    with pytest.raises(AssertionError, match="right is None"):
        run_case(case, wrong)


@pytest.mark.parametrize(("seed", "same_as"), [(2**32 + 7, 7), (-1, 2**32 - 1)])
def test_a_seed_counts_modulo_two_to_the_32(seed: int, same_as: int) -> None:
    assert TinrailReference(seed).hands == TinrailReference(same_as).hands
    assert TinrailReference(seed).pile == TinrailReference(same_as).pile


@pytest.mark.parametrize("seed", [None, 1.0, "7", True])
def test_a_seed_that_is_no_int_is_an_error(seed: object) -> None:
    with pytest.raises(TypeError, match="seed"):
        TinrailReference(seed)  # type: ignore[arg-type]


def test_an_explicit_deck_is_dealt_from_the_top() -> None:
    game = TinrailReference(deck=list(range(TILE_COUNT)))
    assert game.hands == [[0, 1, 2], [3, 4, 5]]
    assert game.play(place(1, 0)) == "accepted"
    assert game.hands[0] == [0, 2, 6]
    with pytest.raises(ValueError, match="once"):
        TinrailReference(deck=[0] * TILE_COUNT)


def test_flat_indices_and_actions_are_each_others_inverse() -> None:
    game = TinrailReference(7)
    assert [game.encode(game.decode(index)) for index in range(12)] == list(range(12))
    assert [game.encode(action) for action in game.legal_actions()] == list(range(12))
    assert game.decode(6) == {"type": "place", "tileIndex": 1, "rotation": 2}
    with pytest.raises(ValueError, match="12"):
        game.decode(12)


def test_the_first_view_shows_the_whole_opening() -> None:
    others = [tile for tile in range(TILE_COUNT) if tile != STRAIGHT]
    view = TinrailReference(deck=[STRAIGHT, *others]).view()
    assert view["hand"][0] == [[[0, 5], [1, 4], [2, 7], [3, 6]]] * ROTATIONS
    assert len(view.pop("hand")) == 3
    assert len(view.pop("legalActions")) == 12
    assert view == {
        "table": {},
        "engines": [{"cell": 32, "port": 4}, {"cell": 3, "port": 0}],
        "pileLength": 29,
        "tilesPlaced": 0,
        "tilesSurvived": [0, 0],
        "toMove": 0,
        "phase": "playing",
        "result": None,
    }


def test_a_finished_match_shows_nobody_to_move_and_no_hand() -> None:
    game = TinrailReference(deck=list(range(TILE_COUNT)))
    assert game.play(place(U_TURNS, 0)) == "accepted"
    view = game.view()
    assert (view["phase"], view["result"], view["toMove"]) == ("ended", "win1", None)
    assert view["engines"] == [None, {"cell": 3, "port": 0}]
    assert (view["hand"], view["legalActions"], view["pileLength"]) == ([], [], 29)
    assert (game.score, game.final_score(1), game.final_score(1, easy=True)) == (0, 105, 63)


def test_a_match_in_progress_scores_nothing_yet() -> None:
    game = TinrailReference(7)
    assert [game.final_score(seat) for seat in (0, 1)] == [0, 0]


def test_rails_in_a_circle_are_an_error_and_not_an_endless_ride() -> None:
    corner = ordered([[1, 2], [0, 3], [4, 5], [6, 7]])
    table = {cell: rotate(corner, turns) for cell, turns in {6: 0, 7: 3, 1: 2, 0: 1}.items()}
    with pytest.raises(ValueError, match="circle"):
        walk(table, Notch(6, 1))


def test_a_win_with_the_last_tile_reaches_the_ceiling() -> None:
    #  every laid tile is straight; cells 0 and 5 are free, both engines face cell 0
    table = {cell: TILES[STRAIGHT] for cell in range(CELLS) if cell not in (0, 5)}
    game = TinrailReference.from_position(table, (Notch(0, 7), Notch(0, 5)), [[STRAIGHT], []], 0)
    assert game.play(place(0, 0)) == "accepted"
    assert game.engines == (Notch(5, 7), None)
    assert (game.result, game.survived) == ("win0", [35, 34])
    assert (game.score, game.final_score(1), game.final_score(0, easy=True)) == (275, 68, 165)
