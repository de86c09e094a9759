"""A policy for Patchrook that scores every placement as a square of a plane.

The board goes through a small convolution, every orientation of every patch through one network
that all share; a placement's score is the product of what both say. So exchanging the letters of
two patches exchanges their scores and changes nothing else. It acts in the game's own 1,209 actions
and, where the observation names a ``square``, in the 57 of `quiltrail.wrappers.CanonicalOrder`::

    MaskablePPO(PlanePolicy, EngineVecEnv("patchrook", 64, transforms=[CanonicalOrder()]))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from quiltrail.core.errors import ModelMismatchError
from quiltrail.envs.patchrook.rules import (
    BANK,
    BOARD_SIZE,
    LIFT,
    MAX_ORIENTATIONS,
    MAX_PATCHES,
    NUM_SQUARES,
    NUM_STAGES,
    PHASES,
)
from quiltrail.train.policies.lean import ActionNetwork, NetworkPolicy

_NUM_PLANES = MAX_PATCHES * MAX_ORIENTATIONS
_NUM_WHOLE = BANK + 1 - LIFT - MAX_PATCHES  # restart, next, bank
_SIZES = {
    "board": (2 + MAX_PATCHES) * NUM_SQUARES,
    "shapes": _NUM_PLANES * NUM_SQUARES,
    "tray": MAX_PATCHES,
    "phase": len(PHASES),
    "stage": NUM_STAGES,
    "square": NUM_SQUARES,
}
_OPTIONAL = ("square",)


class FlatFields(BaseFeaturesExtractor):
    """Lay the fields of an observation end to end; `PlaneNetwork` takes them apart again.

    Raises:
        ModelMismatchError: if the observation is not Patchrook's.
    """

    def __init__(self, observation_space: spaces.Dict) -> None:
        names = [name for name in _SIZES if name in observation_space.spaces]
        missing = set(_SIZES) - set(names) - set(_OPTIONAL)
        if missing:
            raise ModelMismatchError(
                f"PlanePolicy is for patchrook; the observation lacks {', '.join(sorted(missing))}"
            )
        super().__init__(observation_space, sum(_SIZES[name] for name in names))
        self.names = names

    def forward(self, observations: dict[str, Tensor]) -> Tensor:
        """Return (B, features)."""
        return torch.cat([observations[name].flatten(1).float() for name in self.names], dim=1)


@dataclass(frozen=True)
class _Sight:
    """What the shared layers make of a batch.

    Attributes:
        squares: (B, C, 25), what is around each square.
        planes: (B, 48, C), each orientation of each patch.
        patches: (B, 6, C), each patch, the mean of its orientations.
        whole: (B, C), tray, phase and place in the order.
        covered: (B, 6, 25), the squares under each patch.
        square: (B, 25), the only square that takes placements, or None.
    """

    squares: Tensor
    planes: Tensor
    patches: Tensor
    whole: Tensor
    covered: Tensor
    square: Tensor | None


class PlaneNetwork(ActionNetwork):
    """Scores of all actions, and what the value is read from.

    Args:
        names: the fields in the features, in order; see `FlatFields`.
        channels: C, the width of everything.
    """

    def __init__(self, names: list[str], channels: int) -> None:
        super().__init__()
        self.names = names
        self.latent_dim_pi = _NUM_PLANES + MAX_PATCHES + _NUM_WHOLE
        if "square" not in names:
            self.latent_dim_pi = LIFT + MAX_PATCHES + _NUM_WHOLE
        self.latent_dim_vf = 2 * channels
        self.shape = nn.Sequential(
            nn.Linear(NUM_SQUARES, channels), nn.ReLU(), nn.Linear(channels, channels)
        )
        told = channels + len(PHASES) + NUM_STAGES
        self.whole = nn.Sequential(nn.Linear(told, channels), nn.ReLU())
        self.look = nn.Conv2d(2, channels, BOARD_SIZE, padding=BOARD_SIZE // 2)
        self.inform = nn.Linear(channels, channels)
        self.think = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.ReLU(),
        )
        self.place = nn.Linear(2 * channels, channels)
        self.lift = nn.Sequential(nn.Linear(3 * channels, channels), nn.ReLU())
        self.lift_score = nn.Linear(channels, 1)
        self.whole_scores = nn.Linear(2 * channels, _NUM_WHOLE)
        self.value = nn.Sequential(nn.Linear(channels * (NUM_SQUARES + 1), 2 * channels), nn.ReLU())

    @property
    def score_layers(self) -> tuple[nn.Module, ...]:
        """The layers whose output is nothing but scores."""
        return self.place, self.lift_score, self.whole_scores

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Return scores (B, A) and (B, latent_dim_vf)."""
        sight = self._see(features)
        return self._scores(sight), self._judge(sight)

    def forward_actor(self, features: Tensor) -> Tensor:
        """Return the scores of all actions, (B, A)."""
        return self._scores(self._see(features))

    def forward_critic(self, features: Tensor) -> Tensor:
        """Return what the value is read from, (B, latent_dim_vf)."""
        return self._judge(self._see(features))

    def _see(self, features: Tensor) -> _Sight:
        sizes = [_SIZES[name] for name in self.names]
        parts = dict(zip(self.names, torch.split(features, sizes, dim=1), strict=True))
        board = parts["board"].reshape(len(features), -1, NUM_SQUARES)
        shapes = parts["shapes"].reshape(len(features), -1, NUM_SQUARES)
        exists = shapes.amax(2, keepdim=True)
        planes = self.shape(shapes) * exists
        by_patch = planes.reshape(len(features), MAX_PATCHES, MAX_ORIENTATIONS, -1).sum(2)
        counts = exists.reshape(len(features), MAX_PATCHES, MAX_ORIENTATIONS, 1).sum(2)
        patches = by_patch / counts.clamp(min=1)
        left = (patches * parts["tray"].unsqueeze(2)).sum(1)
        whole = self.whole(torch.cat([left, parts["phase"], parts["stage"]], 1))
        seen = self.look(board[:, :2].reshape(-1, 2, BOARD_SIZE, BOARD_SIZE))
        seen = torch.relu(seen + self.inform(whole)[:, :, None, None])
        return _Sight(
            squares=self.think(seen).flatten(2),
            planes=planes,
            patches=patches,
            whole=whole,
            covered=board[:, 2:],
            square=parts.get("square"),
        )

    def _scores(self, sight: _Sight) -> Tensor:
        whole = sight.whole.unsqueeze(1)
        asked = torch.cat([sight.planes, whole.expand_as(sight.planes)], 2)
        places = self.place(asked) @ sight.squares  # (B, 48, 25)
        if sight.square is not None:
            places = places @ sight.square.unsqueeze(2)
        under = sight.covered @ sight.squares.transpose(1, 2)
        raised = torch.cat([under, sight.patches, whole.expand_as(sight.patches)], 2)
        lifts = self.lift_score(self.lift(raised)).flatten(1)
        others = self.whole_scores(torch.cat([sight.whole, sight.squares.mean(2)], 1))
        return torch.cat([places.flatten(1), lifts, others], 1)

    def _judge(self, sight: _Sight) -> Tensor:
        judged: Tensor = self.value(torch.cat([sight.squares.flatten(1), sight.whole], 1))
        return judged


class PlanePolicy(NetworkPolicy):
    """`PlaneNetwork` as a policy of MaskablePPO, stock or lean.

    Args:
        channels: width of the network, by default 32.
        arguments: as for ``MultiInputPolicy``; ``net_arch`` says nothing here.

    Raises:
        ModelMismatchError: if the spaces are not Patchrook's.
    """

    def __init__(self, *arguments: Any, channels: int = 32, **more: Any) -> None:
        self.channels = channels
        more["features_extractor_class"] = FlatFields
        super().__init__(*arguments, **more)

    def _build(self, lr_schedule: Any) -> None:
        """Make the network, its first weights and the optimizer."""
        assert isinstance(self.features_extractor, FlatFields)
        network = PlaneNetwork(self.features_extractor.names, self.channels)
        self._build_around(network, nn.Linear(network.latent_dim_vf, 1), lr_schedule)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), "channels": self.channels}
