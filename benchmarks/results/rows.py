"""What is published: the rows of table.yaml, and the commands that repeat each by hand."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

import yaml
from pydantic import Field, model_validator

from quiltrail.cli.values import parse_seeds
from quiltrail.train.config import ExperimentConfig, load_config
from quiltrail.train.sections import Section, digest_of

TABLE = Path(__file__).with_name("table.yaml")
_ROOT = Path(__file__).parents[2]


class Training(Section):
    """Runs of one config with several seeds, as ``quiltrail train`` makes them."""

    config: str
    seeds: str = "0-4"
    set: list[str] = Field(default_factory=list)

    def experiments(self) -> list[ExperimentConfig]:
        """Return the config of each run."""
        return [
            load_config(self.config, [*self.set, f"training.seed={seed}"])
            for seed in parse_seeds(self.seeds)
        ]

    def command(self) -> list[str]:
        """Return what repeats the runs by hand."""
        settings = [word for one in self.set for word in ("--set", one)]
        return ["quiltrail", "train", self.config, "--seeds", self.seeds, *settings]


class Play(Section):
    """Games of a player on fixed seeds, as ``quiltrail evaluate`` plays them.

    Attributes:
        agent: who plays, by name; None for the models that the row has trained.
        agent_settings: its arguments.
        seeds: of the games.
        settings: the game's own arguments.
        max_steps: the time limit; None for the id's own.
    """

    agent: str | None = None
    agent_settings: dict[str, Any] = Field(default_factory=dict)
    seeds: str = "0-99"
    settings: dict[str, Any] = Field(default_factory=dict)
    max_steps: int | None = None

    def command(self, env: str, runs: str) -> list[str]:
        """Return what repeats the games by hand."""
        player = ["--model", runs] if self.agent is None else ["--agent", self.agent]
        words = ["quiltrail", "evaluate", "--env", env, *player]
        words += _settings("--agent-set", self.agent_settings)
        words += _settings("--set", self.settings)
        words += ["--seeds", self.seeds]
        return words if self.max_steps is None else [*words, "--max-steps", str(self.max_steps)]


def experiment_digest(experiment: ExperimentConfig) -> str:
    """Return a hash of what decides a run and is not the default, so that new options keep it."""
    beside = {"description", "checkpoints"}
    return digest_of(experiment.model_dump(mode="json", exclude=beside, exclude_defaults=True))


class Row(Section):
    """One agent on one game: trained, or played, or trained and then played.

    Attributes:
        env: the environment's short name; the page has a table for each.
        agent: who it is, in words.
        train: how it is trained; None for a player that needs no training, or comes trained.
        play: how it is judged; None for the final evaluation of its training runs.
        weights: the shipped file that the player plays by, from the root of the repository.
        statistic: of scores and lengths. Over games; over the means of runs where there are
            several.
    """

    env: str
    agent: str
    train: Training | None = None
    play: Play | None = None
    weights: str | None = None
    statistic: Literal["mean", "median"] = "mean"

    @model_validator(mode="after")
    def _has_a_player(self) -> Self:
        if self.train is None and (self.play is None or self.play.agent is None):
            raise ValueError("a row trains models or names an agent that plays")
        return self

    @property
    def digest(self) -> str:
        """A hash of everything that decides the measurement."""
        decides = self.model_dump(mode="json", exclude={"agent"}, exclude_defaults=True)
        if self.train is not None:
            decides["experiments"] = [experiment_digest(one) for one in self.train.experiments()]
        if self.weights is not None:
            decides["weights"] = hashlib.sha256((_ROOT / self.weights).read_bytes()).hexdigest()
        return digest_of(decides)

    def commands(self) -> list[str]:
        """Return the commands that repeat the row by hand, in order."""
        words = []
        if self.train is not None:
            words.append(self.train.command())
        if self.play is not None:
            words.append(self.play.command(self.env, "RUN"))
        return [shlex.join(one) for one in words]


def load_rows(path: Path = TABLE) -> dict[str, Row]:
    """Return the rows by name, in the order of the table."""
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {name: Row.model_validate(row) for name, row in data.items()}


def is_stale(row: Row, measured: Mapping[str, Any] | None) -> bool:
    """Return whether there is no measurement of a row, or one of what it was before a change."""
    return measured is None or measured["digest"] != row.digest


def _settings(option: str, values: Mapping[str, Any]) -> list[str]:
    """Return settings as a command line takes them."""
    texts = [
        f"{key}={value if isinstance(value, str) else json.dumps(value)}"
        for key, value in values.items()
    ]
    return [word for text in texts for word in (option, text)]
