"""sb3-contrib's policies with the lean distribution: same networks, same numbers, less time.

Weights move freely between a lean policy and its stock counterpart: parameters have the same names
and shapes. Only the class of the distribution, the order of casting and joining an observation's
fields, and Adam's implementation (fused, one pass over a parameter) differ.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import (
    MaskableActorCriticPolicy,
    MaskableMultiInputActorCriticPolicy,
)
from stable_baselines3.common.preprocessing import is_image_space
from stable_baselines3.common.torch_layers import CombinedExtractor
from torch import Tensor, nn

from quiltrail.core.errors import ModelMismatchError
from quiltrail.train.policies.categorical import LeanDistribution
from quiltrail.train.policies.mlp import LayeredNetwork
from quiltrail.train.policies.surrogate import choose

#: Takes d loss / d scores (B, A) and d loss / d values (B, 1).
Backward = Callable[[Tensor, Tensor], None]

_ADAM = {"eps": 1e-5, "fused": True}  # eps as in sb3-contrib
_FIRST_SCORES = 0.01  # gain of the layers that score actions: play starts out nearly uniform

if TYPE_CHECKING:
    _Base = MaskableActorCriticPolicy
else:
    _Base = object


class Lean(_Base):
    """Makes a policy of sb3-contrib lean; for discrete actions only.

    Raises:
        ModelMismatchError: if the action space is not Discrete.
    """

    def __init__(self, *arguments: Any, **more: Any) -> None:
        if more.get("optimizer_class", torch.optim.Adam) is torch.optim.Adam:
            more["optimizer_kwargs"] = {**_ADAM, **(more.get("optimizer_kwargs") or {})}
        super().__init__(*arguments, **more)

    def scores_and_values(self, obs: Any) -> tuple[Tensor, Tensor]:
        """Return the scores of all actions (B, A), masked ones too, and the values (B, 1)."""
        features: Any = self.extract_features(obs)
        if self.share_features_extractor:
            for_scores, for_values = self.mlp_extractor(features)
        else:
            for_scores = self.mlp_extractor.forward_actor(features[0])
            for_values = self.mlp_extractor.forward_critic(features[1])
        return self.action_net(for_scores), self.value_net(for_values)

    def trace(self, obs: Any) -> tuple[Tensor, Tensor, Backward]:
        """Return scores, values, and what turns gradients of both into those of the parameters.

        Parameters have to have a ``grad``, which is written over.
        """
        scores, values = self.scores_and_values(obs)

        def backward(by_score: Tensor, by_value: Tensor) -> None:
            self.zero_grad(set_to_none=False)
            torch.autograd.backward([scores, values], [by_score, by_value])

        return scores, values, backward

    def forward(
        self, obs: Any, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return actions (B,), values (B, 1) and log-probabilities (B,)."""
        scores, values = self.scores_and_values(obs)
        if action_masks is not None and not (deterministic or torch.is_grad_enabled()):
            chosen, log_probs = choose(scores, action_masks)
            return chosen, values, log_probs
        choices = self.action_dist.proba_distribution(scores)
        choices.apply_masking(action_masks)
        actions = choices.get_actions(deterministic=deterministic)
        return actions, values, choices.log_prob(actions)

    def _build(self, lr_schedule: Any) -> None:
        self.action_dist = lean_distribution(self.action_space)
        super()._build(lr_schedule)


def lean_distribution(space: spaces.Space[Any]) -> LeanDistribution:
    """Return the lean distribution of an action space.

    Raises:
        ModelMismatchError: if it is not Discrete.
    """
    if not isinstance(space, spaces.Discrete):
        raise ModelMismatchError(f"a lean policy needs a Discrete action space, got {space}")
    return LeanDistribution(int(space.n))


