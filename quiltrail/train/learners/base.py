"""What an algorithm has to do to be trained, resumed, evaluated and compared here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents import Agent
from quiltrail.core.errors import ConfigError
from quiltrail.core.extras import object_at
from quiltrail.train.config import ExperimentConfig
from quiltrail.train.learners import ALGORITHMS


class Learner(ABC):
    """One experiment being learned, from boundary to boundary.

    Between two chunks a learner is whole: `get_state` then holds everything that decides the rest
    of the run, its games included. The global generators of python, numpy and torch are seeded and
    saved by the run. What a learner draws elsewhere it has to seed and save itself.

    Making one learns nothing yet.

    Args:
        config: of the experiment.

    Attributes:
        masked: whether it sees the masks, so that none of its actions is ever refused.
        lacks: keys of the section ``training`` that the algorithm has no use for.

    Raises:
        ConfigError: if the config asks for what the algorithm does not have.
        OptionError: if a part of the config does not fit the game.
    """

    masked: ClassVar[bool] = True
    lacks: ClassVar[tuple[str, ...]] = ()

    def __init__(self, config: ExperimentConfig) -> None:
        for name in self.lacks:
            if getattr(config.training, name):
                raise ConfigError(f"{config.training.algorithm} has no training.{name}")
        self.config = config

    @property
    @abstractmethod
    def steps(self) -> int:
        """How many environment steps it has learned from."""

    @property
    def progress(self) -> float:
        """Which share of the run lies behind, 0 to 1."""
        return min(1.0, self.steps / self.config.training.total_steps)

    @property
    def learning_rate(self) -> float:
        """What the config's schedule says at this progress."""
        return self.config.training.learning_rate.at(self.progress)

    @property
    def refusals(self) -> int:
        """How many of its actions the games have refused; 0 for one that plays legal ones only."""
        return 0

    @abstractmethod
    def learn_chunk(self) -> dict[str, float]:
        """Learn up to the next boundary, a second or so; return what is worth a line in a log."""

    @abstractmethod
    def get_state(self) -> dict[str, Any]:
        """Return everything that decides the rest of the run, in plain values (`train.tree`)."""

    @abstractmethod
    def set_state(self, state: dict[str, Any]) -> None:
        """Go on exactly from a state of `get_state`, in a learner made from the same config."""

    @abstractmethod
    def weights(self) -> Mapping[str, NDArray[np.generic]]:
        """Return what was learned, by name; its hash tells whether two runs are the same."""

    @abstractmethod
    def player(self, *, deterministic: bool = True) -> Agent:
        """Return a player of what is learned so far; it follows the learner."""

    @abstractmethod
    def save_model(self, path: Path) -> None:
        """Write the file that `load_player` reads."""

    @classmethod
    @abstractmethod
    def load_player(
        cls, path: Path, config: ExperimentConfig | None, *, deterministic: bool = True
    ) -> Agent:
        """Return the player of a saved model; without a config, one that learned the plain game.

        Raises:
            ModelMismatchError: if the file holds no such model.
        """


def find_learner(algorithm: str) -> type[Learner]:
    """Return the class behind an algorithm's name, which the config has checked."""
    learner: type[Learner] = object_at(ALGORITHMS[algorithm])
    return learner
