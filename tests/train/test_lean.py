"""LeanMaskablePPO against sb3-contrib's MaskablePPO: same numbers, legal samples, same learning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quiltrail.core.errors import ModelMismatchError

pytest.importorskip("sb3_contrib")

import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableCategorical
from stable_baselines3.common.logger import Logger
from torch import Tensor

from quiltrail.train.lean_ppo import LeanMaskablePPO
from quiltrail.train.policies.categorical import LeanCategorical
from quiltrail.train.policies.lean import LeanMultiInputPolicy, lean_distribution
from quiltrail.train.policies.surrogate import choose
from quiltrail.train.randomness import fix_randomness
from quiltrail.train.vec_env import EngineVecEnv
from quiltrail.wrappers import FlatObservation

TOLERANCE = 1e-6
SMALL: dict[str, Any] = {"n_steps": 32, "batch_size": 100, "n_epochs": 2, "seed": 4}
NETS: list[dict[str, Any]] = [
    {"net_arch": [32, 16]},
    {"net_arch": [16], "activation_fn": torch.nn.ReLU},
    {"net_arch": []},
    {"net_arch": [16], "activation_fn": torch.nn.GELU},
    {"net_arch": [16], "share_features_extractor": False},
]


def rows_of(count: int, actions: int, share: float) -> tuple[Tensor, Tensor]:
    """Return scores and masks, with at least one legal action a row."""
    draws = torch.Generator().manual_seed(7)
    scores = 5 * torch.randn(count, actions, generator=draws)
    masks = torch.rand(count, actions, generator=draws) < share
    masks[torch.arange(count), torch.randint(actions, (count,), generator=draws)] = True
    return scores, masks


@pytest.mark.parametrize(("actions", "share"), [(9, 0.6), (243, 0.15), (1209, 0.02), (5, 0.0)])
def test_the_distribution_is_stock_with_its_gradients(actions: int, share: float) -> None:
    scores, masks = rows_of(64, actions, share)
    chosen = masks.to(torch.int8).argmax(1)
    found = []
    for lean in (False, True):
        given = scores.clone().requires_grad_()
        if lean:
            choices: Any = LeanCategorical(given)
            choices.forbid(masks)
        else:
            choices = MaskableCategorical(logits=given, masks=masks, validate_args=False)
        log_prob, entropy = choices.log_prob(chosen), choices.entropy()
        (log_prob.sum() + 0.7 * entropy.sum()).backward()
        found.append([log_prob, entropy, choices.probs, given.grad])
    for stock, ours in zip(*found, strict=True):
        torch.testing.assert_close(ours, stock, atol=TOLERANCE, rtol=1e-6)
    assert (found[1][2][~masks] == 0).all()


def test_float_masks_stay_as_they_were() -> None:
    scores, masks = rows_of(4, 6, 0.5)
    given = masks.float()
    LeanCategorical(scores).forbid(given)
    assert torch.equal(given, masks.float())


def test_no_sample_is_illegal_and_frequencies_are_the_probabilities() -> None:
    torch.manual_seed(0)
    scores, masks = rows_of(50, 300, 0.02)
    choices = LeanCategorical(scores.repeat(4000, 1))
    choices.forbid(masks.repeat(4000, 1))
    drawn = choices.sample().reshape(4000, 50)
    assert masks[torch.arange(50), drawn].all()
    counts = torch.zeros(50, 300).scatter_add_(1, drawn.t(), torch.ones(50, 4000))
    expected = 4000 * choices.probs[:50]
    deviations = (counts - expected) / expected.clamp(min=1).sqrt()
    assert deviations.abs().max() < 5  # in standard deviations


def test_compiled_choices_are_legal_and_have_the_frequencies_of_the_probabilities() -> None:
    torch.manual_seed(1)
    scores, masks = rows_of(50, 300, 0.02)
    drawn, log_probs = choose(scores.repeat(4000, 1), masks.repeat(4000, 1))
    choices = LeanCategorical(scores)
    choices.forbid(masks)
    drawn = drawn.reshape(4000, 50)
    assert masks[torch.arange(50), drawn].all()
    expected = choices.logits.gather(1, drawn[:1].t()).squeeze(1)
    torch.testing.assert_close(log_probs[:50], expected, atol=TOLERANCE, rtol=1e-6)
    counts = torch.zeros(50, 300).scatter_add_(1, drawn.t(), torch.ones(50, 4000))
    deviations = (counts - 4000 * choices.probs) / (4000 * choices.probs).clamp(min=1).sqrt()
    assert deviations.abs().max() < 5


def test_a_number_that_rounds_up_to_one_draws_a_legal_action(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores, masks = rows_of(2000, 40, 0.3)
    choices = LeanCategorical(scores)
    choices.forbid(masks)
    for edge in (0.0, 1.0):
        monkeypatch.setattr(torch, "rand_like", lambda like, edge=edge: torch.full_like(like, edge))
        monkeypatch.setattr(torch, "rand", lambda count, edge=edge: torch.full((count,), edge))
        assert masks[torch.arange(2000), choices.sample()].all()
        assert masks[torch.arange(2000), choose(scores, masks)[0]].all()


def make_pair(**more: Any) -> tuple[MaskablePPO, LeanMaskablePPO]:
    """Return stock and lean with the same first weights and the same rollout in their buffers."""
    arguments = {**SMALL, **more}
    stock = MaskablePPO("MultiInputPolicy", EngineVecEnv("patchwork", 8), **arguments)
    lean = LeanMaskablePPO("MultiInputPolicy", EngineVecEnv("patchwork", 8), **arguments)
    lean.policy.load_state_dict(stock.policy.state_dict())
    for model in (stock, lean):
        model.set_logger(Logger(None, []))
    _, callback = stock._setup_learn(256)
    stock.collect_rollouts(stock.env, callback, stock.rollout_buffer, 32)
    generator = np.random.default_rng(1)  # as if some updates lay behind: ratios other than 1
    stock.rollout_buffer.log_probs += generator.normal(0, 0.2, (32, 8)).astype(np.float32)
    for name, value in vars(stock.rollout_buffer).items():
        if name == "observations":
            setattr(lean.rollout_buffer, name, {key: one.copy() for key, one in value.items()})
        elif isinstance(value, np.ndarray):
            kind = np.bool_ if name == "action_masks" else value.dtype
            setattr(lean.rollout_buffer, name, value.astype(kind))
    lean.rollout_buffer.full = True
    return stock, lean


@pytest.mark.parametrize("net", NETS, ids=["tanh", "relu", "linear", "other", "apart"])
def test_outputs_are_stock_given_the_same_weights(net: dict[str, Any]) -> None:
    stock, lean = make_pair(policy_kwargs=net)
    batch = next(stock.rollout_buffer.get(64))
    actions = batch.actions.long().flatten()
    arguments = (batch.observations, actions, batch.action_masks)
    for theirs, ours in zip(
        stock.policy.evaluate_actions(*arguments),
        lean.policy.evaluate_actions(*arguments),
        strict=True,
    ):
        torch.testing.assert_close(ours, theirs, atol=TOLERANCE, rtol=1e-6)
    with torch.no_grad():
        taken, values, log_probs = lean.policy(batch.observations, action_masks=batch.action_masks)
        theirs = stock.policy.evaluate_actions(batch.observations, taken, batch.action_masks)
        torch.testing.assert_close(values, theirs[0], atol=TOLERANCE, rtol=1e-6)
        torch.testing.assert_close(log_probs, theirs[1], atol=TOLERANCE, rtol=1e-6)
        torch.testing.assert_close(
            lean.policy.predict_values(batch.observations),
            stock.policy.predict_values(batch.observations),
        )


LOSSES: list[dict[str, Any]] = [
    {"ent_coef": 0.02},
    {"clip_range_vf": 0.1, "clip_range": 0.1},
    {"normalize_advantage": False, "max_grad_norm": 0.01},
    {"target_kl": 0.016, "n_epochs": 6},
]


@pytest.mark.parametrize("loss", LOSSES, ids=["entropy", "values", "plain", "kl"])
def test_an_update_moves_the_weights_as_stock_does(loss: dict[str, Any]) -> None:
    stock, lean = make_pair(**loss)
    before = [one.detach().clone() for one in lean.policy.parameters()]
    for model in (stock, lean):
        fix_randomness(5, 1)  # the order of the minibatches
        model.train()
    moved = 0.0
    for old, theirs, ours in zip(
        before, stock.policy.parameters(), lean.policy.parameters(), strict=True
    ):
        torch.testing.assert_close(ours, theirs, atol=2e-6, rtol=1e-5)
        moved = max(moved, (ours - old).abs().max().item())
    assert moved > 1e-4
    theirs, ours = stock.logger.name_to_value, lean.logger.name_to_value
    assert set(theirs) == set(ours)
    for name, value in theirs.items():
        assert ours[name] == pytest.approx(value, rel=1e-4, abs=1e-5), name


@pytest.mark.parametrize("net", NETS, ids=["tanh", "relu", "linear", "other", "apart"])
def test_every_network_is_updated_as_stock_does(net: dict[str, Any]) -> None:
    stock, lean = make_pair(policy_kwargs=net)
    for model in (stock, lean):
        fix_randomness(5, 1)
        model.train()
    for theirs, ours in zip(stock.policy.parameters(), lean.policy.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, atol=2e-6, rtol=1e-5)


def test_a_learner_is_never_refused_and_keeps_masks_as_bool() -> None:
    env = EngineVecEnv("patchrook", 8)
    model = LeanMaskablePPO("MultiInputPolicy", env, **SMALL).learn(256)
    assert env.refusals == 0
    assert model.rollout_buffer.action_masks.dtype == np.bool_
    assert model.rollout_buffer.action_masks.shape[-1] == 1209


def test_flat_observations_take_the_other_policy_and_buffer() -> None:
    env = EngineVecEnv("sunpleat", 8, transforms=[FlatObservation()])
    model = LeanMaskablePPO("MlpPolicy", env, **SMALL).learn(256)
    assert env.refusals == 0
    assert model.rollout_buffer.action_masks.dtype == np.bool_


def test_weights_come_back_and_learning_goes_on_after_loading(tmp_path: Path) -> None:
    model = LeanMaskablePPO("MultiInputPolicy", EngineVecEnv("sunpleat", 8), **SMALL).learn(256)
    model.save(tmp_path / "model.zip")
    loaded = LeanMaskablePPO.load(tmp_path / "model.zip", env=EngineVecEnv("sunpleat", 8))
    before = {name: one.clone() for name, one in loaded.policy.state_dict().items()}
    for name, one in model.policy.state_dict().items():
        assert torch.equal(one, before[name])
    loaded.learn(256)
    assert any(
        not torch.equal(one, before[name]) for name, one in loaded.policy.state_dict().items()
    )


def test_stock_takes_a_lean_policy_too() -> None:
    env = EngineVecEnv("sunpleat", 8)
    MaskablePPO(LeanMultiInputPolicy, env, **SMALL).learn(256)
    assert env.refusals == 0


def test_lean_takes_a_stock_policy_and_trains_it_the_stock_way() -> None:
    from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy as Stock

    env = EngineVecEnv("sunpleat", 8)
    LeanMaskablePPO(Stock, env, **SMALL).learn(256)
    assert env.refusals == 0


def test_other_action_spaces_are_refused_in_one_sentence() -> None:
    with pytest.raises(ModelMismatchError, match="Discrete"):
        lean_distribution(spaces.MultiDiscrete([3, 3]))


def score_after(algorithm: type[MaskablePPO], seed: int, steps: int) -> float:
    """Return the mean return of the last episodes of a short training on Sunpleat."""
    torch.set_num_threads(1)
    env = EngineVecEnv("sunpleat", 32, max_episode_steps=32)
    model = algorithm(
        "MultiInputPolicy",
        env,
        n_steps=32,
        batch_size=512,
        n_epochs=4,
        gamma=0.9,
        learning_rate=1e-3,
        ent_coef=0.01,
        seed=seed,
    )
    returns: list[float] = []
    model.learn(steps, callback=lambda local, _: returns.extend(_ended(local)) is None)
    return float(np.mean(returns[-200:]))


def _ended(local: dict[str, Any]) -> list[float]:
    return [info["score"] for info in local["infos"] if "score" in info]


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_learning_curves_are_those_of_stock() -> None:
    """Ten seeds each: the 99 % interval of the difference of means holds 0, and is narrow."""
    theirs = np.array([score_after(MaskablePPO, seed, 60_000) for seed in range(10)])
    ours = np.array([score_after(LeanMaskablePPO, seed, 60_000) for seed in range(10)])
    difference = ours.mean() - theirs.mean()
    error = np.sqrt((ours.var(ddof=1) + theirs.var(ddof=1)) / 10)
    assert abs(difference) < 2.9 * error
    assert 2.9 * error < 0.5 * theirs.mean()