class _Layered(Lean):
    """A lean policy of two layered networks, which it can do without autograd."""

    _networks: tuple[LayeredNetwork, LayeredNetwork] | None = None

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self._networks = self._find_networks()

    def _find_networks(self) -> tuple[LayeredNetwork, LayeredNetwork] | None:
        """Return the networks of scores and values; None if they are not plain layers."""
        if not self.share_features_extractor or any(self.features_extractor.parameters()):
            return None
        body = self.mlp_extractor
        of_scores = LayeredNetwork.of(body.policy_net, self.action_net)
        of_values = LayeredNetwork.of(body.value_net, self.value_net)
        return None if of_scores is None or of_values is None else (of_scores, of_values)

    def scores_and_values(self, obs: Any) -> tuple[Tensor, Tensor]:
        """Return the scores of all actions (B, A), masked ones too, and the values (B, 1)."""
        networks = self._networks
        if torch.is_grad_enabled() or networks is None:
            return super().scores_and_values(obs)
        features: Any = self.extract_features(obs)
        return networks[0].forward(features), networks[1].forward(features)

    def trace(self, obs: Any) -> tuple[Tensor, Tensor, Backward]:
        """Return scores, values and the way back; see `Lean.trace`."""
        networks = self._networks
        if networks is None:
            return super().trace(obs)
        of_scores, of_values = networks
        features: Any = self.extract_features(obs)

        def backward(by_score: Tensor, by_value: Tensor) -> None:
            of_scores.backward(by_score)
            of_values.backward(by_value)

        return of_scores.forward(features), of_values.forward(features), backward


class LeanMlpPolicy(_Layered, MaskableActorCriticPolicy):
    """``MlpPolicy`` of MaskablePPO, lean."""


class LeanMultiInputPolicy(_Layered, MaskableMultiInputActorCriticPolicy):
    """``MultiInputPolicy`` of MaskablePPO, lean.

    Fields are joined as they are (mostly int8) and turned into float32 together.
    """

    def _build(self, lr_schedule: Any) -> None:
        fields = self.observation_space
        assert isinstance(fields, spaces.Dict)  # demanded by SB3
        self._names = list(fields.spaces)
        self._joins_fields = self.features_extractor_class is CombinedExtractor and all(
            isinstance(field, spaces.Box) and not is_image_space(field)
            for field in fields.spaces.values()
        )
        super()._build(lr_schedule)

    def extract_features(self, obs: Any, features_extractor: Any = None) -> Any:
        """Return the features (B, F), or a pair of them; see `MaskableActorCriticPolicy`."""
        if not self._joins_fields:
            return super().extract_features(obs, features_extractor)
        features = torch.cat([obs[name].flatten(1) for name in self._names], 1)
        features = features.float()
        return features if self.share_features_extractor else (features, features)


class ActionNetwork(nn.Module):
    """A network that scores all actions itself.

    Its ``forward`` turns features into scores (B, A) and what the value is read from (B, V);
    ``forward_actor`` and ``forward_critic`` give one of the two.

    Attributes:
        latent_dim_pi: A.
        latent_dim_vf: V.
    """

    latent_dim_pi: int
    latent_dim_vf: int

    @property
    def score_layers(self) -> tuple[nn.Module, ...]:
        """The layers whose output is nothing but scores."""
        raise NotImplementedError


class NetworkPolicy(Lean, MaskableMultiInputActorCriticPolicy):
    """A lean policy around an `ActionNetwork`."""

    def _build_around(self, network: ActionNetwork, value_net: nn.Module, lr_schedule: Any) -> None:
        """Take a network, give it its first weights and make the optimizer.

        Args:
            network: scores the actions.
            value_net: turns the network's second output into a value.
            lr_schedule: as SB3 hands it on.

        Raises:
            ModelMismatchError: if there are not as many actions as scores.
        """
        self.action_dist = lean_distribution(self.action_space)
        if self.action_dist.action_dim != network.latent_dim_pi:
            raise ModelMismatchError(
                f"{type(self).__name__} scores {network.latent_dim_pi} actions here, "
                f"the action space is {self.action_space}"
            )
        self.mlp_extractor = network  # type: ignore[assignment]  # SB3 names its own classes
        self.action_net = nn.Identity()
        self.value_net = value_net  # type: ignore[assignment]
        network.apply(partial(self.init_weights, gain=sqrt(2)))
        for layer in network.score_layers:
            layer.apply(partial(self.init_weights, gain=_FIRST_SCORES))
        self.value_net.apply(partial(self.init_weights, gain=1))
        self.optimizer = self.optimizer_class(
            self.parameters(),
            lr=lr_schedule(1),  # type: ignore[call-arg]  # the base class does not name it
            **self.optimizer_kwargs,
        )
