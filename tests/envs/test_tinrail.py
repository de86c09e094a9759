"""Tinrail's engine against the rules, the shared cases and the slow reference."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from quiltrail.agents import Agent, RandomLegal
from quiltrail.agents.tinrail import EasyBot, WiseBot
from quiltrail.core.errors import StateError
from quiltrail.envs.tinrail.engine import TinrailEngine
from quiltrail.envs.tinrail.league import play_matches
from quiltrail.envs.tinrail.match import STATE
from quiltrail.envs.tinrail.position import Position
from quiltrail.envs.tinrail.rails import RAILS, lay, rebuild, take_back
from quiltrail.envs.tinrail.rules import (
    NUM_PORTS,
    NUM_TILES,
    OFF,
    PILE_SIZE,
    STARTS,
    TILES,
    UNDECIDED,
    turned,
)
from quiltrail.envs.tinrail.tracks import last_placement, walk
from tests.agreement import AgreementMachine, Visits, compare_batch
from tests.cases.tinrail import (
    Case,
    check_extra_keys,
    check_refusal_names,
    check_short_hands,
    load_bot_vectors,
    load_cases,
    missing_hooks,
    run_bot_vector,
    run_case,
)
from tests.envs.tinrail_player import HOOKS, TinrailPlayer, position
from tests.reference.tinrail import TinrailReference

U_TURNS, STRAIGHT = 0, 33  # ids of two tiles that look the same at every rotation
CORNER = [[0, 3], [1, 2], [4, 5], [6, 7]]


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: f"{case['id']}-{case['kind']}")
def test_the_shared_cases_hold(case: Case) -> None:
    assert not missing_hooks(case, HOOKS)
    run_case(case, HOOKS)


@pytest.mark.parametrize(
    "vector", load_bot_vectors(), ids=lambda v: f"{'-'.join(v['players'])}-{v['seed']}"
)
def test_the_bots_repeat_every_recorded_decision(vector: Case) -> None:
    run_bot_vector(vector, HOOKS)


def test_every_ill_shaped_action_is_refused_by_its_name_and_leaves_no_trace() -> None:
    check_refusal_names(HOOKS)


def test_a_tile_beyond_a_short_hand_is_no_such_tile() -> None:
    check_short_hands(HOOKS)


def test_extra_keys_are_ignored() -> None:
    check_extra_keys(HOOKS)


def _describe(view: dict[str, Any], refusal: str) -> list[str]:
    seen = [f"placed {view['tilesPlaced']}"]
    seen += [f"result {view['result']}"] if view["result"] else []
    notches = [engine and tuple(engine.values()) for engine in view["engines"]]
    if None not in notches and notches[0][0] == notches[1][0]:
        seen.append("a shared cell")
    if view["result"] == "draw" and None not in notches:
        seen.append("a draw by tiles")
    return seen


def _compare(steps: int, guide: Agent, seed: int) -> Visits:
    visits = compare_batch(
        TinrailEngine,
        TinrailReference,
        steps=steps,
        guide=guide.act,
        describe=_describe,
        seed=seed,
    )
    print(f"\n{dict(sorted(visits.items()))}")
    expected = {f"placed {n}" for n in range(1, 32)} | {"a shared cell"}
    expected |= {"result win0", "result win1", "result draw"}
    expected |= {"refusal index-out-of-range", "refusal accepted"}
    assert expected <= set(visits)
    return visits


@pytest.mark.parametrize("guide", [EasyBot(both_seats=True), WiseBot()], ids=["easy", "wise"])
def test_thirty_thousand_placements_agree_with_the_reference(guide: Agent) -> None:
    assert _compare(30_000, guide, seed=1)["steps"] >= 30_000


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("guide", [EasyBot(both_seats=True), WiseBot()], ids=["easy", "wise"])
def test_a_quarter_million_placements_agree_with_the_reference(guide: Agent, seed: int) -> None:
    visits = _compare(250_000, guide, seed=100 + seed)
    assert visits["refusal accepted"] >= 200_000
    assert {f"placed {n}" for n in range(1, 36)} | {"refusal no-such-tile"} <= set(visits)
    if isinstance(guide, EasyBot):  # Wise plays too well to reach it often
        assert "a draw by tiles" in visits


class TinrailMachine(AgreementMachine):
    def make_engine(self, num_games: int) -> TinrailEngine:
        return TinrailEngine(num_games)

    def make_reference(self, seed: int) -> TinrailReference:
        return TinrailReference(seed)


TestTinrailMachine = TinrailMachine.TestCase
TestTinrailMachine.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


def played_states(matches: int = 60) -> list[Any]:
    """Return the records after every placement of Easy, Wise and random matches."""
    found = []
    for agent in (EasyBot(both_seats=True), WiseBot(), RandomLegal(3)):
        engine = TinrailEngine(matches)
        engine.reset(np.arange(matches), np.arange(matches, dtype=np.uint64))
        while not engine.terminated.all():
            running = np.flatnonzero(~engine.terminated)
            engine.step(agent.act(engine)[running], running)
            found += [record.copy() for record in engine.state[running]]
    return found


@pytest.fixture(scope="module")
def states() -> list[Any]:
    return played_states()


def test_the_tiles_are_35_in_classes_of_symmetry() -> None:
    assert len(set(TILES)) == NUM_TILES
    orders = [4 // len({turned(tile, r) for r in range(4)}) for tile in TILES]
    assert Counter(orders) == {1: 20, 2: 10, 4: 5}


def test_an_engine_waits_where_the_track_from_its_start_ends(states: list[Any]) -> None:
    for game in states:
        for seat, start in enumerate(STARTS):
            assert game["notches"][seat] == walk(game["table"], start).end


def test_two_engines_never_share_a_notch(states: list[Any]) -> None:
    for game in states:
        first, second = game["notches"].tolist()
        assert first == second == OFF or first != second


def test_every_entry_of_the_rails_is_where_a_walk_ends(states: list[Any]) -> None:
    rails = np.zeros(1, RAILS)[0]
    for game in states[::7]:
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


def test_taking_a_placement_back_leaves_no_trace(states: list[Any]) -> None:
    rails = np.zeros(1, RAILS)[0]
    rng = np.random.default_rng(5)
    for game in states[::5]:
        if game["result"] != UNDECIDED:
            continue
        rebuild(rails, game["table"])
        before = rails.copy()
        cell = int(rng.choice(np.flatnonzero(game["table"] == -1)))
        count = lay(rails, cell, int(rng.integers(140)))
        take_back(rails, count)
        for name in ("tiles", "ends", "off"):
            np.testing.assert_array_equal(rails[name], before[name])


def test_a_reachable_head_on_would_have_eliminated_both_anyway(states: list[Any]) -> None:
    met = [last for last in map(last_placement, states) if last is not None and last.head_on]
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


def test_the_pile_runs_out_with_placement_29(states: list[Any]) -> None:
    for game in states:
        drawn = game["turn"] - (game["notches"] == OFF).any()
        assert game["drawn"] == min(PILE_SIZE, drawn)


def test_the_35_tiles_are_always_all_there(states: list[Any]) -> None:
    for game in states:
        laid = game["table"][game["table"] >= 0] // 4
        tiles = np.concatenate([laid, game["hands"].ravel(), game["pile"]])
        assert sorted(tiles[tiles >= 0].tolist()) == list(range(NUM_TILES))


def test_every_played_state_can_be_loaded_and_goes_on_the_same(states: list[Any]) -> None:
    engine, other = TinrailEngine(1), TinrailEngine(1)
    for game in states[::11]:
        engine.restore(np.array([0]), [game])
        other.set_state(0, engine.get_state(0))
        assert other.state[0] == game
        assert other.view(0) == engine.view(0)


def test_every_finished_match_scores_within_the_published_range(states: list[Any]) -> None:
    engine = TinrailEngine(1)
    for game in states:
        if game["result"] != UNDECIDED:
            engine.restore(np.array([0]), [game])
            for seat in (0, 1):
                assert 0 <= engine.final_score(0, seat) <= 275
                assert 0 <= engine.final_score(0, seat, easy=True) <= 165
            assert engine.score[0] == engine.final_score(0, 0)


def test_the_table_turned_by_180_degrees_exchanges_the_seats() -> None:
    for seed in range(30):
        player, agent = TinrailPlayer(seed), EasyBot(both_seats=True)
        game = player.engine.state[1].copy()
        starts = [divmod(start, NUM_PORTS) for start in STARTS]
        other = TinrailPlayer()
        hands = game["hands"].tolist()
        pile = game["pile"].tolist()
        other.engine.set_position(1, Position({}, starts, hands[::-1], 1, pile))
        while not player.ended:
            action = int(agent.act(player.engine)[1])
            seen, turned_view = player.engine.observation_of(1), other.engine.observation_of(1)
            for name in ("table", "engines", "hand", "rides", "unseen"):
                np.testing.assert_array_equal(seen[name], turned_hand(name, turned_view))
            player.engine.step(np.array([action]), np.array([1]))
            other.engine.step(np.array([action ^ 2]), np.array([1]))
            turned_notches = [turned_notch(notch) for notch in other.engine.state["notches"][1]]
            assert player.engine.state["notches"][1].tolist() == turned_notches[::-1]
        results = {1: 2, 2: 1, 3: 3}
        assert results[int(player.engine.state["result"][1])] == other.engine.state["result"][1]


def turned_hand(name: str, seen: dict[str, np.ndarray]) -> np.ndarray:
    """Return a field of the other seat's view with its actions in our order of rotations."""
    return seen[name][np.arange(12) ^ 2] if name in ("hand", "rides") else seen[name]


