"""MaskablePPO that spends its time on the networks.

A drop-in: `LeanMaskablePPO` takes what `MaskablePPO` takes and learns the same, to rounding. What
differs from stock:

- policies: one ``log_softmax``, masks as a float bias, sampling by inverse cumulative distribution;
- the loss: its gradient with respect to scores and values in closed form, autograd at most for the
  network (`quiltrail.train.policies.surrogate`), and not even there if that is plain layers;
- the rollout buffer: masks take one byte an action (stock: four), an epoch is shuffled once and
  minibatches are views of it (stock: two copies of each minibatch);
- Adam: all parameters lie in one vector, so that a step is one fused call, and so is the norm.

Weights move freely between a policy and its stock counterpart (``state_dict``); archives hold the
optimizer's one vector, so `LeanMaskablePPO.load` reads them and `MaskablePPO.load` does not.
"""

from __future__ import annotations

from math import inf
from typing import Any, ClassVar

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableDictRolloutBuffer, MaskableRolloutBuffer
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.buffers import DictRolloutBuffer, RolloutBuffer
from stable_baselines3.common.utils import explained_variance
from torch import Tensor, nn

from quiltrail.train.policies.lean import Lean, LeanMlpPolicy, LeanMultiInputPolicy
from quiltrail.train.policies.surrogate import FIGURES, Weights, surrogate

_KL = FIGURES.index("approx_kl")
# As in sb3-contrib and torch.nn.utils.clip_grad_norm_:
_KL_SLACK = 1.5  # times the target before an update ends early
_NORM_SLACK = 1e-6  # so that a gradient of zeros divides nothing by zero


class _LeanBuffer:
    """What both kinds of buffer have in common; stands before one of sb3-contrib's."""

    action_space: spaces.Space[Any]
    buffer_size: int
    n_envs: int
    device: torch.device

    def _forget_masks(self) -> None:
        space = self.action_space
        assert isinstance(space, spaces.Discrete)  # demanded by lean policies
        self.mask_dims = int(space.n)
        shape = (self.buffer_size, self.n_envs, self.mask_dims)
        self.action_masks = np.ones(shape, np.bool_)

    def to_torch(self, array: NDArray[Any], copy: bool = True) -> Tensor:
        """Return an array, which is a copy already, as a tensor that shares its memory."""
        return torch.as_tensor(array, device=self.device)

    def get(self, batch_size: int | None = None) -> Any:
        """Yield minibatches in the random order of stock, as views of one shuffled epoch."""
        (epoch,) = super().get(None)  # type: ignore[misc]
        count = len(epoch.actions)
        size = batch_size or count
        for start in range(0, count, size):
            part = slice(start, start + size)
            yield type(epoch)(*(_part_of(field, part) for field in epoch))


def _part_of(field: Any, part: slice) -> Any:
    if isinstance(field, dict):
        return {name: tensor[part] for name, tensor in field.items()}
    return field[part]


class LeanRolloutBuffer(_LeanBuffer, MaskableRolloutBuffer):
    """Rollouts of one array an observation; masks are bool (T, B, A)."""

    def reset(self) -> None:
        """Empty the buffer."""
        self._forget_masks()
        RolloutBuffer.reset(self)


class LeanDictRolloutBuffer(_LeanBuffer, MaskableDictRolloutBuffer):
    """Rollouts of a dict an observation; masks are bool (T, B, A)."""

    def reset(self) -> None:
        """Empty the buffer."""
        self._forget_masks()
        DictRolloutBuffer.reset(self)


