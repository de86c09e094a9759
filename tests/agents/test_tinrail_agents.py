"""Tinrail's players: strength, honesty, repeatability."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quiltrail.agents import Agent, make_agent
from quiltrail.agents.tinrail import EasyBot, WiseBot
from quiltrail.agents.tinrail_deals import redeal
from quiltrail.agents.tinrail_learned import TinrailLearned
from quiltrail.agents.tinrail_matches import Wavering, meet, play_agents
from quiltrail.agents.tinrail_monte_carlo import MonteCarlo
from quiltrail.agents.tinrail_search import TinrailSearch
from quiltrail.core.errors import OptionError
from quiltrail.core.mulberry32 import SEED_RANGE
from quiltrail.envs.sunpleat.engine import SunpleatEngine
from quiltrail.envs.tinrail.engine import TinrailEngine
from quiltrail.envs.tinrail.gbot import room, wise_value
from quiltrail.envs.tinrail.league import play_matches
from quiltrail.envs.tinrail.rails import DISTINCT_ROTATIONS
from quiltrail.envs.tinrail.solo import TinrailSoloEngine
from quiltrail.envs.tinrail.study import Position
from tests.cases.tinrail import STRAIGHT, U_TURNS
from tests.reference.mulberry32 import Mulberry32
from tests.reference.tinrail import TinrailReference
from tests.reference.tinrail_bots import BOT_STREAM
from tests.reference.tinrail_bots import WiseBot as SlowWiseBot
from tests.reference.tinrail_bots import wise_value as slow_wise_value


def engine_with(seeds: int) -> TinrailEngine:
    engine = TinrailEngine(seeds)
    engine.reset(np.arange(seeds), np.arange(seeds, dtype=np.uint64))
    return engine


def win_rate(agent: Agent, opponent: str, seat: int, matches: int) -> float:
    engine = TinrailSoloEngine(matches, opponent=opponent, seat=seat, reward="outcome")
    engine.reset(np.arange(matches), np.arange(matches, dtype=np.uint64))
    outcomes = np.zeros(matches)
    while not engine.terminated.all():
        engine.step(agent.act(engine))
        outcomes += engine.reward
    return float((outcomes == 1).mean())


@pytest.mark.parametrize(
    ("agent", "opponent", "share"),
    [(EasyBot(1), "random", 0.94), (WiseBot(), "random", 0.996), (WiseBot(), "easy", 0.74)],
    ids=["easy-random", "wise-random", "wise-easy"],
)
def test_bots_are_as_strong_as_published(agent: Agent, opponent: str, share: float) -> None:
    for seat in (0, 1):
        assert abs(win_rate(agent, opponent, seat, 3000) - share) < 0.03


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("one", "other", "share"),
    [("easy", "random", 0.94), ("wise", "random", 0.996), ("wise", "easy", 0.74)],
)
def test_bots_are_as_strong_as_published_within_a_point(one: str, other: str, share: float) -> None:
    seeds = np.arange(20_000, dtype=np.uint64)
    wins = [
        (play_matches(seeds, one, other).outcome == 1).mean(),
        (play_matches(seeds, other, one).outcome == -1).mean(),
    ]
    assert abs(np.mean(wins) - share) < 0.01


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_monte_carlo_with_a_hundred_playouts_beats_wise() -> None:
    wins = [win_rate(MonteCarlo(100), "wise", seat, 500) for seat in (0, 1)]
    assert abs(np.mean(wins) - 0.81) < 0.04


def test_monte_carlo_with_few_playouts_beats_wise() -> None:
    assert win_rate(MonteCarlo(40), "wise", 0, 60) > 0.6


def test_wise_values_agree_with_the_reference() -> None:
    engine = engine_with(1)
    slow = SlowWiseBot()
    for seed in range(12):
        engine.reset(np.array([0]), np.array([seed], np.uint64))
        match = TinrailReference(seed)
        while not match.ended:
            game, rails = engine.state[0], engine.derived[0]
            mover = match.turn
            own, other = int(game["notches"][mover]), int(game["notches"][1 - mover])
            for action in engine.legal_indices(0):
                laid = 4 * int(game["hands"][mover, action // 4]) + action % 4
                value = wise_value(rails, own, other, laid)
                assert value == slow_wise_value(match, action)
            choice = slow.choose(match)
            assert WiseBot().act(engine)[0] == choice
            engine.step(np.array([choice]))
            match.play(match.decode(choice))


def test_room_counts_the_ways_on_and_the_exits_beyond_them() -> None:
    engine = TinrailEngine(1)
    #  a straight tile in cell 32; the engines wait above it and at the top
    straight = [[0, 5], [1, 4], [2, 7], [3, 6]]
    engine.set_position(0, Position({32: straight}, [[26, 4], [3, 0]], [[1], [2]], 0))
    rails = engine.derived[0]
    assert room(rails, 8 * 26 + 4) == 6 * (1 + 7)
    assert room(rails, 8 * 3 + 0) == 4 * (1 + 5) + 2 * (1 + 7)


def test_a_way_back_to_the_same_cell_is_no_room() -> None:
    engine = TinrailEngine(1)
    u_turns = [[0, 1], [2, 3], [4, 5], [6, 7]]
    engine.set_position(0, Position({14: u_turns}, [[8, 0], [20, 0]], [[1], [2]], 0))
    rails = engine.derived[0]
    assert room(rails, 8 * 8 + 0) == 1 * (1 + 5) + 4 * (1 + 7)


def test_easy_takes_its_nth_draw_at_its_nth_decision() -> None:
    engine = engine_with(30)
    agent = EasyBot()
    streams = [Mulberry32(seed ^ BOT_STREAM) for seed in range(30)]
    for ply in range(6):
        choices = agent.act(engine)
        if ply % 2 == 0:
            for row in range(30):
                if engine.terminated[row]:
                    continue
                pool = safe_actions(engine, row)
                assert choices[row] == pool[streams[row].below(len(pool))]
        engine.step(WiseBot().act(engine) if ply % 2 else choices)


def safe_actions(engine: TinrailEngine, row: int) -> list[int]:
    """Return the mover's actions that keep its engine on the table; all, if there is none."""
    mover, safe = int(engine.state["to_move"][row]), []
    legal = engine.legal_indices(row)
    for action in legal:
        branch = engine.branch(np.array([row]))
        branch.step(np.array([action]))
        if branch.state["notches"][0, mover] >= 0:
            safe.append(action)
    return safe or legal


