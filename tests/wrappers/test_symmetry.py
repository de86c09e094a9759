"""The eight views of Patchwork: the game is the same in each, and learners may use them all."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from numpy.typing import NDArray

from quiltrail.agents import RandomLegal
from quiltrail.core.errors import OptionError
from quiltrail.envs.patchwork.engine import PatchworkEngine
from quiltrail.envs.patchwork.rules import SHAPE_NAMES, USED
from quiltrail.envs.patchwork.symmetry import (
    ANCHOR_MAP,
    INVERSE_VIEWS,
    SHAPE_MAP,
    SQUARE_MAP,
    PatchworkSymmetry,
    shapes_in,
)
from quiltrail.envs.patchwork.tables import squares_as_words, words_as_squares
from quiltrail.envs.sunpleat.engine import SunpleatEngine
from quiltrail.train.vec_env import EngineVecEnv
from quiltrail.wrappers import (
    SymmetryViews,
    apply_transforms,
    augment,
    average_over_views,
    symmetry_of,
)

VIEWS = range(8)
SYMMETRY = PatchworkSymmetry()


def positions(count: int, steps: int, *, revive: bool = False) -> PatchworkEngine:
    """Return games in the middle, by random play; those that ended begin anew."""
    engine, agent = PatchworkEngine(count, revive=revive), RandomLegal(2)
    engine.reset(np.arange(count), np.arange(count, dtype=np.uint64))
    for step in range(steps):
        engine.step(agent.act(engine))
        ended = np.flatnonzero(engine.terminated)
        engine.reset(ended, ended.astype(np.uint64) + np.uint64(1000 * step))
    return engine


def in_view(engine: PatchworkEngine, view: int) -> PatchworkEngine:
    """Return copies of games with quilt, fabric and tray turned square by square."""
    other = engine.copy()
    for game in other.state:
        for words in (game["quilt"], *game["fabric"]):
            squares = [9 * row + col for row, col in words_as_squares(words)]
            turned = sorted(divmod(int(SQUARE_MAP[view, square]), 9) for square in squares)
            words[:] = squares_as_words(turned)
        game["tray"] = [
            USED if one == USED else SHAPE_MAP[view, one + 1] - 1 for one in game["tray"]
        ]
    other.restore(np.arange(other.num_games), list(other.state.copy()))
    return other


def _views(count: int, view: int) -> NDArray[np.int64]:
    return np.full(count, view, np.int64)


def test_view_1_is_a_quarter_turn_clockwise_and_view_4_a_flip() -> None:
    assert [int(SQUARE_MAP[view, 1]) for view in VIEWS] == [1, 17, 79, 63, 7, 71, 73, 9]
    names = {name: SHAPE_NAMES[SHAPE_MAP[1, n + 1] - 1] for n, name in enumerate(SHAPE_NAMES)}
    assert (names["I5h"], names["c3_nw"], names["C5_sw"]) == ("I5v", "c3_ne", "C5_nw")
    flipped = {name: SHAPE_NAMES[SHAPE_MAP[4, n + 1] - 1] for n, name in enumerate(SHAPE_NAMES)}
    assert (flipped["L0"], flipped["Sh"], flipped["T3"]) == ("J0", "Zh", "T1")


def test_the_views_form_a_group_of_eight_on_squares_shapes_and_anchors() -> None:
    assert len({tuple(one) for one in SQUARE_MAP}) == 8
    for first in VIEWS:
        for second in VIEWS:
            squares = SQUARE_MAP[second][SQUARE_MAP[first]]
            both = next(view for view in VIEWS if (SQUARE_MAP[view] == squares).all())
            assert (SHAPE_MAP[second][SHAPE_MAP[first]] == SHAPE_MAP[both]).all()
            for shape in range(38):
                image = SHAPE_MAP[first, shape]
                anchors = ANCHOR_MAP[second, image][ANCHOR_MAP[first, shape]]
                assert (anchors == ANCHOR_MAP[both, shape]).all()
        assert (SQUARE_MAP[INVERSE_VIEWS[first]][SQUARE_MAP[first]] == np.arange(81)).all()


@pytest.mark.parametrize("revive", [False, True])
@pytest.mark.parametrize("view", VIEWS)
def test_a_turned_game_is_seen_as_the_game_turned(view: int, revive: bool) -> None:
    engine = positions(64, 15, revive=revive)
    symmetry, views = symmetry_of(engine), _views(64, view)
    turned = in_view(engine, view)
    seen = symmetry.turn_observations(engine.observation, views)
    for name, values in turned.observation.items():
        np.testing.assert_array_equal(seen[name], values, err_msg=name)
    masks = symmetry.turn_action_values(engine.observation, engine.mask, views)
    np.testing.assert_array_equal(masks, turned.mask)


@pytest.mark.parametrize("view", VIEWS)
def test_turned_actions_do_in_the_turned_game_what_they_do_in_the_game(view: int) -> None:
    engine = positions(64, 10)
    views = _views(64, view)
    turned = in_view(engine, view)
    rng = np.random.default_rng(view)
    actions = rng.integers(243, size=64)  # refused ones too
    actions[::2] = RandomLegal(view).act(engine)[::2]
    images = SYMMETRY.turn_actions(engine.observation, actions, views)
    back = SYMMETRY.unturn_actions(engine.observation, images, views)
    np.testing.assert_array_equal(back, actions)
    left = (engine.state["tray"] != USED).sum(axis=1)
    engine.step(actions)
    turned.step(images)
    for name in ("reward", "refusal"):
        np.testing.assert_array_equal(getattr(turned, name), getattr(engine, name))
    for name in ("score", "streak", "sewn", "turn", "cursor"):
        np.testing.assert_array_equal(turned.state[name], engine.state[name])
    expected = in_view(engine, view)
    np.testing.assert_array_equal(turned.state["quilt"], expected.state["quilt"])
    same_set = (left > 1) | (engine.refusal > 0)  # a new deal is not turned
    np.testing.assert_array_equal(turned.state["tray"][same_set], expected.state["tray"][same_set])
    assert same_set.any()


def test_shapes_are_read_off_the_observed_tray() -> None:
    engine = positions(200, 7)
    np.testing.assert_array_equal(shapes_in(engine.observation["tray"]) - 1, engine.state["tray"])


def test_actions_outside_the_space_stay_outside() -> None:
    engine = positions(4, 0)
    outside = np.array([-1, 243, 2**62, -(2**62)])
    for turn in (SYMMETRY.turn_actions, SYMMETRY.unturn_actions):
        np.testing.assert_array_equal(turn(engine.observation, outside, np.arange(4)), outside)


def turned_env(view: str | int, **kwargs: Any) -> Any:
    return apply_transforms(gym.make("quiltrail/Patchwork-v0", **kwargs), SymmetryViews(view))


@pytest.mark.parametrize("view", VIEWS)
def test_playing_in_a_view_is_playing_the_game(view: int) -> None:
    plain, env = gym.make("quiltrail/Patchwork-v0"), turned_env(view)
    plain.reset(seed=3)
    _, info = env.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(60):
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        game = plain.unwrapped.engine
        meant = SYMMETRY.unturn_actions(game.observation, np.array([action]), _views(1, view))
        seen, reward, terminated, _, info = env.step(action)
        _, plain_reward, plain_terminated, _, plain_info = plain.step(int(meant[0]))
        assert (reward, terminated) == (plain_reward, plain_terminated)
        assert info["score"] == plain_info["score"]
        assert env.unwrapped.view() == plain.unwrapped.view()
        assert env.observation_space.contains(seen)
        np.testing.assert_array_equal(env.get_wrapper_attr("action_masks")(), info["action_mask"])
        if terminated:
            _, info = env.reset()
            plain.reset()


@pytest.mark.parametrize("view", ["random", "all", 6])
def test_row_i_of_a_vector_equals_a_single_environment(view: str | int) -> None:
    vector = apply_transforms(
        gym.make_vec("quiltrail/Patchwork-v0", num_envs=5), SymmetryViews(view)
    )
    singles = [turned_env(view) for _ in range(5)]
    seen, infos = vector.reset(seed=40)
    firsts = [env.reset(seed=40 + row) for row, env in enumerate(singles)]
    rng = np.random.default_rng(1)
    ended = np.zeros(5, bool)
    for row, (observation, _) in enumerate(firsts):
        np.testing.assert_array_equal(seen["quilt"][row], observation["quilt"])
        np.testing.assert_array_equal(seen["tray"][row], observation["tray"])
    for _ in range(80):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in infos["action_mask"]])
        seen, rewards, terminated, _, infos = vector.step(actions)
        for row, env in enumerate(singles):
            if ended[row]:
                observation, info = env.reset()
            else:
                observation, reward, _, _, info = env.step(actions[row])
                assert reward == rewards[row]
            np.testing.assert_array_equal(seen["quilt"][row], observation["quilt"])
            np.testing.assert_array_equal(seen["tray"][row], observation["tray"])
            np.testing.assert_array_equal(infos["action_mask"][row], info["action_mask"])
        ended = terminated


def _view_seen(env: Any, seen: dict[str, NDArray[Any]]) -> list[int]:
    """Return the views in which a fresh game may look like that."""
    game = {name: value[None] for name, value in env.unwrapped.engine.observation_of(0).items()}
    looks = [SYMMETRY.turn_observations(game, _views(1, view))["tray"][0] for view in VIEWS]
    return [view for view in VIEWS if (looks[view] == seen["tray"]).all()]


def test_all_takes_the_views_in_turn_and_random_takes_every_one() -> None:
    env = turned_env("all")
    for game in range(20):
        assert game % 8 in _view_seen(env, env.reset(seed=game)[0])
    env = turned_env("random")
    sure: set[int] = set()
    for game in range(300):
        views = _view_seen(env, env.reset(seed=game)[0])
        sure |= set(views) if len(views) == 1 else set()
    assert sure == set(VIEWS)


def test_the_sb3_door_takes_views() -> None:
    env = EngineVecEnv("quiltrail/Patchwork-v0", 6, transforms=[SymmetryViews("random")])
    env.seed(3)
    seen = env.reset()
    rng = np.random.default_rng(3)
    for _ in range(60):
        masks = np.stack(env.env_method("action_masks"))
        game = env.engine.observation
        assert not (seen["quilt"].sum(axis=(1, 2)) != game["quilt"].sum(axis=(1, 2))).any()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        seen, _, _, _ = env.step(actions)
    assert env.refusals == 0


@pytest.mark.parametrize("view", ["left", 8, -1, None, 1.0, True])
def test_a_view_that_does_not_exist_is_refused(view: Any) -> None:
    with pytest.raises(OptionError, match="view"):
        turned_env(view)


def test_a_game_without_symmetry_is_refused() -> None:
    with pytest.raises(OptionError, match="sunpleat has no symmetry"):
        symmetry_of(SunpleatEngine(1))


def test_augmented_data_are_the_batch_in_every_view() -> None:
    engine = positions(16, 12)
    actions = RandomLegal(1).act(engine)
    seen, masks, turned_actions = augment(SYMMETRY, engine.observation, engine.mask, actions)
    assert masks.shape == (128, 243)
    for view in VIEWS:
        part = slice(16 * view, 16 * (view + 1))
        turned = in_view(engine, view)
        for name, values in turned.observation.items():
            np.testing.assert_array_equal(seen[name][part], values)
        np.testing.assert_array_equal(masks[part], turned.mask)
        assert (masks[part][np.arange(16), turned_actions[part]] == 1).all()


def test_averaged_scores_do_not_depend_on_how_the_game_is_turned() -> None:
    engine = positions(12, 9)
    weights = np.random.default_rng(0).normal(size=(81, 243))

    def network(seen: dict[str, NDArray[Any]], masks: NDArray[np.int8]) -> NDArray[np.float64]:
        return seen["quilt"].reshape(-1, 81) @ weights + masks

    plain = average_over_views(SYMMETRY, network, engine.observation, engine.mask)
    for view in VIEWS:
        turned = in_view(engine, view)
        scores = average_over_views(SYMMETRY, network, turned.observation, turned.mask)
        views = _views(12, view)
        expected = SYMMETRY.turn_action_values(engine.observation, plain, views)
        np.testing.assert_allclose(scores, expected)
