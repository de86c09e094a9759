"""A policy that scores actions by what each of them leads to, with one small network for all.

Interface::

    model = LeanMaskablePPO(
        ScorerPolicy,
        EngineVecEnv("tinrail", 256, transforms=[AfterstateFeatures(alone=True)]),
        policy_kwargs={"width": 64},
    )

In a config: ``policy: afterstate_scorer``, ``policy_args: {width: 64}``, and the transform
``afterstate_features`` (or any other that adds fields named ``after_*``).

- In: fields whose name begins with ``after_``, each (A, ..), describe what every action leads to;
  all other fields are the context. A row that is zero in all ``after_*`` fields is an action that
  is not there: it costs nothing and scores 0, so a legal action's row must not be all zeros.
- Every number is divided by its space's upper bound, if that is finite.
- Out: scores (B, A) and values (B, 1). The score of an action is ``score(h)`` and what it is worth
  ``worth(h)``, both linear in ``h = relu(think(relu(look(row) + context(rest))))``; the value of a
  position is the policy's own mean of what its actions are worth, plus a term of the context.
  No gradient goes from the value into the policy's probabilities.

All actions share their weights, so exchanging two actions exchanges their scores.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from quiltrail.core.errors import ModelMismatchError
from quiltrail.train.policies.categorical import ILLEGAL, Masks
from quiltrail.train.policies.lean import ActionNetwork, NetworkPolicy

_PREFIX = "after_"


class Seen(NamedTuple):
    """An observation taken apart.

    Attributes:
        rows: (B, A, F), what each action leads to; any number type, not scaled.
        rest: (B, C) float32, the context, scaled.
    """

    rows: Tensor
    rest: Tensor


class AfterstateFields(BaseFeaturesExtractor):
    """Split an observation into a row for each action and the rest.

    Raises:
        ModelMismatchError: if it has no ``after_*`` fields, or they differ in the number of rows.
    """

    row_scale: Tensor
    rest_scale: Tensor

    def __init__(self, observation_space: spaces.Dict) -> None:
        fields = observation_space.spaces
        of_actions = [name for name in fields if name.startswith(_PREFIX)]
        of_context = [name for name in fields if not name.startswith(_PREFIX)]
        counts = {(fields[name].shape or (0,))[0] for name in of_actions}
        if len(counts) != 1:
            raise ModelMismatchError(
                f"ScorerPolicy needs {_PREFIX}* fields with one row for each action (transform "
                f"afterstate_features); got rows {sorted(counts)} of {of_actions}"
            )
        num_actions = counts.pop()
        rows = [_scales(fields[name]).reshape(num_actions, -1)[0] for name in of_actions]
        rest = [_scales(fields[name]).ravel() for name in of_context]
        none = np.ones(0, np.float32)
        row_scale, rest_scale = np.concatenate([none, *rows]), np.concatenate([none, *rest])
        super().__init__(observation_space, num_actions * len(row_scale) + len(rest_scale))
        self.of_actions, self.of_context = of_actions, of_context
        self.num_actions = num_actions
        self.register_buffer("row_scale", torch.as_tensor(row_scale), persistent=False)
        self.register_buffer("rest_scale", torch.as_tensor(rest_scale), persistent=False)

    def forward(self, observations: dict[str, Tensor]) -> Seen:
        """Return what `ScorerNetwork` takes."""
        rows = [observations[name].flatten(2) for name in self.of_actions]
        batch = len(rows[0])
        rest = [observations[name].flatten(1).float() for name in self.of_context]
        joined = torch.cat(rest, 1) if rest else rows[0].new_zeros((batch, 0)).float()
        return Seen(torch.cat(rows, 2), joined * self.rest_scale)


def _scales(space: spaces.Space[Any]) -> np.ndarray[Any, Any]:
    """Return 1 / upper bound for each number of a field, 1 where that is not finite."""
    if not isinstance(space, spaces.Box):
        raise ModelMismatchError(f"ScorerPolicy takes fields that are Boxes, got {space}")
    high = space.high.astype(np.float32)
    return np.where(np.isfinite(high) & (high > 0), 1 / np.maximum(high, 1), 1).astype(np.float32)


class ScorerNetwork(ActionNetwork):
    """Scores of all actions and the value of the position; see the module.

    Args:
        fields: what the observation holds.
        width: of the hidden layers.
    """

    row_scale: Tensor

    def __init__(self, fields: AfterstateFields, width: int) -> None:
        super().__init__()
        self.latent_dim_pi = fields.num_actions
        self.latent_dim_vf = 1
        self.register_buffer("row_scale", fields.row_scale.clone(), persistent=False)
        self.look = nn.Linear(len(fields.row_scale), width)
        self.context = nn.Linear(len(fields.rest_scale), width)
        self.think = nn.Sequential(nn.Linear(width, width), nn.ReLU())
        self.score = nn.Linear(width, 1, bias=False)
        self.worth = nn.Linear(width, 1)
        self.outlook = nn.Sequential(nn.Linear(len(fields.rest_scale), width), nn.ReLU())
        self.outlook_worth = nn.Linear(width, 1)

    @property
    def score_layers(self) -> tuple[nn.Module, ...]:
        """The layers whose output is nothing but scores."""
        return (self.score,)

    def forward(self, seen: Seen) -> tuple[Tensor, Tensor]:
        """Return scores (B, A) and values (B, 1)."""
        exists = seen.rows.ne(0).any(2)
        owner, _ = exists.nonzero(as_tuple=True)
        rows = seen.rows[exists].float() * self.row_scale
        hidden = torch.relu(self.look(rows) + self.context(seen.rest)[owner])
        hidden = self.think(hidden)
        scores = seen.rest.new_zeros(exists.shape)
        scores = scores.masked_scatter(exists, self.score(hidden).squeeze(1))
        return scores, self._values(seen, exists, owner, scores, self.worth(hidden))

    def forward_actor(self, seen: Seen) -> Tensor:
        """Return the scores of all actions, (B, A)."""
        scores: Tensor = self(seen)[0]
        return scores

    def forward_critic(self, seen: Seen) -> Tensor:
        """Return the values, (B, 1)."""
        values: Tensor = self(seen)[1]
        return values

    def _values(
        self, seen: Seen, exists: Tensor, owner: Tensor, scores: Tensor, worth: Tensor
    ) -> Tensor:
        missing = exists.to(scores.dtype).sub(1).mul(-ILLEGAL)
        chances = torch.softmax(scores.detach() + missing, 1)[exists]
        values: Tensor = self.outlook_worth(self.outlook(seen.rest))
        return values.index_add(0, owner, chances.unsqueeze(1) * worth)


class ScorerPolicy(NetworkPolicy):
    """`ScorerNetwork` as a policy of MaskablePPO, stock or lean.

    Args:
        width: of the hidden layers, by default 64.
        arguments: as for ``MultiInputPolicy``; ``net_arch`` says nothing here.

    Raises:
        ModelMismatchError: if the observation does not describe every action's after-state.
    """

    def __init__(self, *arguments: Any, width: int = 64, **more: Any) -> None:
        self.width = width
        more["features_extractor_class"] = AfterstateFields
        super().__init__(*arguments, **more)

    def extract_features(self, obs: Any, features_extractor: Any = None) -> Any:
        """Return `Seen`, made without turning all fields into float32 first."""
        return self.features_extractor(obs)

    def get_distribution(self, obs: Any, action_masks: Masks = None) -> MaskableDistribution:
        """Return the distribution over actions in these observations."""
        scores = self.mlp_extractor.forward_actor(self.extract_features(obs))
        distribution = self.action_dist.proba_distribution(scores)
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        return distribution

    def predict_values(self, obs: Any) -> Tensor:
        """Return the values of observations, (B, 1)."""
        values: Tensor = self.mlp_extractor.forward_critic(self.extract_features(obs))
        return values

    def _build(self, lr_schedule: Any) -> None:
        """Make the network, its first weights and the optimizer."""
        fields = self.features_extractor
        assert isinstance(fields, AfterstateFields)
        self._build_around(ScorerNetwork(fields, self.width), nn.Identity(), lr_schedule)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), "width": self.width}