def test_easy_draws_from_all_when_every_action_is_fatal() -> None:
    engine = TinrailEngine(1)
    engine.set_position(0, Position({}, [[32, 4], [3, 0]], [[U_TURNS], [STRAIGHT]], 0))
    assert EasyBot().act(engine)[0] == Mulberry32(BOT_STREAM).below(4)


def test_bots_choose_the_same_in_any_batch_and_change_nothing() -> None:
    engine = engine_with(40)
    for agent in (EasyBot(3), WiseBot(), MonteCarlo(20), TinrailLearned(), TinrailSearch(15)):
        before = engine.state.copy(), engine.derived["ends"].copy()
        together = agent.act(engine)
        for row in range(0, 40, 7):
            assert agent.act(engine.branch(np.array([row])))[0] == together[row]
        assert (engine.state == before[0]).all()
        assert (engine.derived["ends"] == before[1]).all()
        engine.step(together)


def with_hidden_tiles_dealt_anew(engine: TinrailEngine, seed: int) -> TinrailEngine:
    """Return a copy in which nobody but the mover holds what it held."""
    twin = engine.copy()
    rng = np.random.default_rng(seed)
    for row in range(engine.num_games):
        game = twin.state[row]
        other, drawn = 1 - game["to_move"], game["drawn"]
        held = int((game["hands"][other] >= 0).sum())
        tiles = np.concatenate([game["hands"][other][:held], game["pile"][drawn:]])
        tiles = rng.permutation(tiles)
        game["hands"][other][:held] = tiles[:held]
        game["pile"][drawn:] = tiles[held:]
    return twin


