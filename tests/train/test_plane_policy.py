"""The policy that scores placements as planes: masks, symmetry of letters, saving, learning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quiltrail.core.errors import ModelMismatchError
from quiltrail.envs.patchrook.rules import MAX_PATCHES
from quiltrail.wrappers import CanonicalOrder, ForbidActions, Transform

pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib import MaskablePPO

from quiltrail.train.parts import find_policy
from quiltrail.train.policies.planes import PlanePolicy
from quiltrail.train.vec_env import EngineVecEnv


def make_model(*transforms: Transform, game: str = "patchrook", **policy: Any) -> MaskablePPO:
    env = EngineVecEnv(game, 4, transforms=transforms)
    return MaskablePPO(
        PlanePolicy, env, n_steps=16, batch_size=32, n_epochs=1, seed=0, policy_kwargs=policy
    )


def scores_of(model: MaskablePPO, observations: dict[str, np.ndarray]) -> np.ndarray:
    with torch.no_grad():
        tensors, _ = model.policy.obs_to_tensor(observations)
        distribution = model.policy.get_distribution(tensors)
        return distribution.distribution.logits.numpy()


def observed(model: MaskablePPO, quilts: list[int]) -> dict[str, np.ndarray]:
    env = model.get_env()
    assert env is not None
    env.seed(3)
    env.set_options([{"quilt": quilt} for quilt in quilts])
    return env.reset()


def exchanged(value: np.ndarray, first: int, second: int) -> np.ndarray:
    """Return an array with its second axis in blocks of patches, two of them exchanged."""
    order = np.arange(MAX_PATCHES)
    order[[first, second]] = second, first
    blocks = value.reshape(len(value), MAX_PATCHES, -1)[:, order]
    return blocks.reshape(value.shape)


@pytest.mark.parametrize("transforms", [(), (CanonicalOrder(),)], ids=["game", "canonical"])
def test_exchanging_two_letters_exchanges_their_scores(transforms: tuple[Transform, ...]) -> None:
    model = make_model(*transforms)
    observations = observed(model, [2, 4, 6, 8])
    model.policy.eval()
    scores = scores_of(model, observations)
    other = dict(observations)
    other["shapes"] = exchanged(observations["shapes"], 0, 3)
    other["tray"] = exchanged(observations["tray"], 0, 3)
    other["board"] = np.concatenate(
        [observations["board"][:, :2], exchanged(observations["board"][:, 2:], 0, 3)], axis=1
    )
    swapped = scores_of(model, other)
    places = 48 if transforms else 1200
    np.testing.assert_allclose(
        swapped[:, :places], exchanged(scores[:, :places], 0, 3), rtol=1e-3, atol=1e-5
    )
    lifts = slice(places, places + MAX_PATCHES)
    np.testing.assert_allclose(
        swapped[:, lifts], exchanged(scores[:, lifts], 0, 3), rtol=1e-3, atol=1e-5
    )
    np.testing.assert_allclose(
        swapped[:, places + MAX_PATCHES :], scores[:, places + MAX_PATCHES :], rtol=1e-3, atol=1e-5
    )


def test_the_canonical_scores_are_those_of_the_planes_at_the_square() -> None:
    whole, canonical = make_model(), make_model(CanonicalOrder())
    canonical.policy.load_state_dict(whole.policy.state_dict())
    observations = observed(canonical, [2, 4, 6, 8])
    scores = scores_of(whole, {k: v for k, v in observations.items() if k != "square"})
    squares = observations["square"].argmax(axis=1)
    places = scores[:, :1200].reshape(4, 48, 25)[np.arange(4), :, squares]
    seen = scores_of(canonical, observations)[:, :48]
    offset = (seen - places).mean(axis=1, keepdims=True)  # each normalised over its own actions
    np.testing.assert_allclose(seen - places, np.broadcast_to(offset, seen.shape), atol=1e-4)


@pytest.mark.parametrize("transforms", [(), (CanonicalOrder(),)], ids=["game", "canonical"])
def test_it_learns_without_a_refused_action_and_plays_the_same_when_loaded(
    transforms: tuple[Transform, ...], tmp_path: Path
) -> None:
    model = make_model(ForbidActions("bank"), *transforms, channels=8)
    env = model.get_env()
    model.learn(128)
    assert env.get_attr("refusals")[0] == 0
    model.save(tmp_path / "model.zip")
    loaded = MaskablePPO.load(tmp_path / "model.zip", device="cpu")
    observations = observed(model, [1, 3, 5, 7])
    np.testing.assert_array_equal(scores_of(model, observations), scores_of(loaded, observations))


def test_play_starts_out_nearly_uniform() -> None:
    model = make_model()
    assert np.ptp(scores_of(model, observed(model, [2, 4, 6, 8]))) < 1.0


def test_other_games_are_refused() -> None:
    with pytest.raises(ModelMismatchError, match="patchrook"):
        make_model(game="sunpleat")


def test_configs_can_name_it() -> None:
    assert find_policy("patchrook_planes") is PlanePolicy
    assert find_policy("MultiInputPolicy") == "MultiInputPolicy"


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_shipped_config_reaches_the_optimum(tmp_path: Path) -> None:
    from quiltrail.train.config import load_config
    from quiltrail.train.run import run_experiment

    result = run_experiment(load_config("patchrook_maskable_ppo"), tmp_path / "run", quiet=True)
    assert result.evaluation.mean_score == 20_100
