"""Facts about Tinrail that hold on every position which play of the referee can reach."""

import copy
from collections import Counter
from collections.abc import Mapping

import pytest

from tests.cases.tinrail import (
    Case,
    load_cases,
    place,
)
from tests.reference.tinrail import (
    CELLS,
    PORTS,
    ROTATIONS,
    STARTS,
    TILE_COUNT,
    TILES,
    Notch,
    Ride,
    Table,
    TinrailReference,
    rotate,
    walk,
)
from tests.reference.tinrail_bots import action_count, bot_named, play_out, wise_value

PILE_AT_START = 29


def played_positions() -> list[TinrailReference]:
    """Return the games after every placement of random, Easy, Wise and hand-picked matches."""
    found = []
    for name, matches in {"random": 150, "easy": 25, "wise": 25}.items():
        for seed in range(matches):
            bot = bot_named(name, seed)
            play = play_out(TinrailReference(seed), (bot, bot))
            found += [copy.deepcopy(game) for game in play]
    for case in load_cases():
        if case["kind"] == "match":
            found += recorded_positions(case)
    return found


def recorded_positions(case: Case) -> list[TinrailReference]:
    """Return the games after every placement of a recorded match."""
    game, found = TinrailReference(case["seed"]), []
    for tile_index, rotation in case["actions"]:
        assert game.play(place(tile_index, rotation)) == "accepted"
        found.append(copy.deepcopy(game))
    return found


@pytest.fixture(scope="module")
def positions() -> list[TinrailReference]:
    """Share one set of played positions among the tests of facts."""
    return played_positions()


def rides_of(game: TinrailReference) -> Mapping[int, Ride]:
    """Return the rides of the last placement."""
    assert game.last is not None
    return game.last.resolution.rides


def rides_meet(game: TinrailReference) -> bool:
    """Tell whether the last placement brought the engines together head on."""
    assert game.last is not None
    return game.last.resolution.head_on


def test_the_notch_of_an_engine_is_the_end_of_the_track_from_its_start(
    positions: list[TinrailReference],
) -> None:
    for game in positions:
        for seat, start in enumerate(STARTS):
            assert game.engines[seat] == walk(game.table, start).end


def test_two_engines_never_share_a_notch(positions: list[TinrailReference]) -> None:
    shared_cells = 0
    for game in positions:
        notches = [engine for engine in game.engines if engine is not None]
        assert len(set(notches)) == len(notches)
        shared_cells += len({notch.cell for notch in notches}) < len(notches)
    assert shared_cells > 0


def test_a_head_on_that_play_can_reach_eliminates_engines_that_were_lost_anyway(
    positions: list[TinrailReference],
) -> None:
    head_on = [game for game in positions if rides_meet(game)]
    assert len(head_on) >= 3
    for game in head_on:
        assert [ride.end for ride in rides_of(game).values()] == [None, None]


def test_riders_never_share_a_strand_in_one_direction_nor_ride_one_twice(
    positions: list[TinrailReference],
) -> None:
    for game in positions:
        travelled = Counter(step for ride in rides_of(game).values() for step in ride.itinerary)
        assert max(travelled.values()) == 1


def test_a_ride_crosses_one_tile_at_most_four_times_and_sometimes_does(
    positions: list[TinrailReference],
) -> None:
    most = 0
    for game in positions:
        for ride in rides_of(game).values():
            visits = Counter(passage.cell for passage in ride.itinerary)
            most = max(most, *visits.values())
    assert most == 4


def test_the_pile_runs_out_with_placement_29(positions: list[TinrailReference]) -> None:
    lengths = {len(game.table): len(game.pile) for game in positions if not game.ended}
    assert lengths == {n: max(0, PILE_AT_START - n) for n in range(1, TILE_COUNT)}
    for game in positions:
        if not game.ended:
            assert len(game.pile) == lengths[len(game.table)]


def test_a_match_that_ends_before_the_pile_does_draws_no_tile_for_the_last_placement(
    positions: list[TinrailReference],
) -> None:
    for game in positions:
        if game.ended and len(game.table) <= PILE_AT_START:
            assert len(game.pile) == PILE_AT_START - len(game.table) + 1
            assert len(game.hands[game.turn]) == 2


def test_the_35_tiles_are_always_all_there(positions: list[TinrailReference]) -> None:
    for game in positions:
        held = [*game.hands[0], *game.hands[1], *game.pile]
        laid = [
            min(rotate(strands, rotation) for rotation in range(ROTATIONS))
            for strands in game.table.values()
        ]
        assert sorted([TILES[tile] for tile in held] + laid) == TILES


def test_survivors_count_every_placement_and_the_eliminated_all_but_the_last(
    positions: list[TinrailReference],
) -> None:
    for game in positions:
        right = [len(game.table) - (engine is None) for engine in game.engines]
        assert game.survived == right


def test_every_finished_match_scores_within_the_published_range(
    positions: list[TinrailReference],
) -> None:
    finished = [game for game in positions if game.ended]
    assert {game.result for game in finished} == {"win0", "win1", "draw"}
    for game in finished:
        for seat in (0, 1):
            assert 0 <= game.final_score(seat) <= 275
            assert 0 <= game.final_score(seat, easy=True) <= 165


def turned_notch(notch: Notch | None) -> Notch | None:
    """Return the notch on the table turned by 180 degrees."""
    return notch and Notch(CELLS - 1 - notch.cell, (notch.port + 4) % PORTS)


def turned_table(table: Table) -> Table:
    """Return the table turned by 180 degrees."""
    return {CELLS - 1 - cell: rotate(strands, 2) for cell, strands in table.items()}


def assert_turned(game: TinrailReference, turned: TinrailReference) -> None:
    """Hold `turned` to be `game` turned by 180 degrees with the seats exchanged."""
    turned_result = {"win0": "win1", "win1": "win0"}.get(game.result or "", game.result)
    assert turned.table == turned_table(game.table)
    assert turned.engines == tuple(turned_notch(engine) for engine in reversed(game.engines))
    assert turned.hands == game.hands[::-1]
    assert turned.pile == game.pile
    assert turned.survived == game.survived[::-1]
    assert turned.result == turned_result


@pytest.mark.parametrize("name", ["random", "easy", "wise"])
@pytest.mark.parametrize("seed", range(5))
def test_the_table_turned_by_180_degrees_exchanges_the_seats(name: str, seed: int) -> None:
    game = TinrailReference(seed)
    turned = TinrailReference.from_position({}, STARTS, game.hands[::-1], 1, game.pile)
    assert_turned(game, turned)
    bot = bot_named(name, seed)
    while not game.ended:
        values = [wise_value(game, action) for action in range(action_count(game))]
        turned_values = [wise_value(turned, action ^ 2) for action in range(action_count(turned))]
        assert values == turned_values
        action = bot.choose(game)
        assert game.play(game.decode(action)) == "accepted"
        assert turned.play(turned.decode(action ^ 2)) == "accepted"
        assert_turned(game, turned)
