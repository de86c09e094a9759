"""Expectimax for Patchwork: the mean over sampled deals decides among whole trays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from quiltrail.agents import make_agent
from quiltrail.agents.patchwork import PatchworkBeam, search
from quiltrail.agents.patchwork_expectimax import PatchworkExpectimax
from quiltrail.agents.patchwork_search import expand, greedy_value, root_nodes
from quiltrail.core.errors import OptionError
from quiltrail.envs.patchwork.deal import deal
from quiltrail.envs.patchwork.engine import PatchworkEngine
from quiltrail.envs.patchwork.rules import NUM_SLOTS
from quiltrail.train.evaluate import evaluate
from tests.envs.patchwork_player import games


def agent(**settings: Any) -> PatchworkExpectimax:
    return PatchworkExpectimax(**{"width": 6, "candidates": 3, "deals": 4, **settings})


def played_worth(at: PatchworkEngine, end: Any, cursor: int, leaf_width: int) -> float:
    """Return what a deal at a position is worth, by playing it in an engine."""
    game = at.branch(np.array([0]))
    record = game.state[0]
    for name in ("quilt", "streak", "sewn"):
        record[name] = end[name]
    record["cursor"] = cursor
    deal(record)
    game.restore(np.array([0]), [record])
    points = 0.0
    plan = PatchworkBeam(leaf_width).plan(game, np.array([0]))[0]
    for node in plan[plan["action"] >= 0]:
        nodes, _ = expand(root_nodes(game.state, np.array([0])), np.array([0, 1]))
        behind = nodes[nodes["action"] == node["action"]]
        game.step(np.array([int(node["action"])]))
        points += float(game.reward[0])
    return points + float(greedy_value(behind)[0])


@pytest.mark.parametrize("leaf_width", [1, 3])
def test_the_mean_over_imagined_deals_decides(leaf_width: int) -> None:
    one, engine = agent(leaf_width=leaf_width), games(6, steps=3)
    rows = np.flatnonzero((engine.state["tray"] >= 0).all(axis=1) & ~engine.terminated)
    for row in rows[:3].tolist():
        only = np.array([row])
        layers = search(root_nodes(engine.state, only), (6, 6, 3), greedy_value)
        ends = layers.nodes[NUM_SLOTS]
        cursors = one._cursors(engine.state[only])[0]
        worth = [
            end["points"]
            + np.mean([played_worth(engine, end, int(c), leaf_width) for c in cursors])
            for end in ends
        ]
        best = ends[int(np.argmax(worth))]
        trial = engine.branch(only)
        for node in one.plan(engine, only)[0]:
            np.testing.assert_array_equal(trial.state["quilt"][0], node["quilt"])
            last = int(node["action"])
            trial.step(np.array([last]))
        assert last == best["action"]
        assert trial.score[0] - engine.score[row] == best["points"]


def test_one_candidate_is_what_the_beam_plays() -> None:
    engine, rows = games(20), np.arange(20)
    expected = PatchworkBeam(6).plan(engine, rows)["action"]
    found = agent(candidates=1).plan(engine, rows)["action"]
    np.testing.assert_array_equal(found, expected)


def test_it_imagines_deals_and_never_sees_the_next() -> None:
    engine = games(12)
    other = engine.copy()
    other.state["cursor"] += np.uint32(77)
    np.testing.assert_array_equal(agent().act(engine), agent().act(other))
    cursors = agent(deals=50)._cursors(engine.state)
    assert cursors.shape == (12, 50)
    assert len(np.unique(cursors)) > 590
    assert not set(cursors.ravel().tolist()) & set(engine.state["cursor"].tolist())


def test_other_deals_are_imagined_at_every_turn() -> None:
    engine = games(4)
    before = agent()._cursors(engine.state)
    engine.step(agent().act(engine))
    assert not set(before.ravel().tolist()) & set(agent()._cursors(engine.state).ravel().tolist())


def value_of_room(nodes: Any) -> NDArray[np.float64]:
    """Value every empty square at a point."""
    filled = [sum(int(word).bit_count() for word in node["quilt"]) for node in nodes]
    return -np.array(filled, np.float64)


def test_it_takes_a_value_and_plays_whole_games() -> None:
    named = make_agent("expectimax", width=3, deals=2, value=f"{__name__}:value_of_room")
    result = evaluate(named, "patchwork", range(3), max_episode_steps=31)
    assert result.refusals == 0


@pytest.mark.parametrize("name", ["width", "candidates", "deals", "leaf_width"])
@pytest.mark.parametrize("count", [0, True, 2.0, None])
def test_its_counts_are_ints_of_at_least_1(name: str, count: Any) -> None:
    with pytest.raises(OptionError, match="an int of at least 1"):
        agent(**{name: count})
