"""Every id as a single environment: the ecosystem's checkers and our own contract."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import quiltrail
from quiltrail.core.errors import (
    ActionTypeError,
    IllegalActionError,
    InvalidSeedError,
    OptionError,
    ResetNeededError,
    StateError,
    UnknownNameError,
)
from quiltrail.envs import GAMES, GameSpec, find_game
from quiltrail.testing import (
    assert_same,
    check_determinism,
    check_masks,
    check_snapshots,
    play,
    random_action,
    trajectory_digest,
)
from tests.each import each_id


def legal_action(env: gym.Env[Any, Any], rng: np.random.Generator) -> int:
    """Return a random legal action; now and then any action at all."""
    return random_action(env, {"action_mask": env.unwrapped.action_masks()}, rng)


@each_id
def test_gymnasiums_checker_finds_nothing(env_id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(env_id).unwrapped)


@each_id
def test_sb3s_checker_finds_nothing_but_shapes(env_id: str) -> None:
    env_checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        env_checker.check_env(gym.make(env_id))
    assert all("unconventional shape" in str(one.message) for one in caught), [
        str(one.message) for one in caught
    ]


@each_id
def test_all_ways_to_make_it_work(env_id: str) -> None:
    for name in (env_id, f"quiltrail:{env_id}"):
        env = gym.make(name)
        assert gym.spec(env_id).to_json()
        assert env.spec is not None
        assert env.spec.max_episode_steps == find_game(env_id).max_episode_steps


def test_registering_again_changes_nothing() -> None:
    before = dict(gym.registry)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quiltrail.register_envs()
    assert before == gym.registry


@each_id
def test_seed_and_actions_decide_everything_and_returned_arrays_are_fresh(env_id: str) -> None:
    check_determinism(gym.make(env_id))


@each_id
def test_two_environments_with_one_seed_say_the_same(env_id: str) -> None:
    assert trajectory_digest(gym.make(env_id), 11) == trajectory_digest(gym.make(env_id), 11)


@each_id
def test_next_games_follow_the_published_stream(env_id: str) -> None:
    from tests.reference.mulberry32 import Mulberry32

    env = gym.make(env_id).unwrapped
    stream = Mulberry32(7 ^ 0x51ED2701)
    seeds = [env.reset(seed=7)[1]["game_seed"]]
    seeds += [env.reset()[1]["game_seed"] for _ in range(3)]
    assert seeds == [7, *(stream.next_uint32() for _ in range(3))]


@each_id
def test_seeds_are_taken_modulo_2_to_the_32_and_zero_is_a_seed(env_id: str) -> None:
    env = gym.make(env_id).unwrapped
    for seed, taken in ((0, 0), (-1, 2**32 - 1), (2**32 + 7, 7)):
        assert env.reset(seed=seed)[1]["game_seed"] == taken


@each_id
def test_an_unseeded_environment_still_says_which_game_it_plays(env_id: str) -> None:
    env, again = gym.make(env_id).unwrapped, gym.make(env_id).unwrapped
    game_seed = env.reset()[1]["game_seed"]
    assert_same(
        env.reset(options={"game_seed": game_seed}), again.reset(options={"game_seed": game_seed})
    )


@each_id
@pytest.mark.parametrize("seed", [True, 1.5, "7", np.int64(3)])
def test_a_seed_of_the_wrong_type_is_refused(env_id: str, seed: Any) -> None:
    with pytest.raises(InvalidSeedError, match="Python int"):
        gym.make(env_id).unwrapped.reset(seed=seed)


@each_id
def test_an_unknown_reset_option_is_refused_and_nothing_changes(env_id: str) -> None:
    env = gym.make(env_id).unwrapped
    env.reset(seed=3)
    before = env.get_state()
    for options in ({"bord": 3}, {"game_seed": 1.0}, {"state": 5}):
        with pytest.raises((OptionError, InvalidSeedError, StateError)):
            env.reset(seed=4, options=options)
    assert env.get_state() == before


@each_id
def test_mask_list_and_codec_agree_along_random_play(env_id: str) -> None:
    check_masks(gym.make(env_id))


@each_id
def test_the_view_lists_the_legal_actions_and_none_after_the_end(env_id: str) -> None:
    env = gym.make(env_id)
    rng = np.random.default_rng(5)
    env.reset(seed=5)
    for _ in range(200):
        game = env.unwrapped
        assert game.view()["legalActions"] == game.legal_actions()
        _, _, terminated, truncated, info = env.step(legal_action(env, rng))
        if terminated:
            assert game.legal_actions() == game.view()["legalActions"] == []
            assert info["action_mask"].all()
        if terminated or truncated:
            env.reset()


@each_id
def test_rewards_sum_to_the_score_and_have_python_types(env_id: str) -> None:
    env = gym.make(env_id)
    rng = np.random.default_rng(8)
    for seed in range(5):
        _, info = env.reset(seed=seed)
        total, over = float(info["score"]), False
        while not over:
            observation, reward, terminated, truncated, info = env.step(legal_action(env, rng))
            assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
            assert env.observation_space.contains(observation)
            total += reward
            assert total == info["score"]
            over = terminated or truncated


@each_id
def test_a_refused_action_changes_nothing_but_the_code(env_id: str) -> None:
    env = gym.make(env_id).unwrapped
    rng = np.random.default_rng(3)
    observation, _ = env.reset(seed=3)
    for _ in range(60):
        illegal = np.flatnonzero(~env.action_masks()).tolist()
        for action in [*illegal[:3], -1, env.action_space.n, 10**30]:
            before, view = env.get_state(), env.view()
            again, reward, terminated, truncated, info = env.step(action)
            assert info["refusal"] > 0
            assert (reward, terminated, truncated) == (0.0, False, False)
            assert_same(again, observation)
            assert (env.get_state(), env.view()) == (before, view)
        observation, _, terminated, _, _ = env.step(legal_action(env, rng))
        if terminated:
            observation, _ = env.reset()


@each_id
def test_a_step_after_the_end_is_refused_as_run_ended(env_id: str) -> None:
    env = gym.make(env_id).unwrapped
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    terminated, steps = False, 0
    while not terminated and steps < 20_000:
        _, _, terminated, _, _ = env.step(legal_action(env, rng))
        steps += 1
    assert terminated, "random play ends this game"
    observation, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated, info["refusal"]) == (0.0, True, False, 6)
    assert env.observation_space.contains(observation)


@each_id
@pytest.mark.parametrize("action", [1.0, "0", None, True, [0, 1]])
def test_an_action_that_is_no_integer_is_an_error(env_id: str, action: Any) -> None:
    env = gym.make(env_id).unwrapped
    env.reset(seed=1)
    with pytest.raises(ActionTypeError, match="integer"):
        env.step(action)


@each_id
def test_refusals_raise_on_request_with_a_reason(env_id: str) -> None:
    env = gym.make(env_id, on_refusal="raise").unwrapped
    env.reset(seed=1)
    before = env.get_state()
    with pytest.raises(IllegalActionError, match="legal now"):
        env.step(env.action_space.n)
    assert env.get_state() == before


@each_id
def test_a_step_before_the_first_reset_is_an_error(env_id: str) -> None:
    with pytest.raises(ResetNeededError, match="reset"):
        gym.make(env_id).unwrapped.step(0)


@each_id
def test_a_copy_made_mid_game_continues_identically(env_id: str) -> None:
    check_snapshots(gym.make(env_id))


@each_id
def test_a_copy_made_after_drawing_a_picture_continues_identically(env_id: str) -> None:
    check_snapshots(gym.make(env_id, render_mode="rgb_array", render_size=64), steps=50)


@each_id
def test_a_game_goes_on_from_a_state_given_as_a_reset_option(env_id: str) -> None:
    env, twin = gym.make(env_id), gym.make(env_id)
    _, info = env.reset(seed=21)
    info = play(env, info, 25, np.random.default_rng(4))[-1][-1]
    _, again = twin.reset(seed=99, options={"state": env.unwrapped.get_state()})
    rng, mirror = np.random.default_rng(6), np.random.default_rng(6)
    for _ in range(100):
        said = env.step(random_action(env, info, rng))
        told = twin.step(random_action(twin, again, mirror))
        info, again = said[4], told[4]
        if said[2] or said[3] or told[3]:  # the state brings the game, not the time limit
            break
        assert_same(said, told)


@each_id
def test_a_state_with_an_unknown_or_missing_field_is_refused(env_id: str) -> None:
    env = gym.make(env_id).unwrapped
    env.reset(seed=2)
    state = env.get_state()
    for wrong in ({**state, "skore": 1}, {k: v for k, v in state.items() if k != "seed"}, [], 3):
        with pytest.raises(StateError):
            env.set_state(wrong)
    for extra in ({"stream": [1]}, {"stream": [-1, 0]}, {"elapsed": -1}):
        with pytest.raises(StateError, match=next(iter(extra))):
            env.set_state({**state, **extra})
    assert env.get_state() == state


@each_id
def test_the_time_limit_truncates_exactly_then(env_id: str) -> None:
    env = gym.make(env_id, max_episode_steps=7)
    for seed in (0, 1):
        env.reset(seed=seed)
        for step in range(1, 8):
            _, _, terminated, truncated, info = env.step(-1)
            assert truncated == (step == 7)
            assert not terminated
        assert not info["action_mask"].all() or env.unwrapped.action_masks().all()


@each_id
def test_text_rendering_shows_every_position_and_needs_no_mode_before(env_id: str) -> None:
    env = gym.make(env_id, render_mode="ansi")
    env.reset(seed=4)
    for _ in range(30):
        assert env.render().endswith("\n")
        _, _, terminated, truncated, _ = env.step(legal_action(env, np.random.default_rng(1)))
        if terminated or truncated:
            assert env.render().endswith("\n")
            env.reset()
    assert gym.make(env_id).unwrapped.render() is None
    env_class = type(env.unwrapped)
    with pytest.raises(OptionError, match="render_mode"):
        env_class(render_mode="hologram")


@pytest.mark.parametrize("spec", GAMES, ids=lambda spec: spec.id)
def test_the_env_page_has_the_fields_sections_in_order(spec: GameSpec) -> None:
    page = type(gym.make(spec.id).unwrapped).__doc__ or ""
    sections = [
        "## Description",
        "## Action Space",
        "## Observation Space",
        "## Starting State",
        "## Rewards",
        "## Episode End",
        "## Information",
        "## Arguments",
        "## Version History",
    ]
    places = [page.find(section) for section in sections]
    assert -1 not in places
    assert places == sorted(places)
    for name, space in gym.make(spec.id).observation_space.spaces.items():
        assert f"| `{name}` | {space.shape}" in page.replace("(1)", "(1,)"), f"{name} {space.shape}"


def test_an_unknown_id_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="quiltrail/Sunpleat-v0"):
        find_game("quiltrail/Sunpleet-v0")
