"""Patchrook's solver and players: exact counts, shortest ways, and players that always end."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from quiltrail.agents import Agent, RandomLegal, make_agent
from quiltrail.agents.patchrook import LiftWhenStuck, PatchrookSolver, RestartWhenStuck
from quiltrail.core.errors import OptionError
from quiltrail.envs.patchrook.engine import PatchrookEngine
from quiltrail.envs.patchrook.rules import BANK, IN_TRAY, LIFT, NEXT, RESTART
from quiltrail.envs.patchrook.shapes import SHAPE_NAMES
from quiltrail.envs.patchrook.solver import (
    actions_to_clear,
    all_covers,
    best_actions,
    first_covers,
    solvable,
)
from quiltrail.envs.sunpleat.engine import SunpleatEngine
from tests.reference.patchrook import PatchrookReference

Position = tuple[int, ...]


def engine_at(quilt: int, num_games: int = 1, seed: int = 0) -> PatchrookEngine:
    engine = PatchrookEngine(num_games)
    rows = np.arange(num_games)
    engine.reset(rows, (rows + seed).astype(np.uint64), quilt=np.full(num_games, quilt))
    return engine


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


def in_a_pocket(num_games: int) -> PatchrookEngine:
    """Return quilts in a pocket that lifting one patch whenever nothing fits never leaves.

    BBB..
    .BAAA
    CCCCD
    ..DDD    (the W of five squares is in the tray)
    """
    seed = next(seed for seed in range(100) if engine_at(4, seed=seed).state["width"][0] == 5)
    engine = engine_at(4, seed=seed)
    drawn = {
        "T4": [(0, 0), (1, 0), (2, 0), (1, 1)],
        "I3": [(2, 1), (3, 1), (4, 1)],
        "I4": [(0, 2), (1, 2), (2, 2), (3, 2)],
        "L4": [(4, 2), (2, 3), (3, 3), (4, 3)],
    }
    for label, patch in engine.view(0)["patches"].items():
        name = SHAPE_NAMES[engine.state["shape"][0]["ABCDE".index(label)]]
        if name in drawn:
            x, y = drawn[name][0]
            cells = sorted((cx - x, cy - y) for cx, cy in drawn[name])
            for orientation, turned in enumerate(patch["orientations"]):
                bx, by = turned[0]
                if sorted((cx - bx, cy - by) for cx, cy in turned) == cells:
                    place = {"orientation": orientation, "x": x, "y": y}
                    assert engine.submit(0, {"type": "place", "patchId": label, **place}).accepted
    return engine.branch(np.zeros(num_games, np.int64))


def steps_until_all_clear(engine: PatchrookEngine, agent: Agent, limit: int) -> int:
    quilt = engine.state["quilt"].copy()
    for step in range(limit):
        if (engine.state["quilt"] > quilt).all():
            return step
        engine.step(np.where(engine.state["quilt"] > quilt, -1, agent.act(engine)))
    return limit


def test_lifting_alone_never_leaves_the_pocket() -> None:
    pure = LiftWhenStuck(0, restart_one_in=2**40)
    engine = in_a_pocket(32)
    assert steps_until_all_clear(engine, pure, 2000) == 2000
    assert (engine.state["quilt"] == 4).all()


def test_lifting_with_restarts_always_ends() -> None:
    limit = 20_000
    assert steps_until_all_clear(in_a_pocket(32), LiftWhenStuck(0), limit) < limit


def test_players_place_while_they_can_and_recover_in_their_own_way() -> None:
    for player, ways_out in (
        (RestartWhenStuck(3), {RESTART}),
        (LiftWhenStuck(3), {RESTART, *range(LIFT, RESTART)}),
    ):
        engine = engine_at(4, 32)
        recovered = set()
        for _ in range(400):
            can_place = (engine.mask[:, :LIFT] != 0).any(axis=1)
            actions = player.act(engine)
            assert (engine.mask[np.arange(32), actions] != 0).all()
            playing = engine.state["phase"] == 0
            assert (actions[can_place] < LIFT).all()
            assert (actions[~playing] == NEXT).all()
            recovered |= set(actions[playing & ~can_place].tolist())
            engine.step(actions)
        assert recovered <= ways_out
        assert RESTART in recovered


def test_a_rows_play_does_not_depend_on_the_batch() -> None:
    wide, alone = engine_at(2, 5, seed=7), engine_at(2, 1, seed=9)
    players = LiftWhenStuck(7), LiftWhenStuck(9)
    for _ in range(200):
        wide.step(players[0].act(wide))
        alone.step(players[1].act(alone))
    assert wide.view(2) == alone.view(0)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("patchrook-solver", PatchrookSolver),
        ("patchrook-restart-when-stuck", RestartWhenStuck),
        ("patchrook-lift-when-stuck", LiftWhenStuck),
    ],
)
def test_players_have_names_and_refuse_other_games(name: str, kind: type[Agent]) -> None:
    player = make_agent(name)
    assert type(player) is kind
    with pytest.raises(OptionError, match="patchrook"):
        player.act(SunpleatEngine(1))


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "2"])
def test_restart_one_in_is_a_positive_int(value: object) -> None:
    with pytest.raises(OptionError, match="restart_one_in"):
        make_agent("patchrook-lift-when-stuck", restart_one_in=value)


def mean_score(player: Agent, episodes: int) -> float:
    engine = engine_at(1, episodes, seed=1)
    for _ in range(256):
        engine.step(player.act(engine))
    return float(engine.score.mean())


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("player", "expected"),
    [
        (RandomLegal(0, forbid=(BANK, RESTART)), 757),
        (RandomLegal(0, forbid=(BANK,)), 543),
        (RestartWhenStuck(0), 1055),
        (LiftWhenStuck(0), 1250),
    ],
)
def test_players_without_a_solver_earn_their_known_means(player: Agent, expected: float) -> None:
    assert mean_score(player, 4000) == pytest.approx(expected, abs=30)
