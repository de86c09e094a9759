"""The referee of Tinrail against the cases, the bots' records, and the facts about the game."""

import copy
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from tests.cases.tinrail import (
    Case,
    CellPort,
    Strands,
    TinrailHooks,
    check_extra_keys,
    check_refusal_names,
    check_short_hands,
    load_bot_vectors,
    load_cases,
    missing_hooks,
    place,
    run_bot_vector,
    run_case,
)
from tests.reference.mulberry32 import Mulberry32
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
    match_score,
    neighbour,
    ordered,
    rotate,
    shuffled_deck,
    walk,
)
from tests.reference.tinrail_bots import (
    BOT_STREAM,
    EasyBot,
    WiseBot,
    action_count,
    exits,
    leave,
    room,
    wise_value,
)

U_TURNS, STRAIGHT = 0, 33  # ids of two tiles that look the same at every rotation
PILE_AT_START = 29

Player = Callable[[TinrailReference], int]


class RandomPlayer:
    """Play any legal action."""

    def __init__(self, seed: int) -> None:
        """Seed the player."""
        self._random = random.Random(seed)

    def choose(self, game: TinrailReference) -> int:
        """Return the flat index of some legal action."""
        return self._random.randrange(action_count(game))


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


def uint32s(seed: int, count: int) -> list[int]:
    """Return the first outputs of a stream."""
    stream = Mulberry32(seed)
    return [stream.next_uint32() for _ in range(count)]


def ride(table: Mapping[int, Strands], start: CellPort) -> Ride:
    """Walk from a notch written as a pair."""
    return walk({cell: ordered(strands) for cell, strands in table.items()}, Notch(*start))


REFERENCE = TinrailHooks(
    new_match=TinrailReference,
    tiles=lambda: TILES,
    rotate=lambda tile, rotation: rotate(TILES[tile], rotation),
    neighbour=neighbour,
    uint32s=uint32s,
    deck=shuffled_deck,
    ride=ride,
    position=TinrailReference.from_position,
    match_score=match_score,
    action_mask=action_mask,
    hidden=lambda game: {"hands": game.hands, "pile": game.pile},
    last_placement=last_placement,
    bot=lambda name, seed: players_of_kind(name, seed)[0],
)


def after_every_placement(
    game: TinrailReference, players: tuple[Player, Player]
) -> Iterator[TinrailReference]:
    """Play a match out and yield the game after every placement."""
    while not game.ended:
        assert game.play(game.decode(players[game.turn](game))) == "accepted"
        yield game


def players_of_kind(name: str, seed: int) -> tuple[Player, Player]:
    """Return one player of the kind, for both seats."""
    kinds: dict[str, Player] = {
        "random": RandomPlayer(seed).choose,
        "easy": EasyBot(seed).choose,
        "wise": WiseBot().choose,
    }
    return kinds[name], kinds[name]


def played_positions() -> list[TinrailReference]:
    """Return the games after every placement of random, Easy, Wise and hand-picked matches."""
    found = []
    for name, matches in {"random": 150, "easy": 25, "wise": 25}.items():
        for seed in range(matches):
            play = after_every_placement(TinrailReference(seed), players_of_kind(name, seed))
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


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: f"{case['id']}-{case['kind']}")
def test_the_referee_agrees_with_every_rule_case(case: Case) -> None:
    assert not missing_hooks(case, REFERENCE)
    run_case(case, REFERENCE)


@pytest.mark.parametrize(
    "vector", load_bot_vectors(), ids=lambda v: f"{'-'.join(v['players'])}-{v['seed']}"
)
def test_the_bots_repeat_every_recorded_decision(vector: Case) -> None:
    run_bot_vector(vector, REFERENCE)


def test_every_ill_shaped_action_is_refused_by_its_name_and_leaves_no_trace() -> None:
    check_refusal_names(REFERENCE)


def test_a_tile_beyond_a_short_hand_is_no_such_tile() -> None:
    check_short_hands(REFERENCE)


def test_extra_keys_are_ignored() -> None:
    check_extra_keys(REFERENCE)


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