def turned_notch(notch: int) -> int:
    cell, port = divmod(int(notch), NUM_PORTS)
    return OFF if notch == OFF else NUM_PORTS * (35 - cell) + (port + 4) % NUM_PORTS


def test_a_win_with_the_last_tile_reaches_the_ceiling() -> None:
    results = play_matches(np.array([457], np.uint64), "easy", "easy")
    assert (results.outcome[0], results.placements[0]) == (1, NUM_TILES)
    assert results.scores.tolist() == [[275, 2 * 34]]


def test_head_on_riders_are_both_out_wherever_their_rails_lead() -> None:
    player = position({}, [[14, 5], [14, 0]], [[STRAIGHT], [U_TURNS]], 0)
    player.play({"type": "place", "tileIndex": 0, "rotation": 0})
    assert (player.view()["engines"], player.view()["result"]) == ([None, None], "draw")


def test_a_ride_that_never_ends_counts_as_off_the_table() -> None:
    #  the tile in cell 8 sends ports 0 and 1 of cell 14 back to it, and so does the tile laid there
    loop = [[0, 1], [2, 3], [4, 5], [6, 7]]
    player = position({8: loop}, [[14, 0], [20, 1]], [[STRAIGHT, 34], [30]], 0)
    assert loop == [list(pair) for pair in turned(TILES[U_TURNS], 0)]
    circle = position({8: loop}, [[14, 0], [20, 1]], [[1], [30]], 0)
    assert TILES[1][0] == (0, 1)
    assert circle.play({"type": "place", "tileIndex": 0, "rotation": 0}) == "accepted"
    assert circle.view()["engines"] == [None, {"cell": 20, "port": 1}]
    assert player.play({"type": "place", "tileIndex": 0, "rotation": 0}) == "accepted"


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"table": {36: CORNER}}, "table"),
        ({"table": {14: CORNER}}, "engines"),
        ({"table": {3: [[0, 1], [2, 3], [4, 5], [6, 6]]}}, "table"),
        ({"engines": [[14, 5]]}, "engines"),
        ({"engines": [[14, 5], [14, 8]]}, "engines"),
        ({"hands": [[1], [1]]}, "hands"),
        ({"hands": [[1, 2, 3, 4], [5]]}, "hands"),
        ({"hands": [[], [5]]}, "to_move"),
        ({"to_move": 2}, "to_move"),
        ({"pile": list(range(5, 35))}, "pile"),
    ],
)
def test_a_position_that_makes_no_sense_is_refused_by_part(
    wrong: dict[str, Any], field: str
) -> None:
    engine = TinrailEngine(1)
    before = engine.get_state(0)
    parts = {"table": {}, "engines": [[14, 5], [14, 0]], "hands": [[1], [2]], "to_move": 0}
    with pytest.raises(StateError, match=f'"{field}"'):
        engine.set_position(0, Position(**{**parts, **wrong}))
    assert engine.get_state(0) == before