@pytest.mark.parametrize(
    "agent",
    [
        MonteCarlo(30, "wise"),
        MonteCarlo(30, "easy"),
        MonteCarlo(30, "random"),
        TinrailSearch(20),
        TinrailSearch(10, "learned", playout_share=0),
        TinrailLearned(),
    ],
    ids=["monte-carlo-wise", "-easy", "-random", "search-wise", "search-learned", "learned"],
)
def test_a_choice_does_not_change_when_the_hidden_tiles_are_redealt(agent: Agent) -> None:
    engine, mover = engine_with(24), EasyBot(both_seats=True)
    positions = changed = 0
    while not engine.terminated.all():
        running = np.flatnonzero(~engine.terminated)
        here = engine.branch(running)
        there = with_hidden_tiles_dealt_anew(here, len(running))
        changed += int((here.state != there.state).sum())
        choices = agent.act(here)
        visits = getattr(agent, "visits", None)
        np.testing.assert_array_equal(agent.act(there), choices)
        np.testing.assert_array_equal(getattr(agent, "visits", None), visits)
        positions += len(running)
        engine.step(mover.act(engine))
    assert positions > 300
    assert changed > 250


def test_a_redeal_keeps_what_the_mover_sees_and_all_tiles() -> None:
    engine = engine_with(1)
    for _ in range(8):
        engine.step(WiseBot().act(engine))
    game = engine.state[0].copy()
    hidden = np.zeros(35, np.int64)
    cursor, deals = np.uint64(5), set()
    for _ in range(50):
        before = game.copy()
        cursor = redeal(game, cursor, hidden)
        mover = int(game["to_move"])
        assert (game["hands"][mover] == before["hands"][mover]).all()
        for name in ("table", "notches", "drawn", "turn"):
            assert np.array_equal(game[name], before[name])
        tiles = np.concatenate([game["hands"].ravel(), game["pile"]])
        then = np.concatenate([before["hands"].ravel(), before["pile"]])
        assert sorted(tiles) == sorted(then)
        deals.add(game["hands"][1 - mover].tobytes())
    assert len(deals) > 40


@pytest.mark.parametrize("agent", [MonteCarlo(60), TinrailSearch(60)])
def test_playouts_are_spent_on_placements_that_differ(agent: MonteCarlo | TinrailSearch) -> None:
    engine = engine_with(50)
    choices = agent.act(engine)
    for row in range(50):
        hand = engine.state["hands"][row, 0]
        different = int(DISTINCT_ROTATIONS[hand].sum())
        assert agent.visits[row].sum() == 60
        tried = (agent.visits[row] > 0).sum()
        assert tried == different if isinstance(agent, MonteCarlo) else 2 <= tried <= different
        assert not agent.visits[row, different:].any()
        card, rotation = divmod(int(choices[row]), 4)
        assert rotation < DISTINCT_ROTATIONS[hand[card]]


@pytest.mark.parametrize("kind", [MonteCarlo, TinrailSearch])
def test_seeds_deal_apart_and_repeat(kind: type[MonteCarlo] | type[TinrailSearch]) -> None:
    engine = engine_with(200)
    one, again, other = (kind(15, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.act(engine), again.act(engine))
    other.act(engine)
    assert (one.visits != other.visits).any()


def test_players_are_made_by_name_and_check_their_arguments() -> None:
    engine = engine_with(2)
    for name, settings in (
        ("tinrail-easy", {"seed": 4}),
        ("tinrail-wise", {}),
        ("tinrail-monte-carlo", {"playouts": 5, "bot": "easy"}),
        ("tinrail-learned", {}),
        ("tinrail-search", {"simulations": 4, "reply": "easy"}),
    ):
        agent = make_agent(name, **settings)
        assert all(agent.act(engine)[row] in engine.legal_indices(row) for row in (0, 1))
        with pytest.raises(OptionError, match="tinrail"):
            agent.act(SunpleatEngine(1))


@pytest.mark.parametrize(
    "wrong", [{"playouts": 0}, {"playouts": 1.5}, {"playouts": True}, {"bot": "wyse"}]
)
def test_wrong_arguments_of_monte_carlo_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(wrong))):
        make_agent("tinrail-monte-carlo", **wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"simulations": 0},
        {"simulations": 2.0},
        {"reply": "wyse"},
        {"exploration": 0},
        {"playout_share": 1.5},
    ],
)
def test_wrong_arguments_of_the_search_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(wrong))):
        make_agent("tinrail-search", **wrong)


