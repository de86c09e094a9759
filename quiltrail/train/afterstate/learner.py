"""The algorithm ``afterstate_td``: an n-tuple value of after-states, learned by playing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents import Agent
from quiltrail.core.arguments import build
from quiltrail.envs import find_game
from quiltrail.train.afterstate.learning import AfterstateTD, Hyperparameters, Tally
from quiltrail.train.afterstate.value import AfterstateValue, load_value
from quiltrail.train.config import ExperimentConfig
from quiltrail.train.learners.base import Learner

_CHUNK = 65_536  # moves, about a second


class AfterstateLearner(Learner):
    """TD(0) on after-states; see `quiltrail.train.afterstate.learning`.

    ``learning_rate`` is the share of an error that one correction takes away, and
    ``env.max_episode_steps`` the moves behind which a training episode is cut off.
    """

    lacks = ("transforms", "starts", "entropy", "exploration", "policy_args")

    def __init__(self, config: ExperimentConfig) -> None:
        super().__init__(config)
        spec = find_game(config.env.id)
        self._td = AfterstateTD(
            spec.make_engine(config.env.num_envs, **config.env.settings),
            build("training.hyperparameters", Hyperparameters, **config.training.hyperparameters),
            config.training.seed,
            config.env.max_episode_steps or spec.max_episode_steps,
        )
        self._rounds = max(1, _CHUNK // config.env.num_envs)
        self._steps = 0

    @property
    def steps(self) -> int:
        """How many moves it has learned from."""
        return self._steps

    def learn_chunk(self) -> dict[str, float]:
        """Make some ten thousand moves; return lengths, errors and the step size."""
        tally = Tally()
        step = self.learning_rate
        self._td.play(self._rounds, step, tally)
        self._steps += tally.moves
        return {
            "train/step": step,
            "train/episodes": float(tally.episodes),
            "train/mean_error": tally.errors / tally.moves,
            "train/mean_moves": tally.finished_moves / max(1, tally.finished),
        }

    def get_state(self) -> dict[str, Any]:
        """Return tables, games and the place in the stream of starts, as plain values."""
        return {"td": self._td.get_state(), "steps": self._steps}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on exactly from a state."""
        self._td.set_state(state["td"])
        self._steps = state["steps"]

    def weights(self) -> Mapping[str, NDArray[np.generic]]:
        """Return the tables' weights."""
        return {"weights": self._td.tables.weights}

    def value(self) -> AfterstateValue:
        """Return what is learned so far as a value function that follows the learner."""
        return self._td.value

    def player(self, *, deterministic: bool = True) -> Agent:
        """Return the player that looks one move ahead; it draws nothing at random."""
        return self._td.game.player(self.value())

    def save_model(self, path: Path) -> None:
        """Write the value as an archive of plain arrays."""
        self.value().save(path)

    @classmethod
    def load_player(
        cls, path: Path, config: ExperimentConfig | None, *, deterministic: bool = True
    ) -> Agent:
        """Return the player of a saved value; reading it executes nothing."""
        value = load_value(path)
        return value.game.player(value)
