"""Evaluation: the plain game, masked, one episode for each seed of a fixed list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents import Agent
from quiltrail.core.engine import Engine
from quiltrail.core.errors import ModelMismatchError, OptionError
from quiltrail.envs import find_game
from quiltrail.envs.batch import GameBatch
from quiltrail.envs.spaces import action_space, observation_space
from quiltrail.train.statistics import Summary, summarise
from quiltrail.wrappers import Transform


@dataclass(frozen=True)
class Evaluation:
    """What a player reached.

    Attributes:
        seeds: the game seeds, one an episode.
        scores: published scores at the end of the episodes.
        lengths: steps of the episodes.
        refusals: how many of its actions were refused; 0 for a masked player.
    """

    env_id: str
    seeds: list[int]
    scores: list[int]
    lengths: list[int]
    refusals: int

    @property
    def mean_score(self) -> float:
        """Mean score over the episodes."""
        return float(np.mean(self.scores))

    def summary(self) -> dict[str, Summary]:
        """Return mean, median and interquartile mean of the scores with 95 % intervals."""
        return summarise(np.array(self.scores, np.float64))

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        summary = {
            name: {"value": one.value, "low": one.low, "high": one.high}
            for name, one in self.summary().items()
        }
        return {
            "env_id": self.env_id,
            "seeds": self.seeds,
            "scores": self.scores,
            "lengths": self.lengths,
            "refusals": self.refusals,
            "summary": summary,
        }


class ModelPlayer(Agent):
    """A trained SB3 model as a player; it always sees the masks.

    Args:
        model: an SB3 or sb3-contrib algorithm with ``predict``.
        transforms: those of its training that change observations, masks or action numbers.
        deterministic: whether it plays its most probable action.
    """

    def __init__(
        self, model: Any, transforms: Sequence[Transform] = (), *, deterministic: bool = True
    ) -> None:
        self.model = model
        self.transforms = tuple(transforms)
        self.deterministic = deterministic

    def check_game(self, engine: Engine) -> None:
        """Raise `ModelMismatchError` unless the model's spaces are those of the game."""
        actions, observations = action_space(engine), observation_space(engine)
        for transform in self.transforms:
            transform.bind(engine)
            actions = transform.action_space(engine, actions)
            observations = transform.observation_space(engine, observations)
        if (self.model.action_space, self.model.observation_space) != (actions, observations):
            raise ModelMismatchError(
                f"the model was trained for other spaces than those of {engine.game}: "
                f"it acts in {self.model.action_space}, the game has {actions}"
            )

    def act(self, engine: Engine) -> NDArray[np.int64]:
        """Return the model's action for every row, in the game's numbering."""
        observations, masks = engine.observation, engine.mask
        for transform in self.transforms:
            observations = transform.observations(engine, observations)
            masks = transform.masks(engine, masks)
        actions, _ = self.model.predict(
            observations, deterministic=self.deterministic, action_masks=masks != 0
        )
        chosen = np.asarray(actions, np.int64)
        for transform in reversed(self.transforms):
            chosen = transform.to_game(engine, chosen)
        return chosen


def evaluate(
    player: Agent,
    env_id: str,
    seeds: Sequence[int],
    *,
    max_episode_steps: int | None = None,
    settings: dict[str, Any] | None = None,
) -> Evaluation:
    """Play one episode for each seed, all at once in a batch.

    Args:
        player: an agent or a `ModelPlayer`.
        env_id: an environment id or short name.
        seeds: game seeds, at least one.
        max_episode_steps: None for the id's own limit.
        settings: the game's own keyword arguments.

    Raises:
        OptionError: if there are no seeds, or player or settings do not fit the game.
        InvalidSeedError: if a seed is not an int.
    """
    if not len(seeds):
        raise OptionError("an evaluation needs at least one seed")
    spec = find_game(env_id)
    engine = spec.make_engine(len(seeds), **(settings or {}))
    player.check_game(engine)
    batch = GameBatch(engine, max_episode_steps or spec.max_episode_steps)
    batch.reset(batch.all_rows, np.random.default_rng(0), list(seeds))
    running = ~engine.terminated
    refusals = 0
    while running.any():
        rows = np.flatnonzero(running)
        truncated = batch.step(player.act(engine)[rows], rows)
        refusals += int(np.count_nonzero(engine.refusal[rows]))
        running &= ~(engine.terminated | truncated)
    return Evaluation(
        env_id=spec.id,
        seeds=[int(seed) for seed in seeds],
        scores=engine.score.tolist(),
        lengths=batch.elapsed.tolist(),
        refusals=refusals,
    )
