"""Patchrook's players: each recovers in its own way, and always ends."""

from __future__ import annotations

import numpy as np
import pytest

from quiltrail.agents import Agent, RandomLegal, make_agent
from quiltrail.agents.patchrook import LiftWhenStuck, PatchrookSolver, RestartWhenStuck
from quiltrail.core.errors import OptionError
from quiltrail.envs.patchrook.engine import PatchrookEngine
from quiltrail.envs.patchrook.rules import BANK, LIFT, NEXT, RESTART
from quiltrail.envs.patchrook.shapes import SHAPE_NAMES
from quiltrail.envs.sunpleat.engine import SunpleatEngine
from tests.envs.patchrook_player import engine_at


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
