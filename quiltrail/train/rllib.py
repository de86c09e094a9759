"""RLlib's door: environments as its new API stack wants them, and PPO with action masks.

The stack takes one float32 array and a mask under its own keys, names instead of environments, and
of a vector environment only the autoreset mode "NextStep". Needs ``pip install
'quiltrail[rllib]'``; docs/libraries.md says which versions go together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import torch
from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
from ray.rllib.core.columns import Columns
from ray.tune.registry import register_env

from quiltrail.envs import find_game
from quiltrail.wrappers import FlatObservation, MaskObservation, Transform, apply_transforms

_OBSERVATIONS, _MASK = "observations", "action_mask"
_FORBIDDEN = torch.finfo(torch.float32).min


def register_rllib(env_id: str) -> str:
    """Register an id with RLlib and return the name for ``config.environment(name)``.

    ``env_config`` holds the game's own settings, ``max_episode_steps`` and, under ``transforms``, a
    list of transforms that go below the flat vector. With
    ``.env_runners(gym_env_vectorize_mode="vector_entry_point")`` the environment is the native
    batch.

    Raises:
        UnknownNameError: if there is no such id.
    """
    spec = find_game(env_id)
    name = f"quiltrail-{spec.name}-v{spec.version}"
    register_env(name, lambda config: make_env(spec.id, config))
    return name


def make_env(env_id: str, config: Mapping[str, Any]) -> Any:
    """Return ``{"observations": float32 (N,), "action_mask": float32 (A,)}`` environments.

    A single one, or a native batch where the config has ``num_envs``.
    """
    settings = dict(config)
    transforms: list[Transform] = list(settings.pop("transforms", ()))
    num_envs = settings.pop("num_envs", None)
    if num_envs is None:
        env: Any = gym.make(f"quiltrail:{env_id}", **settings)
    else:
        env = gym.make_vec(f"quiltrail:{env_id}", num_envs=num_envs, **settings)
    return apply_transforms(env, *transforms, FlatObservation(), MaskObservation("rllib"))


class MaskedPPOModule(DefaultPPOTorchRLModule):  # type: ignore[misc]  # ray is untyped here
    """PPO's default module over ``observations``; illegal actions get no probability.

    The networks see only ``observations``. Batches are left as they are, so the same one can be
    passed on to another method.
    """

    def __init__(self, *, observation_space: gym.spaces.Dict, **kwargs: Any) -> None:
        self._pair = observation_space
        super().__init__(observation_space=observation_space[_OBSERVATIONS], **kwargs)

    def setup(self) -> None:
        """Build the networks, then show the whole space to the connectors."""
        super().setup()
        self.observation_space = self._pair

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return _masked(super()._forward(_unmasked(batch), **kwargs), batch)

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return _masked(super()._forward_train(_unmasked(batch), **kwargs), batch)

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """Return the values (B,) of a batch."""
        return super().compute_values(_unmasked(batch), embeddings)


def _unmasked(batch: dict[str, Any]) -> dict[str, Any]:
    return {**batch, Columns.OBS: batch[Columns.OBS][_OBSERVATIONS]}


def _masked(outputs: dict[str, Any], batch: dict[str, Any]) -> dict[str, Any]:
    logits = outputs[Columns.ACTION_DIST_INPUTS]
    legal = batch[Columns.OBS][_MASK] > 0
    return {**outputs, Columns.ACTION_DIST_INPUTS: logits.masked_fill(~legal, _FORBIDDEN)}
