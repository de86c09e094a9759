"""The algorithm ``afterstate_td``: an n-tuple value of Patchwork, learned by playing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.patchwork import PatchworkGreedy
from quiltrail.agents.patchwork_search import NODE
from quiltrail.core.arguments import build
from quiltrail.core.errors import ConfigError, OptionError
from quiltrail.envs import find_game
from quiltrail.envs.patchwork.engine import PatchworkEngine
from quiltrail.envs.patchwork.rules import REVIVE
from quiltrail.train.afterstate.learning import (
    EPISODES,
    ERRORS,
    FINISHED,
    FINISHED_PATCHES,
    PATCHES,
    TALLY,
    Settings,
    play_rounds,
    start_rows,
)
from quiltrail.train.afterstate.tables import empty_tables
from quiltrail.train.afterstate.value import AfterstateValue, load_value
from quiltrail.train.config import ExperimentConfig
from quiltrail.train.learners.base import Learner

_CHUNK = 65_536  # patches, about a second
_LARGEST_START = 999_999  # of the engine's option "sewn"


@dataclass(frozen=True)
class Hyperparameters:
    """What a config may set under ``training.hyperparameters``.

    Attributes:
        gamma: discount for each patch, above 0, up to 1.
        stages: how many tables there are, by progress.
        stage_patches: patches of a stage; the last has no end.
        latest_start: episodes begin as late in the deals' schedule as after 0 to so many patches.

    Raises:
        OptionError: if one is out of range.
    """

    gamma: float = 0.995
    stages: int = 1
    stage_patches: int = 500
    latest_start: int = 2500

    def __post_init__(self) -> None:
        if type(self.gamma) is not float or not 0 < self.gamma <= 1:
            raise OptionError(f"gamma is a float above 0, up to 1, got {self.gamma!r}")
        for name, least in (("stages", 1), ("stage_patches", 1), ("latest_start", 0)):
            value = getattr(self, name)
            if type(value) is not int or not least <= value <= _LARGEST_START:
                raise OptionError(f"{name} is an int from {least} on, got {value!r}")


class AfterstateLearner(Learner):
    """TD(0) on after-states of Patchwork; see `quiltrail.train.afterstate.learning`.

    ``learning_rate`` is the share of an error that one correction takes away, and
    ``env.max_episode_steps`` the patches behind which a training episode is cut off.
    """

    def __init__(self, config: ExperimentConfig) -> None:
        _check_config(config)
        self._config = config
        self._wanted = build(
            "training.hyperparameters", Hyperparameters, **config.training.hyperparameters
        )
        spec = find_game(config.env.id)
        self._most_patches = config.env.max_episode_steps or spec.max_episode_steps
        engine = spec.make_engine(config.env.num_envs, **config.env.settings)
        if not isinstance(engine, PatchworkEngine) or engine.num_actions > REVIVE:
            raise ConfigError(f"afterstate_td learns Patchwork without revive, not {spec.id}")
        self._games = engine.state
        self._tables = empty_tables(self._wanted.stages)
        self._nodes = np.zeros(config.env.num_envs, NODE)
        self._steps = 0
        self._cursor = start_rows(
            self._games,
            self._nodes,
            np.uint64(config.training.seed),
            self._wanted.latest_start,
        )

    @property
    def steps(self) -> int:
        """How many patches it has learned from."""
        return self._steps

    @property
    def refusals(self) -> int:
        """No action of its is ever refused."""
        return 0

    def learn_chunk(self) -> dict[str, float]:
        """Sew some ten thousand patches; return lengths, errors and the step size."""
        settings, tally = self._settings(), np.zeros(TALLY)
        self._cursor = play_rounds(
            self._games,
            self._nodes,
            self._tables,
            settings,
            np.uint64(self._cursor),
            max(1, _CHUNK // len(self._nodes)),
            tally,
        )
        self._steps += int(tally[PATCHES])
        return {
            "train/step": settings.step,
            "train/episodes": float(tally[EPISODES]),
            "train/mean_error": float(tally[ERRORS] / max(1.0, tally[PATCHES])),
            "train/mean_patches": float(tally[FINISHED_PATCHES] / max(1.0, tally[FINISHED])),
        }

    def get_state(self) -> dict[str, Any]:
        """Return tables, games and the cursor of the starts, as plain arrays."""
        return {
            "tables": {name: table.copy() for name, table in self._tables._asdict().items()},
            "games": self._games.copy(),
            "nodes": self._nodes.copy(),
            "cursor": int(self._cursor),
            "steps": self._steps,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on exactly from a state."""
        for name, table in self._tables._asdict().items():
            table[:] = state["tables"][name]
        self._games[:] = state["games"]
        self._nodes[:] = state["nodes"]
        self._cursor = np.uint64(state["cursor"])
        self._steps = state["steps"]

    def weights(self) -> Mapping[str, NDArray[np.generic]]:
        """Return the tables' weights."""
        return {"weights": self._tables.weights}

    def value(self) -> AfterstateValue:
        """Return what is learned so far as a value function that follows the learner."""
        return AfterstateValue(self._tables.weights, self._wanted.stage_patches, self._wanted.gamma)

    def player(self, *, deterministic: bool = True) -> PatchworkGreedy:
        """Return the player that looks one placement ahead; it draws nothing at random."""
        return PatchworkGreedy(self.value())

    def save_model(self, path: Path) -> None:
        """Write the value as an archive of plain arrays."""
        self.value().save(path)

    @classmethod
    def load_player(
        cls, path: Path, config: ExperimentConfig | None, *, deterministic: bool = True
    ) -> PatchworkGreedy:
        """Return the player of a saved value; reading it executes nothing."""
        return PatchworkGreedy(load_value(path))

    def _settings(self) -> Settings:
        training = self._config.training
        return Settings(
            gamma=self._wanted.gamma,
            step=training.learning_rate.at(min(1.0, self._steps / training.total_steps)),
            stage_patches=self._wanted.stage_patches,
            latest_start=self._wanted.latest_start,
            most_patches=self._most_patches,
        )


def _check_config(config: ExperimentConfig) -> None:
    """Refuse parts of a config that this algorithm does not have."""
    for name in ("transforms", "starts", "entropy", "exploration", "policy_args"):
        if getattr(config.training, name):
            raise ConfigError(f"afterstate_td has no training.{name}")