def test_a_win_with_the_last_tile_reaches_the_ceiling() -> None:
    #  every laid tile is straight; cells 0 and 5 are free, both engines face cell 0
    table = {cell: TILES[STRAIGHT] for cell in range(CELLS) if cell not in (0, 5)}
    game = TinrailReference.from_position(table, (Notch(0, 7), Notch(0, 5)), [[STRAIGHT], []], 0)
    assert game.play(place(0, 0)) == "accepted"
    assert game.engines == (Notch(5, 7), None)
    assert (game.result, game.survived) == ("win0", [35, 34])
    assert (game.score, game.final_score(1), game.final_score(0, easy=True)) == (275, 68, 165)


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
    player, _ = players_of_kind(name, seed)
    while not game.ended:
        values = [wise_value(game, action) for action in range(action_count(game))]
        turned_values = [wise_value(turned, action ^ 2) for action in range(action_count(turned))]
        assert values == turned_values
        action = player(game)
        assert game.play(game.decode(action)) == "accepted"
        assert turned.play(turned.decode(action ^ 2)) == "accepted"
        assert_turned(game, turned)


def test_easy_keeps_to_the_actions_that_leave_it_on_the_table() -> None:
    game = TinrailReference.from_position({}, STARTS, [[U_TURNS, STRAIGHT], [1]], 0)
    draw = Mulberry32(7 ^ BOT_STREAM).below(ROTATIONS)
    assert EasyBot(7).choose(game) == ROTATIONS + draw


def test_easy_draws_once_from_all_its_actions_when_every_one_is_fatal() -> None:
    game = TinrailReference.from_position({}, STARTS, [[U_TURNS], [1]], 0)
    bot, stream = EasyBot(7), Mulberry32(7 ^ BOT_STREAM)
    assert bot.choose(game) == stream.below(ROTATIONS)
    assert bot.stream.cursor == stream.cursor


def wise_value_of_straight(engines: tuple[Notch, Notch], turn: int = 0) -> int:
    """Return the value of a straight tile on an otherwise empty table."""
    game = TinrailReference.from_position({}, engines, [[STRAIGHT], [STRAIGHT]], turn)
    return wise_value(game, 0)


def test_wise_values_the_four_ways_a_match_can_end_or_go_on() -> None:
    along_the_row, off_the_top = Notch(0, 7), Notch(0, 5)
    assert wise_value_of_straight((along_the_row, off_the_top)) == 1_000_000
    assert wise_value_of_straight((along_the_row, off_the_top), turn=1) == -1_000_000
    assert wise_value_of_straight((Notch(14, 5), Notch(14, 0))) == -500


def test_room_counts_the_ways_on_and_the_exits_beyond_them() -> None:
    table = {32: TILES[STRAIGHT]}
    #  from cell 26: six ways to free cells with seven exits each, and port 5 rides off below
    assert leave(table, 26, 5) is None
    assert leave(table, 26, 0) == Notch(20, 5)
    assert exits(table, Notch(20, 5)) == 7
    assert room(table, Notch(26, 4)) == 6 * (1 + 7)
    #  from cell 3: two ways each to cells 4 and 2 at the edge and to cell 9
    assert exits(table, Notch(4, 7)) == 5
    assert room(table, Notch(3, 0)) == 4 * (1 + 5) + 2 * (1 + 7)
    assert wise_value_of_straight(STARTS) == 48 - 40


def test_wise_pays_twenty_for_a_shared_cell() -> None:
    assert wise_value_of_straight((Notch(14, 5), Notch(14, 4))) == -20


def test_a_way_that_leads_back_to_the_same_cell_is_no_room() -> None:
    #  below cell 8 lies a tile that sends both of its upper ports back up
    table = {14: TILES[U_TURNS]}
    assert leave(table, 8, 4) == Notch(8, 5)
    assert exits(table, Notch(8, 0)) == 7
    assert room(table, Notch(8, 0)) == 1 * (1 + 5) + 4 * (1 + 7)


def test_wise_takes_the_first_of_equal_actions() -> None:
    game = TinrailReference.from_position({}, STARTS, [[STRAIGHT, STRAIGHT], [1]], 0)
    assert WiseBot().choose(game) == 0


def test_neither_bot_changes_the_game_it_looks_at() -> None:
    game = TinrailReference(7)
    before = game.view()
    EasyBot(7).choose(game)
    WiseBot().choose(game)
    assert game.view() == before


@pytest.mark.parametrize("wise_seat", [0, 1])
def test_wise_beats_random_play_nearly_always(wise_seat: int) -> None:
    matches, wins = 300, 0
    for seed in range(matches):
        game = TinrailReference(seed)
        opponent = RandomPlayer(seed).choose
        wise = WiseBot().choose
        players = (wise, opponent) if wise_seat == 0 else (opponent, wise)
        *_, final = after_every_placement(game, players)
        wins += final.result == f"win{wise_seat}"
    assert wins >= 0.98 * matches
