"""FlatObservation, PlaneObservation, MaskObservation, TextObservation: for every id they fit."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from quiltrail.core.errors import OptionError
from quiltrail.envs.wording import observe as observe_in_words
from quiltrail.wrappers import (
    CanonicalOrder,
    FlatObservation,
    ForbidActions,
    MaskObservation,
    PlaneObservation,
    RewardScale,
    TextObservation,
    apply_transforms,
    split_flat,
)
from quiltrail.wrappers.transform import Transform
from tests.each import each_id
from tests.wrappers.faces import compare_faces


def has_board(env_id: str) -> bool:
    space: Any = gym.make(env_id).observation_space
    return bool({"board", "quilt", "table"} & set(space.spaces))


def observe(env_id: str, *transforms: Transform, seed: int = 3) -> tuple[Any, Any, Any]:
    """Return an environment's first observation plain and transformed, and the environment."""
    env = apply_transforms(gym.make(env_id), *transforms)
    seen, _ = env.reset(seed=seed)
    return gym.make(env_id).reset(seed=seed)[0], seen, env


@each_id
@pytest.mark.parametrize(
    "make",
    [
        lambda: [FlatObservation()],
        lambda: [MaskObservation()],
        lambda: [MaskObservation("tianshou")],
        lambda: [FlatObservation(), MaskObservation("rllib"), RewardScale(0.5)],
        lambda: [TextObservation()],
    ],
    ids=["flat", "mask", "tianshou", "rllib", "text"],
)
def test_single_and_vector_faces_say_the_same(env_id: str, make: Any) -> None:
    compare_faces(env_id, make)


@each_id
@pytest.mark.parametrize("rest", ["keep", "planes"])
def test_planes_are_the_same_in_single_and_vector_faces(env_id: str, rest: str) -> None:
    if has_board(env_id):
        compare_faces(env_id, lambda: [PlaneObservation(rest)])
    else:
        with pytest.raises(OptionError, match="board"):
            apply_transforms(gym.make(env_id), PlaneObservation(rest))


@each_id
def test_a_flat_vector_holds_every_field_and_gives_it_back(env_id: str) -> None:
    plain, flat, env = observe(env_id, FlatObservation())
    assert flat.dtype == np.float32
    assert flat.shape == (sum(part.size for part in plain.values()),)
    fields = split_flat(gym.make(env_id).observation_space, flat)
    for name, values in plain.items():
        np.testing.assert_array_equal(fields[name], values)
    assert env.observation_space.dtype == np.float32


def test_planes_show_squares_where_they_lie() -> None:
    plain, seen, _ = observe("quiltrail/Patchrook-v0", PlaneObservation())
    assert seen["planes"].shape == (56, 5, 5)
    for row in range(5):
        for col in range(5):
            np.testing.assert_array_equal(
                seen["planes"][:8, row, col], plain["board"][:, 5 * row + col]
            )
    assert set(seen) == {"planes", "phase", "stage", "tray"}
    plain, seen, _ = observe("quiltrail/Patchwork-v0", PlaneObservation())
    assert seen["planes"].shape == (4, 9, 9)
    np.testing.assert_array_equal(seen["planes"][1, :5, :5], plain["tray"][0].reshape(5, 5))
    assert not seen["planes"][1:, 5:].any()
    plain, seen, _ = observe("quiltrail/Tinrail-v0", PlaneObservation())
    np.testing.assert_array_equal(seen["planes"][:, 4, 2], plain["table"][26])


def test_everything_becomes_planes_on_request() -> None:
    plain, seen, env = observe("quiltrail/Patchwork-v0", PlaneObservation("planes"))
    others = sum(part.size for name, part in plain.items() if name not in ("quilt", "tray"))
    assert seen.shape == (4 + others, 9, 9)
    assert seen.dtype == env.observation_space.dtype == np.float32
    assert (seen[4:] == seen[4:, :1, :1]).all()


def test_the_square_of_canonical_order_is_a_plane() -> None:
    _, seen, _ = observe("quiltrail/Patchrook-v0", CanonicalOrder(), PlaneObservation())
    assert seen["planes"].shape == (57, 5, 5)
    assert seen["planes"][56].sum() == 1


@pytest.mark.parametrize(
    ("keys", "observation", "mask", "dtype"),
    [
        ("pettingzoo", "observation", "action_mask", np.int8),
        ("rllib", "observations", "action_mask", np.float32),
        ("tianshou", "obs", "mask", np.bool_),
        ("torchrl", "observation", "action_mask", np.bool_),
    ],
)
def test_the_mask_lies_under_the_keys_of_the_library(
    keys: str, observation: str, mask: str, dtype: type
) -> None:
    _, seen, env = observe("quiltrail/Sunpleat-v0", FlatObservation(), MaskObservation(keys))
    assert set(seen) == {observation, mask}
    assert seen[mask].dtype == dtype
    assert seen[mask].astype(bool).tolist() == env.action_masks().tolist()
    assert env.observation_space.contains(seen)


def test_the_mask_shown_is_that_of_all_transforms_below() -> None:
    _, seen, env = observe("quiltrail/Sunpleat-v0", ForbidActions("bank"), MaskObservation())
    assert not seen["action_mask"][8]
    first = seen["action_mask"].copy()
    env.step(1)
    np.testing.assert_array_equal(seen["action_mask"], first)


def test_what_reads_fields_comes_before_what_flattens_them() -> None:
    with pytest.raises(OptionError, match="CanonicalOrder reads named fields"):
        observe("quiltrail/Patchrook-v0", FlatObservation(), CanonicalOrder())
    with pytest.raises(OptionError, match="FlatObservation before it"):
        observe("quiltrail/Patchrook-v0", MaskObservation("rllib"))
    with pytest.raises(OptionError, match="mask convention"):
        MaskObservation("ryllib")
    with pytest.raises(OptionError, match="rest"):
        PlaneObservation("drop")


@each_id
def test_text_says_the_published_observation_and_nothing_hidden(env_id: str) -> None:
    env = apply_transforms(gym.make(env_id), TextObservation("json"))
    text, _ = env.reset(seed=5)
    assert json.loads(text) == env.unwrapped.view()
    env = apply_transforms(gym.make(env_id), TextObservation())
    text, _ = env.reset(seed=5)
    assert text == observe_in_words(env.unwrapped.engine, 0)
    with pytest.raises(OptionError, match="form"):
        TextObservation("xml")
