"""The after-state value: what it sees, how it is corrected, how it plays and learns."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from quiltrail.agents import make_agent
from quiltrail.agents.patchwork import PatchworkBeam, PatchworkGreedy
from quiltrail.agents.patchwork_search import Nodes, expand, planes, root_nodes
from quiltrail.core.errors import OptionError
from quiltrail.envs import find_game
from quiltrail.envs.patchwork.checks import check_record
from quiltrail.envs.patchwork.engine import PatchworkEngine
from quiltrail.envs.patchwork.rules import SIDE
from quiltrail.envs.patchwork.symmetry import NUM_VIEWS, SHAPE_MAP, SQUARE_MAP
from quiltrail.envs.patchwork.tables import squares_as_words
from quiltrail.train.afterstate.game import AFTERSTATE_GAMES, find_afterstates
from quiltrail.train.afterstate.learning import AfterstateTD, Hyperparameters, Tally
from quiltrail.train.afterstate.patchwork_features import NUM_ENTRIES
from quiltrail.train.afterstate.tables import Tables, correct_rows, empty_tables
from quiltrail.train.evaluate import evaluate
from tests.train import garland_table
from tests.train.afterstates import (
    GAME,
    SETTINGS,
    STEP,
    SlowNetwork,
    filled_tables,
    keys_of,
    some_nodes,
    value,
)

MOST_MOVES = 40
ONE = np.zeros(1, np.int64)


def learn(tables: Tables, node: Any, target: float) -> float:
    """Correct the value of a node; return the size of its error."""
    seen = value(tables.weights).seen(node.reshape(1))
    return correct_rows(tables, seen, ONE, np.array([target]), STEP)


def in_view(nodes: Nodes, view: int) -> Nodes:
    """Return nodes turned as a whole: quilt and tray."""
    turned = nodes.copy()
    for node, plane in zip(turned, planes(nodes), strict=True):
        images = SQUARE_MAP[view, np.flatnonzero(plane)]
        node["quilt"] = squares_as_words([divmod(int(one), SIDE) for one in images])
        node["tray"] = SHAPE_MAP[view, node["tray"].astype(int) + 1] - 1
    return turned


@pytest.mark.parametrize("view", range(NUM_VIEWS))
def test_a_value_is_the_same_in_every_view(view: int) -> None:
    nodes, of = some_nodes(), value(filled_tables().weights)
    np.testing.assert_allclose(of(in_view(nodes, view)), of(nodes), rtol=0, atol=1e-9)


def test_values_tell_nodes_apart() -> None:
    nodes = some_nodes()
    assert len(set(value(filled_tables().weights)(nodes).round(6).tolist())) == len(nodes)


def test_corrections_are_those_of_a_slow_network_of_dicts() -> None:
    slow, tables = SlowNetwork(), empty_tables(2, NUM_ENTRIES)
    nodes, targets = some_nodes(25), np.random.default_rng(1).normal(size=75)
    for node, target in zip([*nodes, *nodes, *nodes], targets.tolist(), strict=True):
        before = slow.value(node)
        assert learn(tables, node, target) == pytest.approx(abs(target - before), abs=1e-5)
        slow.learn(node, target)
    found = value(tables.weights).units(some_nodes(60))
    assert found == pytest.approx([slow.value(node) for node in some_nodes(60)], abs=1e-5)
    assert np.count_nonzero(tables.weights) == sum(one != 0 for one in slow.weights.values())


def test_a_correction_takes_away_its_step_of_the_error() -> None:
    tables = empty_tables(2, NUM_ENTRIES)
    crooked = max(some_nodes(), key=lambda node: len(set(keys_of(node))))
    uses = [keys_of(crooked).count(key) for key in keys_of(crooked)]
    learn(tables, crooked, 10.0)
    after = value(tables.weights).units(crooked.reshape(1))
    assert after == pytest.approx(10.0 * STEP * sum(uses) / len(uses), rel=1e-5)


def test_values_of_many_nodes_are_those_of_each() -> None:
    nodes, of = np.tile(some_nodes(), 40), value(filled_tables().weights)
    np.testing.assert_array_equal(of(nodes), np.tile(of(some_nodes()), 40))


def learner(games: int = 6, *, engine: PatchworkEngine | None = None) -> AfterstateTD:
    return AfterstateTD(engine or PatchworkEngine(games), SETTINGS, 3, MOST_MOVES)


def played(rounds: int, games: int = 6) -> tuple[AfterstateTD, Tally]:
    one, tally = learner(games), Tally()
    one.play(rounds, STEP, tally)
    return one, tally


def test_a_round_corrects_the_last_nodes_towards_points_and_the_next_values() -> None:
    together, engine = learner(3), PatchworkEngine(3)
    engine.restore(np.arange(3), list(together.get_state()["games"]))
    slow, came_from = SlowNetwork(), [None] * 3
    for _ in range(5):
        nodes, bounds = expand(root_nodes(engine.state, np.arange(3)), np.arange(4))
        worth = nodes["points"] / 20 + SETTINGS.gamma * np.array([slow.value(one) for one in nodes])
        ways = [slice(bounds[row], bounds[row + 1]) for row in range(3)]
        best = [int(bounds[row] + worth[ways[row]].argmax()) for row in range(3)]
        for row, node in enumerate(best):
            if came_from[row] is not None:
                slow.learn(came_from[row], worth[node])
            came_from[row] = nodes[node].copy()
        engine.step(nodes["action"][best].astype(np.int64))
        together.play(1, STEP, Tally())
        np.testing.assert_array_equal(together.get_state()["games"], engine.state)
    found = together.value.units(some_nodes())
    assert found == pytest.approx([slow.value(node) for node in some_nodes()], abs=1e-4)


def test_the_learner_plays_as_the_greedy_player_does() -> None:
    one, engine = learner(12), PatchworkEngine(12)
    one.tables.weights[:] = filled_tables().weights
    engine.restore(np.arange(12), list(one.get_state()["games"]))
    for _ in range(8):
        engine.step(PatchworkGreedy(one.value).act(engine))
        one.play(1, 0.0, Tally())
        np.testing.assert_array_equal(one.get_state()["games"], engine.state)


def test_an_ended_game_is_worth_nothing_and_a_cut_one_keeps_its_value() -> None:
    engine = PatchworkEngine(2)
    one = learner(engine=engine)
    one.play(1, 0.0, Tally())
    one.tables.weights[:] = 1.0
    engine.terminated[0] = True
    engine.state["turn"][1] = MOST_MOVES
    before = one.value.units(some_nodes(1))
    tally = Tally()
    one._end_episodes(STEP, tally)
    assert (tally.episodes, tally.finished) == (2, 1)
    assert tally.errors == pytest.approx(before, rel=0.1)
    assert (one.get_state()["last"]["counts"] == 0).all()
    assert (engine.state["turn"] == 0).all()


def test_training_games_stay_states_of_the_engine_and_are_cut_off() -> None:
    one, tally = played(130)
    games = one.get_state()["games"]
    for game in games:
        check_record(game, revive=False)
    assert (games["turn"] < MOST_MOVES).all()
    assert (games["start"] <= SETTINGS.latest_start).all()
    assert len(set(games["seed"].tolist())) == len(games)
    assert tally.moves == 130 * len(games)
    assert 0 < tally.finished <= tally.episodes
    assert np.isfinite(one.tables.weights).all()


def test_two_halves_learn_what_one_run_learns() -> None:
    halves = learner(3)
    for rounds in (31, 49):
        halves.play(rounds, STEP, Tally())
    whole, _ = played(80, games=3)
    np.testing.assert_array_equal(halves.tables.weights, whole.tables.weights)


def test_learning_is_the_same_without_the_compiler() -> None:
    program = (
        "from tests.train.test_afterstate import played; import hashlib;"
        "weights = played(3, games=2)[0].tables.weights;"
        "print(hashlib.sha256(weights.tobytes()).hexdigest())"
    )
    hashes = {
        subprocess.run(
            [sys.executable, "-W", "error::RuntimeWarning", "-c", program],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    }
    assert len(hashes) == 1


def test_a_second_of_learning_is_enough_to_beat_the_greedy_player() -> None:
    settings = Hyperparameters(gamma=0.995, latest_start=2500)
    one = AfterstateTD(PatchworkEngine(64), settings, 0, 3000)
    one.play(1500, 0.5, Tally())
    score, greedys = (
        evaluate(agent, "patchwork", range(60), max_episode_steps=1500).mean_score
        for agent in (GAME.player(one.value), PatchworkGreedy())
    )
    assert score > 1.1 * greedys


def test_another_game_is_learned_by_the_same_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AFTERSTATE_GAMES, garland_table.NAME, garland_table.PLACE)
    engine = find_game(garland_table.ENV).make_engine(40, **garland_table.SETTINGS)
    one = AfterstateTD(engine, Hyperparameters(gamma=1.0), 0, 30)
    one.play(600, 0.5, Tally())
    learned, judge = (
        evaluate(agent, garland_table.ENV, range(60), settings=garland_table.SETTINGS)
        for agent in (one.game.player(one.value), make_agent("sunpleat-solver"))
    )
    assert (learned.scores, learned.lengths) == (judge.scores, judge.lengths)


def test_a_game_that_adds_no_after_states_is_refused() -> None:
    with pytest.raises(OptionError, match="after-states can be learned of patchwork"):
        find_afterstates(find_game("tinrail").make_engine(1))


def test_a_beam_takes_a_learned_value() -> None:
    result = evaluate(
        PatchworkBeam(4, value(filled_tables().weights)), "patchwork", [1], max_episode_steps=30
    )
    assert result.refusals == 0


def test_the_shipped_value_is_found_by_name_and_plays_far_better_than_greedy() -> None:
    learned = make_agent("greedy", value="quiltrail.train.afterstate.patchwork:learned_value")
    score, greedys = (
        evaluate(agent, "patchwork", range(40), max_episode_steps=1500).mean_score
        for agent in (learned, PatchworkGreedy())
    )
    assert score > 1.5 * greedys
