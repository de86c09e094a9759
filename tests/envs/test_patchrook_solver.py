"""Patchrook's solver: exact covers, and the shortest way to a clear from every position."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from quiltrail.agents import RandomLegal
from quiltrail.envs.patchrook.engine import PatchrookEngine
from quiltrail.envs.patchrook.rules import BANK, IN_TRAY, NEXT, RESTART
from quiltrail.envs.patchrook.solver import (
    actions_to_clear,
    all_covers,
    best_actions,
    first_covers,
    solvable,
)
from tests.envs.patchrook_player import engine_at
from tests.reference.patchrook import PatchrookReference

Position = tuple[int, ...]


@pytest.mark.parametrize(
    ("quilt", "covers"), [(1, 16), (2, 16), (3, 16), (4, 24), (5, 24), (6, 16), (7, 8), (8, 14)]
)
def test_each_template_has_its_published_number_of_covers(quilt: int, covers: int) -> None:
    for seed in range(3):
        found = all_covers(engine_at(quilt, seed=seed), 0)
        assert len(found) == len({tuple(one) for one in found.tolist()}) == covers


@pytest.mark.parametrize("quilt", [1, 3, 5, 8])
def test_the_covers_are_those_of_the_reference(quilt: int) -> None:
    reference = PatchrookReference(11, quilt)
    found = {
        tuple(200 * patch + place for patch, place in enumerate(cover) if place != IN_TRAY)
        for cover in all_covers(engine_at(quilt, seed=11), 0).tolist()
    }
    assert found == {
        tuple(sorted(PatchrookReference.encode(action) for action in cover))
        for cover in reference.covers()
    }


@pytest.mark.parametrize("quilt", [1, 2, 6, 8])
def test_laying_a_first_cover_clears_the_quilt(quilt: int) -> None:
    engine = engine_at(quilt, 8)
    for patch, places in enumerate(first_covers(engine).T):
        if places[0] != IN_TRAY:
            engine.step(200 * patch + places.astype(np.int64))
    assert (engine.state["phase"] == 1).all()


def explore(engine: PatchrookEngine) -> tuple[PatchrookEngine, dict[Position, set[Position]]]:
    """Return every position of row 0's quilt in a batch, and where its actions lead."""
    start: Position = tuple(engine.state["placed"][0].tolist())
    ways: dict[Position, set[Position]] = {start: set()}
    found = frontier = engine
    while True:
        masks = frontier.mask != 0
        masks[:, [NEXT, BANK]] = False
        rows, played = np.nonzero(masks)
        after = frontier.branch(rows)
        after.step(played)
        fresh = []
        for at, (row, place) in enumerate(zip(rows, after.state["placed"].tolist(), strict=True)):
            ways[tuple(frontier.state["placed"][row].tolist())].add(tuple(place))
            if tuple(place) not in ways:
                ways[tuple(place)] = set()
                fresh.append(at)
        if not fresh:
            break
        frontier = after.branch(np.array(fresh))
        found = joined(found, frontier)
    return found, ways


def joined(first: PatchrookEngine, second: PatchrookEngine) -> PatchrookEngine:
    both = PatchrookEngine(first.num_games + second.num_games)
    both.restore(np.arange(both.num_games), [*first.state, *second.state])
    return both


def distances(ways: dict[Position, set[Position]], goals: set[Position]) -> dict[Position, int]:
    """Return for each position the fewest actions to a goal, by searching backwards."""
    back: dict[Position, list[Position]] = {position: [] for position in ways}
    for position, others in ways.items():
        for other in others:
            back[other].append(position)
    found = dict.fromkeys(goals, 0)
    queue = deque(goals)
    while queue:
        position = queue.popleft()
        for before in back[position]:
            if before not in found:
                found[before] = found[position] + 1
                queue.append(before)
    return found


@pytest.mark.parametrize(("quilt", "count"), [(1, 163), (2, 1514), (3, 1817)])
def test_the_way_to_a_clear_is_exact_in_every_position(quilt: int, count: int) -> None:
    everything, ways = explore(engine_at(quilt))
    positions = [tuple(place) for place in everything.state["placed"].tolist()]
    assert len(positions) == len(set(positions)) == count
    is_cleared = everything.state["phase"] == 1
    goals = {position for position, done in zip(positions, is_cleared, strict=True) if done}
    exact = distances(ways, goals)
    assert actions_to_clear(everything).tolist() == [exact[position] for position in positions]
    unlaid = (everything.state["placed"][:, : everything.state["num_patches"][0]] == IN_TRAY).sum(1)
    assert (solvable(everything) == (actions_to_clear(everything) == unlaid)).all()
    before = actions_to_clear(everything)
    everything.step(best_actions(everything))
    assert (everything.refusal == 0).all()
    went_on = np.where(is_cleared, everything.state["quilt"] == quilt + 1, True)
    assert went_on.all()
    assert (actions_to_clear(everything)[~is_cleared] == before[~is_cleared] - 1).all()


@pytest.mark.parametrize("quilt", [5, 7, 8])
def test_shortest_ways_from_random_positions_are_as_long_as_told(quilt: int) -> None:
    engine, wander = engine_at(quilt, 256), RandomLegal(1, forbid=(BANK, RESTART))
    for _ in range(30):
        engine.step(wander.act(engine))
    left = actions_to_clear(engine)
    assert len(set(left.tolist())) >= 3
    for _ in range(int(left.max())):
        engine.step(np.where(engine.state["phase"] == 1, -1, best_actions(engine)))
        left = np.maximum(left - 1, 0)
        assert actions_to_clear(engine).tolist() == left.tolist()
    assert (engine.state["phase"] == 1).all()


def test_nothing_can_be_cleared_after_the_end() -> None:
    engine = engine_at(1)
    engine.step(np.array([BANK]))
    assert actions_to_clear(engine).tolist() == [0]
    assert best_actions(engine).tolist() == [0]
    assert not solvable(engine).any()


def test_a_position_without_a_cover_has_no_first_cover() -> None:
    engine = engine_at(1)
    place = {"type": "place", "patchId": "A", "orientation": 1, "x": 0, "y": 1}
    assert engine.submit(0, place).accepted
    assert (first_covers(engine) == IN_TRAY).all()
    assert len(all_covers(engine, 0)) == 0
