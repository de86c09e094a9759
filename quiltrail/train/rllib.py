"""What `quiltrail.rllib` offers: environments as RLlib's new stack wants them, and masked PPO.

The stack takes one float32 array and a mask under its own keys, names instead of environments, and
of a vector environment only the autoreset mode "NextStep".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
from ray.rllib.core.columns import Columns
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.tune.registry import register_env

from quiltrail.core.errors import unknown_name
from quiltrail.core.extras import object_at
from quiltrail.envs import AEC_ENVS, find_game
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


def register_rllib_multi_agent(aec_id: str) -> str:
    """Register a game for several agents with RLlib and return its name.

    ``env_config`` holds the game's own settings; the environment is an `AECMultiAgentEnv`.

    Raises:
        UnknownNameError: if there is no such id.
    """
    if aec_id not in AEC_ENVS:
        raise unknown_name("multi-agent id", aec_id, AEC_ENVS)
    name = aec_id.replace("/", "-")
    register_env(name, lambda config: AECMultiAgentEnv(aec_id, config))
    return name


class AECMultiAgentEnv(MultiAgentEnv):  # type: ignore[misc]  # ray is untyped here
    """A game of PettingZoo's turn-based kind: whose observation comes back is to act.

    Observations are ``{"observations": float32 (N,), "action_mask": float32 (A,)}``, rewards come
    for all agents at every step, and at the end all agents see the last position.

    Args:
        aec_id: a key of `quiltrail.envs.AEC_ENVS`.
        config: the game's own settings.
    """

    def __init__(self, aec_id: str, config: Mapping[str, Any]) -> None:
        super().__init__()
        self._game = object_at(AEC_ENVS[aec_id])(**config)
        self.possible_agents = list(self._game.possible_agents)
        self.agents = list(self.possible_agents)
        self.observation_spaces = {agent: self._pair(agent) for agent in self.agents}
        self.action_spaces = {agent: self._game.action_space(agent) for agent in self.agents}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a game; return what the agent to move sees."""
        self._game.reset(seed=seed, options=options)
        self.agents = list(self.possible_agents)
        return self._seen([self._game.agent_selection]), {}

    def step(self, action_dict: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """Play the action of the agent to move; others' actions are not looked at."""
        game = self._game
        game.step(int(action_dict[game.agent_selection]))
        rewards = {agent: float(game.rewards[agent]) for agent in self.possible_agents}
        ends, cuts = dict(game.terminations), dict(game.truncations)
        over = all(ends[agent] or cuts[agent] for agent in self.possible_agents)
        seen = self._seen(self.possible_agents if over else [game.agent_selection])
        ends["__all__"], cuts["__all__"] = over and not any(cuts.values()), any(cuts.values())
        return seen, rewards, ends, cuts, {}

    def _seen(self, agents: list[str]) -> dict[str, Any]:
        pairs = {agent: self._game.observe(agent) for agent in agents}
        return {
            agent: {
                _OBSERVATIONS: pair["observation"].astype(np.float32),
                _MASK: pair["action_mask"].astype(np.float32),
            }
            for agent, pair in pairs.items()
        }

    def _pair(self, agent: str) -> gym.spaces.Dict:
        space = self._game.observation_space(agent)
        boxes = {_OBSERVATIONS: space["observation"], _MASK: space["action_mask"]}
        return gym.spaces.Dict(
            {
                key: gym.spaces.Box(
                    box.low.astype(np.float32), box.high.astype(np.float32), dtype=np.float32
                )
                for key, box in boxes.items()
            }
        )


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
