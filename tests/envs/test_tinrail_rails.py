"""Tinrail's rails: where tracks end, and what holds on every table that play can lay."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from quiltrail.agents.tinrail import WiseBot
from quiltrail.envs.tinrail.engine import TinrailEngine
from quiltrail.envs.tinrail.rails import RAILS, lay, rebuild, take_back
from quiltrail.envs.tinrail.rules import (
    NUM_PORTS,
    NUM_TILES,
    OFF,
    STARTS,
    TILES,
    UNDECIDED,
    turned,
)
from quiltrail.envs.tinrail.tracks import last_placement, walk
from tests.cases.tinrail import (
    STRAIGHT,
    U_TURNS,
    load_cases,
)
from tests.envs.tinrail_player import HOOKS, TinrailPlayer, position


def test_the_tiles_are_35_in_classes_of_symmetry() -> None:
    assert len(set(TILES)) == NUM_TILES
    orders = [4 // len({turned(tile, r) for r in range(4)}) for tile in TILES]
    assert Counter(orders) == {1: 20, 2: 10, 4: 5}


def test_an_engine_waits_where_the_track_from_its_start_ends(tinrail_states: list[Any]) -> None:
    for game in tinrail_states:
        for seat, start in enumerate(STARTS):
            assert game["notches"][seat] == walk(game["table"], start).end


def test_two_engines_never_share_a_notch(tinrail_states: list[Any]) -> None:
    for game in tinrail_states:
        first, second = game["notches"].tolist()
        assert first == second == OFF or first != second


def test_every_entry_of_the_rails_is_where_a_walk_ends(tinrail_states: list[Any]) -> None:
    rails = np.zeros(1, RAILS)[0]
    for game in tinrail_states[::7]:
        rebuild(rails, game["table"])
        for cell in np.flatnonzero(game["table"] == -1).tolist():
            for port in range(NUM_PORTS):
                end = walk_out(game["table"], cell, port)
                assert rails["ends"][NUM_PORTS * cell + port] == end
                assert bool(rails["off"][cell] >> port & 1) == (end == OFF)


def walk_out(table: np.ndarray, cell: int, port: int) -> int:
    beyond = HOOKS.neighbour(cell, port)  # type: ignore[misc]
    return OFF if beyond is None else walk(table, NUM_PORTS * beyond[0] + beyond[1]).end


def test_the_rails_kept_while_playing_are_those_of_the_table() -> None:
    engine, agent = TinrailEngine(20), WiseBot()
    for _ in range(25):
        engine.step(agent.act(engine))
        kept = engine.derived.copy()
        engine.restore(np.arange(20), list(engine.state.copy()))
        empty = engine.state["table"] == -1
        of_empty = np.repeat(empty, NUM_PORTS, axis=1)
        np.testing.assert_array_equal(engine.derived["tiles"], kept["tiles"])
        np.testing.assert_array_equal(engine.derived["ends"][of_empty], kept["ends"][of_empty])
        np.testing.assert_array_equal(engine.derived["off"][empty], kept["off"][empty])


def test_taking_a_placement_back_leaves_no_trace(tinrail_states: list[Any]) -> None:
    rails = np.zeros(1, RAILS)[0]
    rng = np.random.default_rng(5)
    for game in tinrail_states[::5]:
        if game["result"] != UNDECIDED:
            continue
        rebuild(rails, game["table"])
        before = rails.copy()
        cell = int(rng.choice(np.flatnonzero(game["table"] == -1)))
        count = lay(rails, cell, int(rng.integers(140)))
        take_back(rails, count)
        for name in ("tiles", "ends", "off"):
            np.testing.assert_array_equal(rails[name], before[name])


def test_a_reachable_head_on_would_have_eliminated_both_anyway(tinrail_states: list[Any]) -> None:
    met = [
        last for last in map(last_placement, tinrail_states) if last is not None and last.head_on
    ]
    assert len(met) >= 3
    for last in met:
        assert [track.end for track in last.rides.values()] == [OFF, OFF]


def test_a_ride_crosses_one_tile_at_most_four_times_and_sometimes_does() -> None:
    most = 0
    for case in load_cases():
        if case["kind"] == "match":
            player = TinrailPlayer(case["seed"])
            for tile_index, rotation in case["actions"]:
                player.engine.step(np.array([4 * tile_index + rotation]), np.array([1]))
            last = last_placement(player.engine.state[1])
            assert last is not None
            for track in last.rides.values():
                most = max(most, *Counter(cell for cell, _, _ in track.passages).values())
    assert most == 4


def test_head_on_riders_are_both_out_wherever_their_rails_lead() -> None:
    player = position({}, [[14, 5], [14, 0]], [[STRAIGHT], [U_TURNS]], 0)
    player.play({"type": "place", "tileIndex": 0, "rotation": 0})
    assert (player.view()["engines"], player.view()["result"]) == ([None, None], "draw")


def test_a_ride_that_never_ends_counts_as_off_the_table() -> None:
    above = [[0, 1], [2, 3], [4, 5], [6, 7]]  # sends ports 0 and 1 of cell 14 back to it
    assert TILES[1][0] == (0, 1)  # and so does this tile, laid there
    for tile, end in ((1, None), (STRAIGHT, {"cell": 20, "port": 0})):
        player = position({8: above}, [[14, 0], [20, 1]], [[tile], [30]], 0)
        assert player.play({"type": "place", "tileIndex": 0, "rotation": 0}) == "accepted"
        assert player.view()["engines"] == [end, {"cell": 20, "port": 1}]