def state_after(actions: int, seed: int = 5) -> dict[str, Any]:
    engine, agent = TinrailEngine(1), WiseBot()
    engine.reset(np.array([0]), np.array([seed], np.uint64))
    for _ in range(actions):
        engine.step(agent.act(engine))
    return engine.get_state(0)


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("table", lambda old: [140, *old[1:]]),
        ("table", lambda old: [-2, *old[1:]]),
        ("table", lambda old: old[1:]),
        ("turn", lambda old: old + 1),
        ("notches", lambda old: [old[1], old[0]]),
        ("notches", lambda old: [-1, old[1]]),
        ("hands", lambda old: [old[0], [old[1][0], old[1][1], -1]]),
        ("hands", lambda old: [[-1, *old[0][:2]], old[1]]),
        ("pile", lambda old: [old[-1], *old[1:]]),
        ("pile", lambda old: [*old[:-1], -1]),
        ("pile", lambda old: [*old[:-1], old[-2]]),
        ("pile", lambda old: [*old[:-1], 35]),
        ("drawn", lambda old: old + 1),
        ("to_move", lambda old: 1 - old),
        ("result", lambda old: 1),
        ("result", lambda old: 4),
        ("last_cell", lambda old: -1),
        ("last_ports", lambda old: [-1, -1]),
        ("last_ports", lambda old: old[::-1]),
        ("last_ports", lambda old: [old[0], (old[1] + 9) % 8]),
        ("seat", lambda old: 1),
        ("opponent", lambda old: 0),
        ("unread", lambda old: 1),
        ("score", lambda old: 10),
        ("seed", lambda old: -1),
        ("seed", lambda old: 2**32),
        ("turn", lambda old: True),
        ("game", lambda old: "sunpleat"),
    ],
)
def test_an_impossible_state_is_refused_by_field(field: str, change: Any) -> None:
    state = state_after(9)
    engine = TinrailEngine(1)
    before = engine.get_state(0)
    with pytest.raises(StateError, match=f'"{field}"'):
        engine.set_state(0, {**state, field: change(state[field])})
    assert engine.get_state(0) == before
    engine.set_state(0, state)


def test_hidden_tiles_may_lie_anywhere_in_a_loaded_state() -> None:
    state = state_after(9)
    tiles = [*state["hands"][0], *state["pile"][state["drawn"] :]]
    tiles = tiles[3:] + tiles[:3]
    state["hands"][0] = tiles[:3]
    state["pile"][state["drawn"] :] = tiles[3:]
    TinrailEngine(1).set_state(0, state)


def test_the_record_of_a_match_is_small() -> None:
    assert STATE.itemsize <= 200
