"""Players that every game shares, and the Sunpleat solver."""

from __future__ import annotations

import numpy as np
import pytest

from quiltrail.agents import AGENTS, RandomLegal, make_agent
from quiltrail.agents.sunpleat import SunpleatSolver
from quiltrail.core.errors import InvalidSeedError, OptionError, UnknownNameError
from quiltrail.envs import GAMES, GameSpec, find_game
from tests.each import each_game


@each_game
def test_random_play_is_legal_seeded_and_independent_of_the_batch(spec: GameSpec) -> None:
    many, one = spec.make_engine(5), spec.make_engine(1)
    seeds = np.arange(10, 15, dtype=np.uint64)
    many.reset(np.arange(5), seeds)
    one.reset(np.array([0]), seeds[3:4])
    crowd, single = RandomLegal(100), RandomLegal(103)
    for _ in range(60):
        actions = crowd.act(many)
        running = ~many.terminated
        assert all(many.mask[row, actions[row]] for row in np.flatnonzero(running))
        assert actions[3] == single.act(one)[0]
        many.step(actions)
        one.step(actions[3:4])
        assert (many.refusal[running] == 0).all()


def test_random_play_is_uniform_over_the_legal_list() -> None:
    engine = find_game("sunpleat").make_engine(20_000)
    counts = np.bincount(RandomLegal(1).act(engine), minlength=9)
    expected = 20_000 / 5  # three flips, restart, bank
    assert counts[[3, 4, 5, 6]].sum() == 0
    assert (np.abs(counts[[0, 1, 2, 7, 8]] - expected) < 5 * np.sqrt(expected)).all()


def test_forbidden_actions_are_taken_only_when_nothing_else_is_legal() -> None:
    engine = find_game("sunpleat").make_engine(200)
    player = RandomLegal(1, forbid=(7, 8))
    assert set(player.act(engine).tolist()) == {0, 1, 2}
    engine.step(np.ones(200, np.int64))  # board 1 cleared: next or bank
    assert set(RandomLegal(1, forbid=(5, 8)).act(engine).tolist()) == {5, 8}


def test_agents_are_found_by_name_and_refuse_what_does_not_fit() -> None:
    for name in AGENTS:
        assert make_agent(name)
    with pytest.raises(UnknownNameError, match="sunpleat-solver"):
        make_agent("sunpleat-solve")
    with pytest.raises(OptionError, match="mood"):
        make_agent("random", mood="bold")
    with pytest.raises(InvalidSeedError):
        make_agent("random", seed=1.5)
    other = next(spec for spec in GAMES if spec.name != "Sunpleat")
    with pytest.raises(OptionError, match="sunpleat"):
        SunpleatSolver().act(other.make_engine(1))
