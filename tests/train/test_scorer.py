"""The policy that scores after-states: absent actions, exchanged actions, values, saving."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quiltrail.core.errors import ModelMismatchError
from quiltrail.wrappers import AfterstateFeatures

pytest.importorskip("sb3_contrib")

import torch

from quiltrail.train.lean_ppo import LeanMaskablePPO
from quiltrail.train.policies.scorer import ScorerPolicy
from quiltrail.train.vec_env import EngineVecEnv

SMALL: dict[str, Any] = {"n_steps": 16, "batch_size": 32, "n_epochs": 1, "seed": 0}
AFTER = ("after_engines", "after_exits", "after_outcome")


def make_model(**policy: Any) -> LeanMaskablePPO:
    env = EngineVecEnv("tinrail", 4, transforms=[AfterstateFeatures(alone=True)])
    model = LeanMaskablePPO(ScorerPolicy, env, policy_kwargs={"width": 8, **policy}, **SMALL)
    with torch.no_grad():  # scores that differ clearly
        model.policy.mlp_extractor.score.weight.mul_(100)
    return model


def scores_of(model: LeanMaskablePPO, observations: dict[str, np.ndarray]) -> np.ndarray:
    with torch.no_grad():
        tensors, _ = model.policy.obs_to_tensor(observations)
        seen = model.policy.extract_features(tensors)
        return model.policy.mlp_extractor.forward_actor(seen).numpy()


def values_of(model: LeanMaskablePPO, observations: dict[str, np.ndarray]) -> np.ndarray:
    with torch.no_grad():
        tensors, _ = model.policy.obs_to_tensor(observations)
        return model.policy.predict_values(tensors).numpy()


def test_exchanging_two_actions_exchanges_their_scores_and_keeps_the_value() -> None:
    model = make_model()
    observations = model.get_env().reset()
    order = np.arange(12)
    order[[1, 6]] = 6, 1
    swapped = {
        name: part[:, order] if name in AFTER else part for name, part in observations.items()
    }
    before, after = scores_of(model, observations), scores_of(model, swapped)
    assert np.abs(before[:, 1] - before[:, 6]).min() > 1e-4
    np.testing.assert_allclose(after, before[:, order], rtol=1e-5)
    np.testing.assert_allclose(
        values_of(model, swapped), values_of(model, observations), rtol=1e-4, atol=1e-6
    )


def test_an_action_that_is_not_there_scores_zero_and_changes_no_other() -> None:
    model = make_model()
    observations = model.get_env().reset()
    lacking = {name: part.copy() for name, part in observations.items()}
    for name in AFTER:
        lacking[name][:, 3] = 0
    before, after = scores_of(model, observations), scores_of(model, lacking)
    assert (after[:, 3] == 0).all()
    assert (before != 0).all()
    others = np.arange(12) != 3
    np.testing.assert_allclose(after[:, others], before[:, others], rtol=1e-5)


def test_the_value_is_the_mean_worth_of_the_actions_plus_the_outlook() -> None:
    model = make_model()
    observations = model.get_env().reset()
    network = model.policy.mlp_extractor
    with torch.no_grad():
        tensors, _ = model.policy.obs_to_tensor(observations)
        seen = model.policy.extract_features(tensors)
        for game in range(4):
            rows = seen.rows[game].float() * network.row_scale
            hidden = torch.relu(network.look(rows) + network.context(seen.rest[game]))
            hidden = network.think(hidden)
            chances = torch.softmax(network.score(hidden).squeeze(1), 0)
            worth = (chances @ network.worth(hidden)).item()
            outlook = network.outlook_worth(network.outlook(seen.rest[game])).item()
            value = values_of(model, observations)[game].item()
            assert value == pytest.approx(worth + outlook, abs=1e-5)


def test_the_value_trains_no_scores() -> None:
    model = make_model()
    tensors, _ = model.policy.obs_to_tensor(model.get_env().reset())
    model.policy.predict_values(tensors).sum().backward()
    assert (model.policy.mlp_extractor.score.weight.grad == 0).all()
    assert model.policy.mlp_extractor.worth.weight.grad.abs().sum() > 0


def test_numbers_are_divided_by_their_upper_bound() -> None:
    env = EngineVecEnv("patchwork", 2, transforms=[AfterstateFeatures(alone=True)])
    model = LeanMaskablePPO(ScorerPolicy, env, policy_kwargs={"width": 8}, **SMALL)
    fields = [env.observation_space[name] for name in model.policy.features_extractor.of_actions]
    highest = np.concatenate([one.high[0].ravel() for one in fields]).astype(np.float32)
    scale = model.policy.mlp_extractor.row_scale.numpy()
    assert highest.max() > 1
    np.testing.assert_allclose(scale * highest, 1, rtol=1e-6)


def test_it_learns_and_plays_on_after_saving(tmp_path: Path) -> None:
    model = make_model().learn(64)
    assert model.get_env().unwrapped.refusals == 0
    model.save(tmp_path / "model.zip")
    loaded = LeanMaskablePPO.load(tmp_path / "model.zip")
    observations = model.get_env().reset()
    masks = np.stack(model.get_env().env_method("action_masks"))
    np.testing.assert_array_equal(
        loaded.predict(observations, action_masks=masks, deterministic=True)[0],
        model.predict(observations, action_masks=masks, deterministic=True)[0],
    )


def test_observations_without_afterstates_are_refused_in_one_sentence() -> None:
    with pytest.raises(ModelMismatchError, match="afterstate_features"):
        LeanMaskablePPO(ScorerPolicy, EngineVecEnv("tinrail", 2), **SMALL)