class LeanMaskablePPO(MaskablePPO):
    """`MaskablePPO` with lean policies and buffers; the arguments are the same."""

    policy_aliases: ClassVar[dict[str, Any]] = {
        "MlpPolicy": LeanMlpPolicy,
        "MultiInputPolicy": LeanMultiInputPolicy,
    }

    def _setup_model(self) -> None:
        if self.rollout_buffer_class is None:
            several = isinstance(self.observation_space, spaces.Dict)
            self.rollout_buffer_class = LeanDictRolloutBuffer if several else LeanRolloutBuffer
        super()._setup_model()
        if isinstance(self.policy, Lean):
            self._parameters = _join_parameters(self.policy, self.lr_schedule(1))

    def train(self) -> None:
        """Learn from the rollout in the buffer, as `MaskablePPO.train` does."""
        policy = self.policy
        if not isinstance(policy, Lean):
            super().train()
            return
        policy.set_training_mode(True)
        self._update_learning_rate(policy.optimizer)
        weights = self._loss_weights()
        figures: list[list[float]] = []
        kls: list[float] = []
        for _ in range(self.n_epochs):
            kls = []
            for batch in self.rollout_buffer.get(self.batch_size):
                figures.append(self._learn_from(batch, weights))
                kls.append(figures[-1][_KL])
                if self._goes_too_far(kls[-1]):
                    break
            self._n_updates += 1
            if self._goes_too_far(kls[-1]):
                break
        self._log(np.array(figures), float(np.mean(kls)), weights)

    def _loss_weights(self) -> Weights:
        """Return the weights of the loss at this progress."""
        left = self._current_progress_remaining
        of_values: Any = self.clip_range_vf
        return Weights(
            clip=float(self.clip_range(left)),  # type: ignore[operator]  # a schedule by now
            clip_values=inf if of_values is None else float(of_values(left)),
            entropy=float(self.ent_coef),
            value=float(self.vf_coef),
            normalise=bool(self.normalize_advantage),
        )

    def _goes_too_far(self, kl: float) -> bool:
        return self.target_kl is not None and kl > _KL_SLACK * self.target_kl

    def _learn_from(self, batch: Any, weights: Weights) -> list[float]:
        """Take one step on a minibatch; return its figures."""
        policy, joined = self.policy, self._parameters
        assert isinstance(policy, Lean)
        scores, values, backward = policy.trace(batch.observations)
        loss = surrogate(scores, values.flatten(), batch, weights)
        figures: list[float] = loss.figures.tolist()
        if self._goes_too_far(figures[_KL]):
            return figures
        backward(loss.by_score, loss.by_value.view_as(values))
        assert joined.grad is not None
        norm = torch.linalg.vector_norm(joined.grad).item()
        shrink = self.max_grad_norm / (norm + _NORM_SLACK)
        if shrink < 1:
            joined.grad.mul_(shrink)
        policy.optimizer.step()
        return figures

    def _log(self, figures: NDArray[np.float64], kl: float, weights: Weights) -> None:
        """Record what `MaskablePPO.train` records."""
        buffer = self.rollout_buffer
        means = dict(zip(FIGURES, figures.mean(axis=0).tolist(), strict=True))
        last = dict(zip(FIGURES, figures[-1].tolist(), strict=True))
        loss = last["policy_gradient_loss"] + weights.entropy * last["entropy_loss"]
        explained = explained_variance(buffer.values.flatten(), buffer.returns.flatten())
        record = self.logger.record
        for name, value in (means | {"approx_kl": kl}).items():
            record(f"train/{name}", value)
        record("train/loss", loss + weights.value * last["value_loss"])
        record("train/explained_variance", explained)
        record("train/n_updates", self._n_updates, exclude="tensorboard")
        record("train/clip_range", weights.clip)
        if weights.clip_values < inf:
            record("train/clip_range_vf", weights.clip_values)


def _join_parameters(policy: MaskableActorCriticPolicy, rate: float) -> nn.Parameter:
    """Move a policy's parameters into one vector, give it an optimizer of that, return it.

    The parameters and their gradients become views of the vector and of its gradient.
    """
    parameters = list(policy.parameters())
    joined = nn.Parameter(torch.cat([one.detach().flatten() for one in parameters]))
    joined.grad = torch.zeros_like(joined)
    sizes = [one.numel() for one in parameters]
    parts = torch.split(joined.detach(), sizes), torch.split(joined.grad, sizes)
    views = zip(parameters, *parts, strict=True)
    for one, value, gradient in views:
        one.data = value.view_as(one)
        one.grad = gradient.view_as(one)
    policy.optimizer = policy.optimizer_class(
        [joined],
        lr=rate,  # type: ignore[call-arg]  # the base class does not name it
        **policy.optimizer_kwargs,
    )
    return joined
