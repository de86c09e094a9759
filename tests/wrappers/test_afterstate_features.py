"""AfterstateFeatures: what each action leads to, compared with playing it."""

from __future__ import annotations

import warnings

import gymnasium as gym
import numpy as np
import pytest

from quiltrail.agents.tinrail import EasyBot
from quiltrail.core.errors import OptionError
from quiltrail.envs.tinrail.afterstates import DRAWS, GOES_ON, LOSES, WINS
from quiltrail.envs.tinrail.engine import TinrailEngine
from quiltrail.envs.tinrail.env import TinrailEnv, TinrailVectorEnv
from quiltrail.envs.tinrail.rails import neighbour
from quiltrail.envs.tinrail.tracks import walk
from quiltrail.train.vec_env import EngineVecEnv
from quiltrail.wrappers import AfterstateFeatures, apply_transforms

ADDED = ("after_outcome", "after_engines", "after_exits")


def features(engine: TinrailEngine) -> dict[str, np.ndarray]:
    transform = AfterstateFeatures()
    transform.bind(engine)
    return transform.observations(engine, engine.observation)


def place_of(notch: int, seat: int) -> list[int]:
    """Return the marks of a notch as `engines` has them, turned by hand for the second seat."""
    if notch < 0:
        return []
    cell, port = divmod(notch, 8)
    return [35 - cell, 36 + (port + 4) % 8] if seat else [cell, 36 + port]


def exits_of(table: np.ndarray, notch: int, seat: int) -> list[int]:
    """Return the ports by which an engine can ride on, found by walking the rails."""
    if notch < 0:
        return []
    cell, own = divmod(notch, 8)
    ways = []
    for port in range(8):
        beyond = neighbour(cell, port)
        if port != own and beyond >= 0 and walk(table, beyond).end >= 0:
            ways.append((port + 4 * seat) % 8)
    return sorted(ways)


def outcome_of(result: int, seat: int) -> int:
    return {0: GOES_ON, 1 + seat: WINS, 3: DRAWS}.get(result, LOSES)


def test_every_row_is_what_playing_the_action_brings_about() -> None:
    engine, agent = TinrailEngine(12), EasyBot(both_seats=True)
    engine.reset(np.arange(12), np.arange(450, 462, dtype=np.uint64))
    outcomes = set()
    while not engine.terminated.all():
        seen = features(engine)
        for row in np.flatnonzero(~engine.terminated)[::3]:
            seat = int(engine.state["to_move"][row])
            legal = engine.legal_indices(row)
            branch = engine.branch(np.full(len(legal), row))
            branch.step(np.array(legal))
            for action, game in zip(legal, branch.state, strict=True):
                outcome = np.flatnonzero(seen["after_outcome"][row, action]).tolist()
                assert outcome == [outcome_of(int(game["result"]), seat)]
                outcomes.add(outcome[0])
                for who, notch in enumerate((game["notches"][seat], game["notches"][1 - seat])):
                    place = seen["after_engines"][row, action, 44 * who : 44 * who + 44]
                    assert np.flatnonzero(place).tolist() == place_of(int(notch), seat)
                    exits = seen["after_exits"][row, action, 8 * who : 8 * who + 8]
                    expected = exits_of(game["table"], int(notch), seat)
                    assert np.flatnonzero(exits).tolist() == expected
            for action in set(range(12)) - set(legal):
                assert not any(seen[name][row, action].any() for name in ADDED)
        engine.step(agent.act(engine))
    assert outcomes == {GOES_ON, WINS, LOSES, DRAWS}
    assert not any(features(engine)[name].any() for name in ADDED)


def test_looking_ahead_changes_nothing() -> None:
    engine = TinrailEngine(8)
    engine.reset(np.arange(8), np.arange(8, dtype=np.uint64))
    for _ in range(6):
        state, ends = engine.state.copy(), engine.derived["ends"].copy()
        features(engine)
        assert (engine.state == state).all()
        assert (engine.derived["ends"] == ends).all()
        engine.step(EasyBot(both_seats=True).act(engine))


def test_it_fits_single_vector_and_sb3_faces_alike() -> None:
    single = apply_transforms(gym.make("quiltrail/Tinrail-v0", seat="random"), AfterstateFeatures())
    vector = apply_transforms(TinrailVectorEnv(3, seat="random"), AfterstateFeatures())
    sb3 = EngineVecEnv("tinrail", 3, seat="random", transforms=[AfterstateFeatures()])
    sb3.seed(5)
    faces = [vector.reset(seed=5)[0], sb3.reset()]
    for row in range(3):
        observation, _ = single.reset(seed=5 + row)
        assert single.observation_space.contains(observation)
        for face in faces:
            for name, values in observation.items():
                np.testing.assert_array_equal(values, face[name][row])
    actions = np.array([np.flatnonzero(mask)[0] for mask in vector.action_masks()])
    stepped, *_ = vector.step(actions)
    also, *_ = sb3.step(actions)
    single.reset(seed=5)
    alone, *_ = single.step(int(actions[0]))
    for name, values in alone.items():
        np.testing.assert_array_equal(values, stepped[name][0])
        np.testing.assert_array_equal(also[name][1], stepped[name][1])


def test_alone_it_leaves_out_what_needs_tracing() -> None:
    env = apply_transforms(TinrailEnv(), AfterstateFeatures(alone=True))
    observation, _ = env.reset(seed=0)
    assert set(observation) == {*ADDED, "engines", "opponent_hand", "rides", "seat"}
    assert env.observation_space.contains(observation)


def test_checkers_find_nothing_but_shapes() -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        checker.check_env(apply_transforms(TinrailEnv(), AfterstateFeatures()))
    assert all("unconventional shape" in str(one.message) for one in caught)


def test_it_fits_no_other_game() -> None:
    with pytest.raises(OptionError, match="sunpleat"):
        apply_transforms(gym.make("quiltrail/Sunpleat-v0"), AfterstateFeatures())
