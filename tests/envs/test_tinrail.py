"""Tinrail's engine against the rules, the shared cases and the slow reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quiltrail.agents import Agent
from quiltrail.agents.tinrail import EasyBot, WiseBot
from quiltrail.envs.tinrail.engine import TinrailEngine
from quiltrail.envs.tinrail.league import play_matches
from quiltrail.envs.tinrail.rules import (
    NUM_PORTS,
    NUM_TILES,
    OFF,
    PILE_SIZE,
    STARTS,
    UNDECIDED,
)
from quiltrail.envs.tinrail.study import Position
from tests.agreement import Visits, assert_visited, compare_batch, find_disagreement
from tests.cases.tinrail import (
    CHECKS,
    Case,
    Check,
    load_bot_vectors,
    load_cases,
    missing_hooks,
    run_bot_vector,
    run_case,
)
from tests.envs.tinrail_player import HOOKS, TinrailPlayer
from tests.reference.tinrail import TinrailReference


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: f"{case['id']}-{case['kind']}")
def test_the_shared_cases_hold(case: Case) -> None:
    assert not missing_hooks(case, HOOKS)
    run_case(case, HOOKS)


@pytest.mark.parametrize(
    "vector", load_bot_vectors(), ids=lambda v: f"{'-'.join(v['players'])}-{v['seed']}"
)
def test_the_bots_repeat_every_recorded_decision(vector: Case) -> None:
    run_bot_vector(vector, HOOKS)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_checks_of_whole_matches_hold(check: Check) -> None:
    check(HOOKS)


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
    expected = {f"placed {n}" for n in range(1, 32)} | {"a shared cell"}
    expected |= {"result win0", "result win1", "result draw"}
    expected |= {"refusal index-out-of-range", "refusal accepted"}
    assert_visited(visits, expected)
    return visits


@pytest.mark.parametrize("guide", [EasyBot(both_seats=True), WiseBot()], ids=["easy", "wise"])
def test_thirty_thousand_placements_agree_with_the_reference(guide: Agent) -> None:
    _compare(30_000, guide, seed=1)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("guide", [EasyBot(both_seats=True), WiseBot()], ids=["easy", "wise"])
def test_a_quarter_million_placements_agree_with_the_reference(guide: Agent, seed: int) -> None:
    visits = _compare(250_000, guide, seed=100 + seed)
    assert visits["refusal accepted"] >= 200_000
    assert_visited(visits, {f"placed {n}" for n in range(1, 36)} | {"refusal no-such-tile"})
    if isinstance(guide, EasyBot):  # Wise plays too well to reach it often
        assert_visited(visits, {"a draw by tiles"})


def test_no_line_of_play_is_found_that_the_reference_plays_otherwise() -> None:
    find_disagreement(TinrailEngine, TinrailReference, examples=60)


def test_the_pile_runs_out_with_placement_29(tinrail_states: list[Any]) -> None:
    for game in tinrail_states:
        drawn = game["turn"] - (game["notches"] == OFF).any()
        assert game["drawn"] == min(PILE_SIZE, drawn)


def test_the_35_tiles_are_always_all_there(tinrail_states: list[Any]) -> None:
    for game in tinrail_states:
        laid = game["table"][game["table"] >= 0] // 4
        tiles = np.concatenate([laid, game["hands"].ravel(), game["pile"]])
        assert sorted(tiles[tiles >= 0].tolist()) == list(range(NUM_TILES))


def test_every_finished_match_scores_within_the_published_range(tinrail_states: list[Any]) -> None:
    engine = TinrailEngine(1)
    for game in tinrail_states:
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
