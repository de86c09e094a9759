"""Evaluation: the plain game, one episode for each seed of a fixed list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from quiltrail.agents import Agent
from quiltrail.core.engine import Engine
from quiltrail.core.errors import ModelMismatchError, OptionError
from quiltrail.core.levelled_engine import LevelledEngine
from quiltrail.core.record import GameRecord
from quiltrail.envs import find_game
from quiltrail.envs.batch import GameBatch
from quiltrail.statistics import Summary, share, summarise
from quiltrail.wrappers import Transform
from quiltrail.wrappers.transform import bound_spaces, played_through, seen_through


@dataclass(frozen=True)
class Evaluation:
    """What a player reached.

    Attributes:
        seeds: the game seeds, one an episode.
        scores: published scores at the end of the episodes.
        lengths: steps of the episodes.
        refusals: how many of its actions were refused; 0 for a masked player.
        first_game: the first seed's episode, which replays.
        successes: which episodes ended as a success; None where the game has no such notion.
        in_budget: which of them took no more steps than the board's budget of actions; None where
            boards are no levels.
    """

    env_id: str
    seeds: list[int]
    scores: list[int]
    lengths: list[int]
    refusals: int
    first_game: GameRecord = field(compare=False)
    successes: list[bool] | None = None
    in_budget: list[bool] | None = None

    @property
    def mean_score(self) -> float:
        """Mean score over the episodes."""
        return float(np.mean(self.scores))

    def summary(self) -> dict[str, Summary]:
        """Return mean, median and interquartile mean of the scores with 95 % intervals."""
        return summarise(self.scores)

    def rates(self) -> dict[str, Summary]:
        """Return the shares of successes, with 95 % intervals over episodes; {} without any."""
        return rates_of([self])

    def to_json(self) -> dict[str, Any]:
        """Return everything but the first game as JSON values."""
        lengths = np.percentile(self.lengths, (0, 50, 100)).tolist()
        return {
            "env_id": self.env_id,
            "summary": {name: one.to_json() for name, one in self.summary().items()},
            "episode_length": dict(zip(("min", "median", "max"), lengths, strict=True)),
            "refusals": self.refusals,
            "rates": {name: one.to_json() for name, one in self.rates().items()},
            "seeds": self.seeds,
            "scores": self.scores,
            "lengths": self.lengths,
            "successes": self.successes,
            "in_budget": self.in_budget,
        }


def rates_of(evaluations: Sequence[Evaluation]) -> dict[str, Summary]:
    """Return the shares of successes over all episodes: ``success``, and ``in_budget`` of levels.

    Shares of several evaluations are pooled; each rate is left out unless all of them have it.
    """
    found = {
        "success": [one.successes for one in evaluations],
        "in_budget": [one.in_budget for one in evaluations],
    }
    episodes = sum(len(one.seeds) for one in evaluations)
    return {
        name: share(sum(sum(part or ()) for part in parts), episodes)
        for name, parts in found.items()
        if None not in parts
    }


class ModelPlayer(Agent):
    """A trained SB3 model as a player.

    Args:
        model: an SB3 or sb3-contrib algorithm with ``predict``.
        transforms: those of its training that change observations, masks or action numbers.
        deterministic: whether it plays its most probable action, or draws from its policy.
        masked: whether its ``predict`` takes masks; one that does not may choose what is refused.
    """

    def __init__(
        self,
        model: Any,
        transforms: Sequence[Transform] = (),
        *,
        deterministic: bool = True,
        masked: bool | None = None,
    ) -> None:
        self.model = model
        self.transforms = tuple(transforms)
        self.deterministic = deterministic
        takes_masks = "action_masks" in signature(model.predict).parameters
        self.masked = takes_masks if masked is None else masked

    def check_game(self, engine: Engine) -> None:
        """Raise `ModelMismatchError` unless the model's spaces are those of the game."""
        actions, observations = bound_spaces(self.transforms, engine)
        faults = _misfits(self.model.action_space, actions, "actions")
        faults += _misfits(self.model.observation_space, observations, "observation")
        if faults:
            raise ModelMismatchError(
                f"the model was trained for other spaces than those of {engine.game}: "
                + "; ".join(faults)
            )

    def act(self, engine: Engine) -> NDArray[np.int64]:
        """Return the model's action for every row, in the game's numbering."""
        observations, masks = self._see(engine)
        actions, _ = self.model.predict(observations, deterministic=self.deterministic, **masks)
        return played_through(self.transforms, engine, np.asarray(actions, np.int64))

    def top_actions(self, engine: Engine, count: int = 3) -> list[tuple[int, float]]:
        """Return the policy's most probable actions in row 0 of a batch of one, best first.

        Args:
            engine: a batch of one, which the player has been checked with.
            count: how many at most.

        Returns:
            (flat action in the game's numbering, probability) pairs; none of a policy that knows
            no probabilities, such as DQN's.
        """
        policy = self.model.policy
        if not hasattr(policy, "get_distribution"):
            return []
        observations, masks = self._see(engine)
        tensors, _ = policy.obs_to_tensor(observations)
        chances = policy.get_distribution(tensors, **masks).distribution.probs
        shares = chances.detach().cpu().numpy()[0]
        best = [at for at in np.argsort(-shares, kind="stable")[:count] if shares[at] > 0]
        in_game = [played_through(self.transforms, engine, np.array([at], np.int64)) for at in best]
        return [
            (int(action[0]), float(shares[at])) for action, at in zip(in_game, best, strict=True)
        ]

    def _see(self, engine: Engine) -> tuple[Any, dict[str, NDArray[np.bool_]]]:
        """Return the model's observations, and its masks if it takes any."""
        observations, masks = seen_through(self.transforms, engine, engine.observation)
        return observations, {"action_masks": masks != 0} if self.masked else {}


