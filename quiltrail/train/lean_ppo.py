"""MaskablePPO that spends its time on the networks: lean policies, masks kept as bool.

A drop-in: `LeanMaskablePPO` takes what `MaskablePPO` takes and learns the same. It swaps the
policies of SB3's names for their lean counterparts and the rollout buffer for one that keeps masks
as one byte an action (stock: four) and hands out minibatches with one copy (stock: two).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableDictRolloutBuffer, MaskableRolloutBuffer
from stable_baselines3.common.buffers import DictRolloutBuffer, RolloutBuffer
from torch import Tensor

from quiltrail.train.policies.lean import LeanMlpPolicy, LeanMultiInputPolicy


class LeanRolloutBuffer(MaskableRolloutBuffer):
    """Rollouts of one array an observation; masks are bool (T, B, A)."""

    def reset(self) -> None:
        """Empty the buffer."""
        _forget_masks(self)
        RolloutBuffer.reset(self)

    def to_torch(self, array: NDArray[Any], copy: bool = True) -> Tensor:
        """Return an array as a tensor; minibatches are copies already."""
        return torch.as_tensor(array, device=self.device)


class LeanDictRolloutBuffer(MaskableDictRolloutBuffer):
    """Rollouts of a dict an observation; masks are bool (T, B, A)."""

    def reset(self) -> None:
        """Empty the buffer."""
        _forget_masks(self)
        DictRolloutBuffer.reset(self)

    def to_torch(self, array: NDArray[Any], copy: bool = True) -> Tensor:
        """Return an array as a tensor; minibatches are copies already."""
        return torch.as_tensor(array, device=self.device)


def _forget_masks(buffer: MaskableRolloutBuffer | MaskableDictRolloutBuffer) -> None:
    space = buffer.action_space
    assert isinstance(space, spaces.Discrete)  # demanded by lean policies
    buffer.mask_dims = int(space.n)
    buffer.action_masks = np.ones((buffer.buffer_size, buffer.n_envs, buffer.mask_dims), np.bool_)


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
