"""The slow bots of Tinrail: what they value, draw and choose."""

import pytest

from tests.cases.tinrail import STRAIGHT, U_TURNS
from tests.reference.mulberry32 import Mulberry32
from tests.reference.tinrail import (
    ROTATIONS,
    STARTS,
    TILES,
    Notch,
    TinrailReference,
)
from tests.reference.tinrail_bots import (
    BOT_STREAM,
    EasyBot,
    RandomBot,
    WiseBot,
    exits,
    leave,
    play_out,
    room,
    wise_value,
)


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
        wise, opponent = WiseBot(), RandomBot(seed)
        bots = (wise, opponent) if wise_seat == 0 else (opponent, wise)
        *_, final = play_out(game, bots)
        wins += final.result == f"win{wise_seat}"
    assert wins >= 0.98 * matches
