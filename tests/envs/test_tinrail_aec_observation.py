"""What each agent of Tinrail's turn-by-turn form sees, and when."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from quiltrail.envs import tinrail_v0
from quiltrail.envs.tinrail import flat
from quiltrail.envs.tinrail.engine import TinrailEngine
from tests.envs.tinrail_matches import FIRST, SECOND, choose, copies, play_match


def test_spaces_are_the_same_objects_and_hold_every_observation() -> None:
    env = tinrail_v0.env()
    rng = np.random.default_rng(1)
    spaces = {agent: env.observation_space(agent) for agent in (FIRST, SECOND)}
    for seed in range(10):
        env.reset(seed=seed)
        while env.agents:
            for agent in (FIRST, SECOND):
                assert env.observation_space(agent) is spaces[agent]
                assert env.action_space(agent) is env.action_space(agent)
                assert spaces[agent].contains(env.observe(agent))
            over = env.terminations[env.agent_selection]
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(None if over else choose(mask, rng))


def test_an_agent_can_be_observed_at_any_time_and_waits_with_an_empty_mask() -> None:
    env = tinrail_v0.raw_env()
    env.reset(seed=3)
    assert env.observe(FIRST)["action_mask"].all()
    assert not env.observe(SECOND)["action_mask"].any()
    rng = np.random.default_rng(3)
    play_match(env, rng)
    assert env.agents == []
    for agent in (FIRST, SECOND):
        observation = env.observe(agent)
        assert observation["action_mask"].all()
        assert env.observation_space(agent).contains(observation)


def test_observations_are_fresh_arrays() -> None:
    env = tinrail_v0.raw_env()
    env.reset(seed=3)
    first = env.observe(FIRST)
    kept = copy.deepcopy(first)
    env.step(0)
    again = env.observe(FIRST)
    for name, array in first.items():
        assert (array == kept[name]).all()
        assert not np.shares_memory(array, again[name])


def test_each_agent_sees_its_own_side_and_never_the_hidden_tiles() -> None:
    env = tinrail_v0.raw_env()
    rng = np.random.default_rng(8)
    for seed in range(6):
        env.reset(seed=seed)
        while not env.terminations[FIRST]:
            for seat, agent in enumerate((FIRST, SECOND)):
                view = env.view(agent)
                seen = flat.split(env.observe(agent)["observation"])
                assert seen["seat"].argmax() == seat
                assert (seen["hand"] != 0).all(axis=1).sum() == 4 * len(view["hand"])
                assert seen["unseen"].sum() == 35 - view["tilesPlaced"] - len(view["hand"])
                assert bool(view["legalActions"]) == (agent == env.agent_selection)
            mover = env.agent_selection
            assert env.view() == env.view(mover)
            env.step(choose(env.observe(mover)["action_mask"], rng))
        assert env.view(FIRST)["hand"] == env.view(SECOND)["legalActions"] == []


def test_the_vector_is_the_named_fields_of_the_engine_in_order() -> None:
    env = tinrail_v0.raw_env()
    env.reset(seed=2)
    engine = TinrailEngine(1)
    engine.reset(np.array([0]), np.array([2], np.uint64))
    fields = flat.split(env.observe(FIRST)["observation"])
    assert list(fields) == list(engine.observation)
    for name, values in engine.observation.items():
        np.testing.assert_array_equal(fields[name], values[0])
    assert sum(place.stop - place.start for place in flat.PLACES.values()) == len(flat.LOW)


def test_pictures_and_text_show_the_match() -> None:
    env = tinrail_v0.raw_env(render_mode="rgb_array", render_size=96, theme="dark")
    env.reset(seed=0)
    assert env.render().shape == (96, 96, 3)
    env = tinrail_v0.raw_env(render_mode="ansi")
    env.reset(seed=0)
    assert "first player to move" in env.render()
    assert tinrail_v0.raw_env().render() is None


def test_human_mode_opens_a_window_and_survives_copying(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = tinrail_v0.raw_env(render_mode="human", render_size=64)
    env.metadata["render_fps"], old = 1000, env.metadata["render_fps"]
    try:
        env.reset(seed=0)
        env.step(0)
        assert pygame.display.get_surface().get_size() == (64, 64)
        for twin in copies(env):
            assert twin.view() == env.view()
        assert env.render() is None
    finally:
        env.metadata["render_fps"] = old
        env.close()
    assert pygame.display.get_surface() is None
