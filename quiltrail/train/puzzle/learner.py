"""The algorithm ``puzzle_value``: a network learns scores of positions from its own attempts.

Moves hold no chance, so the score of a position is at least what one move and the best score behind
it promise, and at least what an attempt that came through it has reached:

    score(position) <- max(step + max over moves score(child), what the attempt reached)

The network behind the first part stands still for a while (a target network). Attempts begin at
levels, or at scrambles of the goal, and take moves at random in proportion to exp(greed * score).
Nothing here knows a solution.

Sources: Sutton, Barto, "Reinforcement learning", 2nd edition, sections 4.4 and 6.8 (value
iteration, afterstates); Agostinelli, McAleer, Shmakov, Baldi, "Solving the Rubik's cube with deep
reinforcement learning and search", Nature Machine Intelligence 2019 (value iteration by a network
on scrambles); Oh, Guo, Singh, Lee, "Self-imitation learning", ICML 2018 (what was reached as a
lower bound).
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from quiltrail.agents import Agent
from quiltrail.core.arguments import build, check_int
from quiltrail.core.array_types import Rows
from quiltrail.core.errors import ConfigError, OptionError, shown
from quiltrail.core.levelled_engine import LevelledEngine
from quiltrail.core.mulberry32 import SEED_RANGE
from quiltrail.envs import find_game
from quiltrail.envs.patchrook.levels import PatchrookLevelsEngine
from quiltrail.envs.sunpleat.levels import SunpleatLevelsEngine
from quiltrail.train.config import ExperimentConfig, Schedule
from quiltrail.train.learners.base import Learner
from quiltrail.train.parts import CURRICULUM, make_starts
from quiltrail.train.puzzle.attempts import Attempts, Samples
from quiltrail.train.puzzle.patchrook import PatchrookPuzzle
from quiltrail.train.puzzle.puzzle import Puzzle
from quiltrail.train.puzzle.sunpleat import SunpleatPuzzle
from quiltrail.train.puzzle.value import PuzzleValue, load_value, make_network
from quiltrail.wrappers.curriculum import Curriculum

_CHUNK = 16_384  # moves, a second or so
_NO_EXPLORATION = Schedule(initial=0.0, final=0.0)


@dataclass(frozen=True)
class Hyperparameters:
    """What a config may set under ``training.hyperparameters``.

    Attributes:
        batch_size: least number of positions of a correction, at least 1.
        target_every: corrections after which the network that targets are read from follows.
        greed: how strongly attempts prefer the better moves, at least 0.
        attempts: how many attempts a level gets, unless one solves it before.
        scrambled: share of attempts that begin at a scramble of the goal, 0 to 1.

    Raises:
        OptionError: if one is out of range.
    """

    batch_size: int = 1024
    target_every: int = 50
    greed: float = 3.0
    attempts: int = 1
    scrambled: float = 0.0

    def __post_init__(self) -> None:
        for name in ("batch_size", "target_every", "attempts"):
            check_int(name, getattr(self, name), 1)
        if type(self.greed) not in (int, float) or not self.greed >= 0:
            raise OptionError(f"greed is a number from 0 on, got {shown(self.greed)}")
        if type(self.scrambled) not in (int, float) or not 0 <= self.scrambled <= 1:
            raise OptionError(f"scrambled is a number from 0 to 1, got {shown(self.scrambled)}")


class PuzzleValueLearner(Learner):
    """Learns the scores of a puzzle of levels; its players look one move ahead."""

    lacks = ("transforms", "entropy", "policy_args")

    def __init__(self, config: ExperimentConfig) -> None:
        super().__init__(config)
        if not config.env.settings.get("one_board"):
            raise ConfigError(
                "puzzle_value needs env.settings.one_board: true; a level is an episode"
            )
        self._hyper = build(
            "training.hyperparameters", Hyperparameters, **config.training.hyperparameters
        )
        spec = find_game(config.env.id)
        self._engine = spec.make_engine(config.env.num_envs, **config.env.settings)
        self._puzzle = _puzzle_of(self._engine)
        self._curriculum = _curriculum(config, self._engine)
        self._network = make_network(self._puzzle.features, config.training.net_arch)
        self._target = deepcopy(self._network)
        self._optimizer = torch.optim.Adam(self._network.parameters(), fused=True)
        self._rng = np.random.default_rng(config.training.seed)
        self._attempts = Attempts(self._puzzle, config.env.num_envs)
        self._left = np.zeros(config.env.num_envs, np.int64)  # further attempts at the level
        self._waiting: Samples | None = None  # until there are enough for a correction
        self._steps = self._corrections = 0
        self._begin(np.arange(config.env.num_envs))

    @property
    def steps(self) -> int:
        """How many moves it has learned from."""
        return self._steps

    def learn_chunk(self) -> dict[str, float]:
        """Make some ten thousand moves; return losses and the share of solved attempts."""
        losses: list[float] = []
        ended = solved = 0
        goal = self._steps + _CHUNK
        while self._steps < goal:
            rows, is_solved = self._move()
            ended += len(rows)
            solved += int(is_solved.sum())
            if self._waiting is not None and len(self._waiting.targets) >= self._hyper.batch_size:
                losses.append(self._correct(self._waiting))
                self._waiting = None
        values = {
            "train/attempts": float(ended),
            "train/solved": solved / max(1, ended),
            "train/rate": self.learning_rate,
        }
        if losses:
            values["train/loss"] = float(np.mean(losses))
        if self._curriculum is not None:
            values["train/curriculum_bin"] = float(self._curriculum.bin)
        return values

    def get_state(self) -> dict[str, Any]:
        """Return networks, optimizer, attempts under way, curriculum and random generator."""
        networks = io.BytesIO()
        parts = (self._network, self._target, self._optimizer)
        torch.save([part.state_dict() for part in parts], networks)
        return {
            "networks": networks.getvalue(),
            "attempts": self._attempts.get_state(),
            "left": self._left.copy(),
            "waiting": self._waiting,
            "curriculum": self._curriculum and self._curriculum.get_state(),
            "rng": self._rng.bit_generator.state,
            "steps": self._steps,
            "corrections": self._corrections,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on exactly from a state."""
        saved = torch.load(io.BytesIO(state["networks"]), weights_only=True)
        parts: tuple[Any, ...] = (self._network, self._target, self._optimizer)
        for part, values in zip(parts, saved, strict=True):
            part.load_state_dict(values)
        self._attempts.set_state(state["attempts"])
        self._left[:] = state["left"]
        waiting = state["waiting"]
        self._waiting = None if waiting is None else Samples(*waiting)
        if self._curriculum is not None:
            self._curriculum.set_state(state["curriculum"])
        self._rng.bit_generator.state = state["rng"]
        self._steps, self._corrections = state["steps"], state["corrections"]

    def weights(self) -> Mapping[str, NDArray[np.generic]]:
        """Return the network's parameters."""
        return self.value().arrays()

    def value(self) -> PuzzleValue:
        """Return what is learned so far as a value that follows the learner."""
        return PuzzleValue(self._puzzle, self._network)

    def player(self, *, deterministic: bool = True) -> Agent:
        """Return the puzzle's player, which draws nothing at random."""
        return self._puzzle.player(self.value().scores)

    def save_model(self, path: Path) -> None:
        """Write the value as an archive of plain arrays."""
        self.value().save(path)

    @classmethod
    def load_player(
        cls, path: Path, config: ExperimentConfig | None, *, deterministic: bool = True
    ) -> Agent:
        """Return the player of a saved value; reading it executes nothing.

        Raises:
            ModelMismatchError: if the file holds no such value.
            ConfigError: without a config, which says what puzzle it is of.
        """
        if config is None:
            raise ConfigError("a puzzle's value is played from its run folder; name the folder")
        engine = find_game(config.env.id).make_engine(1, **config.env.settings)
        puzzle = _puzzle_of(engine)
        return puzzle.player(load_value(path, puzzle).scores)

    def _move(self) -> tuple[Rows, NDArray[np.bool_]]:
        """Make one move in every attempt; begin new ones; return which rows ended, and how."""
        exploration = self.config.training.exploration or _NO_EXPLORATION
        share = exploration.at(self.progress)
        greed = np.where(self._rng.random(len(self._left)) < share, 0.0, self._hyper.greed)
        target = PuzzleValue(self._puzzle, self._target)
        self._steps += self._attempts.move(target.scores, greed, self._rng)
        rows, solved = self._attempts.ended()
        if len(rows):
            self._keep(self._attempts.samples(rows))
            again = rows[~solved & (self._left[rows] > 0)]
            done = np.isin(rows, again, invert=True)
            self._left[again] -= 1
            self._attempts.again(again)
            if self._curriculum is not None:
                self._curriculum.record(rows[done], solved[done])
            self._begin(rows[done])
        return rows, solved

    def _keep(self, samples: Samples) -> None:
        """Add what attempts have shown to what waits for the next correction."""
        fits = self._puzzle.may_learn(samples.positions, self.config.env.settings.get("split"))
        fitting = Samples(samples.positions[fits], samples.targets[fits])
        if self._waiting is None:
            self._waiting = fitting
        else:
            pairs = zip(self._waiting, fitting, strict=True)
            self._waiting = Samples(*(np.concatenate(pair) for pair in pairs))

    def _begin(self, rows: Rows) -> None:
        """Begin attempts at new levels, or at scrambles of the goal."""
        scrambled = self._rng.random(len(rows)) < self._hyper.scrambled
        at_goal, at_level = rows[scrambled], rows[~scrambled]
        if len(at_goal):
            self._attempts.begin(at_goal, self._puzzle.scrambled(len(at_goal), self._rng))
            self._left[at_goal] = 0
        if len(at_level):
            self._deal(at_level)
            self._attempts.begin(at_level, self._puzzle.starts(self._engine, at_level))
            self._left[at_level] = self._hyper.attempts - 1

    def _deal(self, rows: Rows) -> None:
        """Deal levels of random game seeds, those that the curriculum wants."""
        seeds = self._rng.integers(SEED_RANGE, size=len(rows), dtype=np.uint64)
        start: dict[str, NDArray[np.int64]] = {}
        if self._curriculum is not None:
            chosen = self._curriculum.levels(self._engine, rows, seeds)
            start["level"] = np.array([chosen[row] for row in rows], np.int64)
        self._engine.reset(rows, seeds, **start)

    def _correct(self, samples: Samples) -> float:
        """Move the network towards some targets; return the loss it had."""
        for group in self._optimizer.param_groups:
            group["lr"] = self.learning_rate
        outputs = PuzzleValue(self._puzzle, self._network).outputs(samples.positions)
        targets = torch.from_numpy(samples.targets.astype(np.float32))
        loss_of = (
            functional.binary_cross_entropy_with_logits
            if self._puzzle.is_chance
            else functional.mse_loss
        )
        loss = loss_of(outputs, targets)
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch's own
        self._optimizer.step()
        self._corrections += 1
        if self._corrections % self._hyper.target_every == 0:
            self._target.load_state_dict(self._network.state_dict())
        return float(loss.detach())


def _puzzle_of(engine: object) -> Puzzle:
    """Return an engine's game as a puzzle.

    Raises:
        ConfigError: if it is none.
    """
    if isinstance(engine, PatchrookLevelsEngine):
        return PatchrookPuzzle()
    if isinstance(engine, SunpleatLevelsEngine):
        return SunpleatPuzzle(engine.source.pennants)
    raise ConfigError("puzzle_value learns patchrook-levels and sunpleat-levels, no other game")


def _curriculum(config: ExperimentConfig, engine: object) -> Curriculum | None:
    """Return the config's curriculum.

    Raises:
        ConfigError: if its starts are something else.
    """
    section = config.training.starts
    if section is None:
        return None
    if section.name != CURRICULUM or not isinstance(engine, LevelledEngine):
        raise ConfigError(f"puzzle_value takes {CURRICULUM} for its starts, not {section.name}")
    starts = make_starts(section)
    assert isinstance(starts, Curriculum)
    return starts