def _misfits(models: spaces.Space[Any], games: spaces.Space[Any], name: str) -> list[str]:
    """Return in words where a model's space is not the game's, part by part."""
    if models == games:
        return []
    if not (isinstance(models, spaces.Dict) and isinstance(games, spaces.Dict)):
        return [f"{name}: the model has {models}, the game has {games}"]
    faults = [f'{name}: the model has no "{part}"' for part in games if part not in models.spaces]
    faults += [f'{name}: the game has no "{part}"' for part in models if part not in games.spaces]
    for part in games:
        if part in models.spaces:
            faults += _misfits(models[part], games[part], f'{name} "{part}"')
    return faults


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
    first = GameRecord(engine.game, int(engine.game_seed[0]), dict(engine.settings))
    running = ~engine.terminated
    refusals = 0
    while running.any():
        rows = np.flatnonzero(running)
        actions = player.act(engine)
        if running[0]:
            first.actions.append(int(actions[0]))
        truncated = batch.step(actions[rows], rows)
        refusals += int(np.count_nonzero(engine.refusal[rows]))
        running &= ~(engine.terminated | truncated)
    successes = None if engine.success is None else engine.success & engine.terminated
    return Evaluation(
        env_id=spec.id,
        seeds=[int(seed) for seed in seeds],
        scores=engine.score.tolist(),
        lengths=batch.elapsed.tolist(),
        refusals=refusals,
        first_game=first,
        successes=None if successes is None else successes.tolist(),
        in_budget=_in_budget(engine, successes, batch.elapsed),
    )


def _in_budget(
    engine: Engine, successes: NDArray[np.bool_] | None, lengths: NDArray[np.int64]
) -> list[bool] | None:
    """Return which boards were cleared within their budgets, in games of one board each."""
    if successes is None or not isinstance(engine, LevelledEngine):
        return None
    in_budget: list[bool] = (successes & (lengths <= engine.budgets())).tolist()
    return in_budget
