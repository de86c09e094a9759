"""sb3-contrib's policies with the lean distribution: same networks, same numbers, less time.

Weights move freely between a lean policy and its stock counterpart: parameters have the same names
and shapes. Only the class of the distribution, the order of casting and joining an observation's
fields, and Adam's implementation (fused, one pass over a parameter) differ.
"""

from __future__ import annotations

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
from torch import nn

from quiltrail.core.errors import ModelMismatchError
from quiltrail.train.policies.categorical import LeanDistribution

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


class LeanMlpPolicy(Lean, MaskableActorCriticPolicy):
    """``MlpPolicy`` of MaskablePPO, lean."""


class LeanMultiInputPolicy(Lean, MaskableMultiInputActorCriticPolicy):
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
