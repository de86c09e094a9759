"""What a trained policy thinks of its actions."""

from __future__ import annotations

import numpy as np

from quiltrail.agents import Agent
from quiltrail.core.engine import Engine
from quiltrail.train.evaluate import ModelPlayer
from quiltrail.wrappers.transform import seen_through


def top_actions(player: Agent, engine: Engine, count: int = 3) -> list[tuple[int, float]]:
    """Return a policy's most probable actions in row 0 of a batch of one, with probabilities.

    Args:
        player: any player; one without a policy that gives probabilities has none to tell.
        engine: a batch of one, which `player` has been checked with.
        count: how many at most.

    Returns:
        (flat action in the game's numbering, probability) pairs, the most probable first.
    """
    if not isinstance(player, ModelPlayer) or not hasattr(player.model.policy, "get_distribution"):
        return []
    policy = player.model.policy
    observations, masks = seen_through(player.transforms, engine, engine.observation)
    tensors, _ = policy.obs_to_tensor(observations)
    more = {"action_masks": masks != 0} if player.masked else {}
    chances = policy.get_distribution(tensors, **more).distribution.probs
    shares = chances.detach().cpu().numpy()[0]
    best = [int(index) for index in np.argsort(-shares, kind="stable")[:count] if shares[index] > 0]
    found = []
    for index in best:
        action = np.array([index], np.int64)
        for transform in reversed(player.transforms):
            action = transform.to_game(engine, action)
        found.append((int(action[0]), float(shares[index])))
    return found