def test_the_learned_value_alone_beats_wise_and_a_short_search_with_it_more_so() -> None:
    alone = meet(TinrailLearned(), WiseBot(), np.arange(300, dtype=np.uint64))
    assert (alone.outcomes == 1).mean() > 0.52
    searching = meet(TinrailSearch(60), WiseBot(), np.arange(30, dtype=np.uint64))
    assert (searching.outcomes == 1).mean() > 0.7


def test_learned_players_take_a_win_and_avoid_a_loss() -> None:
    engine = engine_with(150)
    rng = np.random.default_rng(3)
    wins = escapes = 0
    for _ in range(12):
        outcomes = [outcomes_of(engine, row) for row in range(engine.num_games)]
        for agent in (TinrailLearned(), TinrailSearch(12)):
            choices = agent.act(engine)
            for row, ahead in enumerate(outcomes):
                if not ahead:
                    continue
                assert choices[row] in ahead
                assert ahead[choices[row]] == max(ahead.values())
                wins += max(ahead.values()) == 1
                escapes += min(ahead.values()) == -1 < max(ahead.values())
        safe = [[a for a, end in ahead.items() if end == 0] or [0] for ahead in outcomes]
        engine.step(np.array([rng.choice(one) for one in safe]))
    assert wins > 5
    assert escapes > 500


def outcomes_of(engine: TinrailEngine, row: int) -> dict[int, int]:
    """Return +1, 0, -1 for each legal action: it wins, settles nothing or draws, loses."""
    ahead = {}
    for action in engine.legal_indices(row):
        branch = engine.branch(np.array([row]))
        branch.step(np.array([action]))
        winner = {1: 0, 2: 1}.get(int(branch.state["result"][0]))
        mover = int(engine.state["to_move"][row])
        ahead[action] = 0 if winner is None else (1 if winner == mover else -1)
    return ahead


def test_agents_meet_with_the_results_of_policies_and_bots() -> None:
    seeds = np.arange(50, dtype=np.uint64)
    for one, other in (("wise", "easy"), ("easy", "wise")):
        bots = play_matches(seeds, one, other)
        agents = play_agents(seeds, *(make_agent(f"tinrail-{name}") for name in (one, other)))
        np.testing.assert_array_equal(agents.outcome, bots.outcome)
        np.testing.assert_array_equal(agents.scores, bots.scores)


def test_a_meeting_counts_for_its_player_in_both_seats() -> None:
    seeds = np.arange(40, dtype=np.uint64)
    there, back = meet(WiseBot(), EasyBot(), seeds), meet(EasyBot(), WiseBot(), seeds)
    np.testing.assert_array_equal(there.as_first.outcome, back.as_second.outcome)
    assert sorted(there.outcomes) == sorted(-back.outcomes)
    assert there.outcomes.mean() > 0.2
    assert there.scores.mean() > back.scores.mean()
    assert there.milliseconds > 0


def test_a_wavering_player_plays_its_share_at_random() -> None:
    engine = engine_with(4000)
    sure, wavering = WiseBot().act(engine), Wavering(WiseBot(), 0.4).act(engine)
    changed = (sure != wavering).mean()
    assert 0.3 < changed < 0.4  # some random actions are those of Wise
    np.testing.assert_array_equal(Wavering(WiseBot(), 0.0).act(engine), sure)
    np.testing.assert_array_equal(Wavering(WiseBot(), 0.4).act(engine), wavering)
    with pytest.raises(OptionError, match="share"):
        Wavering(WiseBot(), 1.1)


def test_players_pass_over_ended_matches() -> None:
    engine = engine_with(60)
    rng = np.random.default_rng(0)
    for _ in range(6):
        engine.step(rng.integers(0, 12, 60))
    ended = engine.terminated
    assert ended.any()
    for agent in (
        EasyBot(SEED_RANGE - 1),
        WiseBot(),
        MonteCarlo(3),
        TinrailLearned(),
        TinrailSearch(3),
        Wavering(WiseBot(), 0.5),
    ):
        assert not agent.act(engine)[ended].any()
