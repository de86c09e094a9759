"""Players that every game shares, and the Sunpleat solver."""

from __future__ import annotations

import numpy as np
import pytest

from quiltrail.agents import AGENTS, RandomLegal, make_agent
from quiltrail.agents.sunpleat import SunpleatSolver
from quiltrail.core.errors import InvalidSeedError, OptionError, UnknownNameError
from quiltrail.envs import GAMES, GameSpec, find_game
from quiltrail.envs.sunpleat.par import best_flips, distance_between, distance_table, distances

DIAMETERS = {1: 1, 2: 4, 3: 6, 4: 8, 5: 10, 6: 12}


@pytest.mark.parametrize("spec", GAMES, ids=lambda spec: spec.name)
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


@pytest.mark.parametrize(("n", "diameter"), DIAMETERS.items())
def test_distance_tables_have_the_published_diameters(n: int, diameter: int) -> None:
    assert distance_table(n).max() == diameter


@pytest.mark.slow
@pytest.mark.parametrize(("n", "diameter"), [(7, 14), (8, 15)])
def test_large_distance_tables_have_the_published_diameters(n: int, diameter: int) -> None:
    assert distance_table(n).max() == diameter


def test_the_distances_of_five_pennants_are_distributed_as_published() -> None:
    counts = np.bincount(distance_table(5))
    assert counts.tolist() == [1, 5, 20, 80, 280, 680, 1214, 1127, 389, 40, 4]


@pytest.mark.parametrize("n", [0, 9, -1])
def test_a_table_of_another_size_is_refused(n: int) -> None:
    with pytest.raises(OptionError, match="1 to 8"):
        distance_table(n)


def test_the_best_flip_always_comes_one_nearer() -> None:
    rng = np.random.default_rng(2)
    garlands = np.array([rng.permutation(5) + 1 for _ in range(500)], np.int8)
    garlands *= rng.choice(np.array([-1, 1], np.int8), garlands.shape)
    lengths = np.full(500, 5)
    before, flips = distances(garlands, lengths), best_flips(garlands, lengths)
    for garland, count in zip(garlands, flips.tolist(), strict=True):
        garland[:count] = -garland[:count][::-1]
    after = distances(garlands, lengths)
    moving = before > 0
    assert (after[moving] == before[moving] - 1).all()


def test_distance_is_symmetric_and_zero_at_home() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        one, other = (
            ((rng.permutation(4) + 1) * rng.choice([-1, 1], 4)).astype(np.int8) for _ in range(2)
        )
        assert distance_between(one, other) == distance_between(other, one)
        assert distance_between(one, one) == 0


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
