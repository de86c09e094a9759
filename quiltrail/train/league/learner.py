"""The algorithm ``tinrail_league``: a value of Tinrail learned by self-play and from a league."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.tinrail_learned import TinrailLearned
from quiltrail.agents.tinrail_network import (
    Network,
    empty_network,
    load_networks,
    room_for,
    save_networks,
)
from quiltrail.core.arguments import build, check_int
from quiltrail.core.errors import ConfigError, OptionError, shown
from quiltrail.core.jit import compiled
from quiltrail.core.mulberry32 import SEED_RANGE, advance, below, mix, shuffle
from quiltrail.envs import find_game
from quiltrail.envs.tinrail.position import STATE
from quiltrail.envs.tinrail.rails import RAILS
from quiltrail.train.config import ExperimentConfig
from quiltrail.train.league.learning import (
    LEARNER,
    Settings,
    play_matches,
    room_for_course,
    room_for_samples,
)
from quiltrail.train.league.optimizer import learn_batch, no_moments
from quiltrail.train.learners.base import Learner

_ENV_ID = "quiltrail/Tinrail-v0"
_SPREAD = 0.1  # standard deviation of the first weights


@dataclass(frozen=True)
class Hyperparameters:
    """What a config may set under ``training.hyperparameters``.

    Attributes:
        hidden: units of the network.
        batch_size: afterstates of one correction.
        epsilon: share of random placements while learning, 0 to 1.
        decay: lambda of the returns, 0 to 1.
        league_share: share of matches against snapshots, 0 to 1; the others are self-play.
        snapshots: how many frozen copies there are in the end, evenly over the run.

    Raises:
        OptionError: if one is out of range.
    """

    hidden: int = 64
    batch_size: int = 512
    epsilon: float = 0.1
    decay: float = 0.8
    league_share: float = 0.2
    snapshots: int = 8

    def __post_init__(self) -> None:
        for name in ("hidden", "batch_size", "snapshots"):
            check_int(name, getattr(self, name), 1)
        for name in ("epsilon", "decay", "league_share"):
            value = getattr(self, name)
            if type(value) is not float or not 0 <= value <= 1:
                raise OptionError(f"{name} is a float from 0 to 1, got {shown(value)}")


@compiled
def _draw_rivals(
    rivals: NDArray[np.int64], share: float, snapshots: int, cursor: np.uint64
) -> np.uint64:
    """Draw who plays the other seat of each match; return the cursor."""
    for match in range(rivals.shape[0]):
        rivals[match] = LEARNER
        # Two draws a match, needed or not: who is drawn depends on no match before.
        cursor = advance(cursor)
        draw = mix(cursor)
        cursor = advance(cursor)
        if snapshots > 0 and float(np.int64(draw)) < share * SEED_RANGE:
            rivals[match] = 1 + below(mix(cursor), snapshots)
    return cursor


class LeagueLearner(Learner):
    """TD(lambda) by self-play and against frozen snapshots; see `quiltrail.train.league.learning`.

    A step is a placement that is learned from, ``env.num_envs`` the matches of a chunk, and
    ``learning_rate`` Adam's. No bot plays along.
    """

    lacks = ("transforms", "starts", "entropy", "exploration", "policy_args")

    def __init__(self, config: ExperimentConfig) -> None:
        super().__init__(config)
        spec = find_game(config.env.id)
        if spec.id != _ENV_ID:
            raise ConfigError(f"tinrail_league learns Tinrail, not {spec.id}")
        self._hyper = build(
            "training.hyperparameters", Hyperparameters, **config.training.hyperparameters
        )
        hidden, matches = self._hyper.hidden, config.env.num_envs
        self._network = _first_network(1 + self._hyper.snapshots, hidden, config.training.seed)
        self._frozen_at = np.zeros(0, np.int64)  # steps of each snapshot
        self._moments = no_moments(hidden)
        self._batches = 0
        self._steps = 0
        self._cursor = np.uint64(config.training.seed)
        self._samples = room_for_samples(matches)
        self._course = room_for_course()
        self._room = room_for(self._network)
        self._rivals = np.zeros(matches, np.int64)
        self._game, self._track = np.zeros(1, STATE), np.zeros(1, RAILS)

    @property
    def steps(self) -> int:
        """How many placements it has learned from."""
        return self._steps

    def learn_chunk(self) -> dict[str, float]:
        """Play some matches, learn from each placement once; return errors and lengths."""
        count = self._play()
        error, step = self._fit(count)
        self._steps += count
        self._freeze_if_due()
        return {
            "train/step": step,
            "train/square_error": error,
            "train/placements": count / len(self._rivals),
            "train/snapshots": float(len(self._frozen_at)),
        }

    def get_state(self) -> dict[str, Any]:
        """Return networks, Adam's moments and the cursor, as plain arrays."""
        means, squares = self._moments.means, self._moments.squares
        return {
            "network": {name: one.copy() for name, one in self._network._asdict().items()},
            "means": {name: one.copy() for name, one in means._asdict().items()},
            "squares": {name: one.copy() for name, one in squares._asdict().items()},
            "frozen_at": self._frozen_at.copy(),
            "batches": self._batches,
            "steps": self._steps,
            "cursor": int(self._cursor),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on exactly from a state."""
        parts = {
            "network": self._network,
            "means": self._moments.means,
            "squares": self._moments.squares,
        }
        for part, network in parts.items():
            for name, weights in network._asdict().items():
                weights[:] = state[part][name]
        self._frozen_at = state["frozen_at"].copy()
        self._batches, self._steps = state["batches"], state["steps"]
        self._cursor = np.uint64(state["cursor"])

    def weights(self) -> Mapping[str, NDArray[np.generic]]:
        """Return the learner's network."""
        return self._networks(1)._asdict()

    def player(self, *, deterministic: bool = True) -> TinrailLearned:
        """Return the player that places by the value; it draws nothing at random."""
        return TinrailLearned(self._network)

    def save_model(self, path: Path) -> None:
        """Write the network and its frozen snapshots as an archive of plain arrays."""
        steps = np.concatenate([[self._steps], self._frozen_at])
        save_networks(path, self._networks(len(steps)), steps)

    @classmethod
    def load_player(
        cls, path: Path, config: ExperimentConfig | None, *, deterministic: bool = True
    ) -> TinrailLearned:
        """Return the player of a saved network; reading it executes nothing."""
        return TinrailLearned(load_networks(path)[0])

    def _networks(self, count: int) -> Network:
        return Network(*(one[:count] for one in self._network))

    def _play(self) -> int:
        """Play a chunk of matches; return how many samples there are."""
        # Kernels hand the cursor back as a plain int, and have to be given a uint64 again.
        self._cursor = _draw_rivals(
            self._rivals,
            self._hyper.league_share,
            len(self._frozen_at),
            np.uint64(self._cursor),
        )
        self._cursor, count = play_matches(
            self._network,
            self._rivals,
            Settings(self._hyper.epsilon, self._hyper.decay),
            self._game,
            self._track,
            np.uint64(self._cursor),
            self._samples,
            self._course,
            self._room,
        )
        return int(count)

    def _fit(self, count: int) -> tuple[float, float]:
        """Learn from the samples in random order; return mean square error and learning rate."""
        step = self.learning_rate
        order = np.arange(count)
        self._cursor = shuffle(order, count, np.uint64(self._cursor))
        total = 0.0
        for first in range(0, count, self._hyper.batch_size):
            batch = order[first : first + self._hyper.batch_size]
            self._batches += 1
            error = learn_batch(
                self._network,
                self._moments,
                self._samples,
                batch,
                step,
                self._batches,
                self._room.hidden,
            )
            total += error * len(batch)
        return total / count, step

    def _freeze_if_due(self) -> None:
        """Freeze a copy of the network each time another part of the run is over."""
        frozen, parts = len(self._frozen_at), self._hyper.snapshots
        total = self.config.training.total_steps
        if frozen < parts and self._steps * parts >= (1 + frozen) * total:
            for weights in self._network:
                weights[1 + frozen] = weights[LEARNER]
            self._frozen_at = np.append(self._frozen_at, self._steps)


def _first_network(networks: int, hidden: int, seed: int) -> Network:
    network = empty_network(networks, hidden)
    rng = np.random.default_rng(seed)
    for weights in (network.entries, network.head):
        weights[LEARNER] = rng.normal(scale=_SPREAD, size=weights[LEARNER].shape)
    return network
