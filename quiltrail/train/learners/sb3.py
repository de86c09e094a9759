"""The algorithms of Stable-Baselines3 and sb3-contrib, learned chunk by chunk.

SB3 saves neither its games nor its random generators nor, in ``model.zip``, the replay buffer; a
model loaded from there goes on differently. So a learner's state is taken here, at the end of a
rollout, where nothing else is under way. ``learn`` called chunk by chunk is ``learn`` called once;
only the schedules, which SB3 would stretch over each chunk, have to follow the run's own steps.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import QRDQN, MaskablePPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.vec_env import VecMonitor

from quiltrail.core.errors import ConfigError, ModelMismatchError, on_one_line, shown
from quiltrail.envs import find_game
from quiltrail.train.config import ExperimentConfig, Schedule
from quiltrail.train.evaluate import ModelPlayer
from quiltrail.train.lean_ppo import LeanMaskablePPO
from quiltrail.train.learners.archives import read_weights
from quiltrail.train.learners.base import Learner
from quiltrail.train.parts import find_policy, make_starts, make_transforms
from quiltrail.train.snapshot import get_games, set_games
from quiltrail.train.vec_env import EngineVecEnv

_NEVER = 10**9  # in iterations or episodes: SB3 logs when it is told to
_SMALLEST_CHUNK = 2048  # steps; less would save and log too often
_DEFAULT_EXPLORATION = Schedule(initial=1.0, final=0.05, reach_at=0.3)
_NO_ENTROPY = Schedule(initial=0.0, final=0.0)
#: What a model holds between two rollouts, beside networks, optimizer and replay buffer.
_COUNTERS = (
    "num_timesteps",
    "_n_updates",
    "_episode_num",
    "_n_calls",
    "_last_obs",
    "_last_original_obs",
    "_last_episode_starts",
    "ep_info_buffer",
    "ep_success_buffer",
    "exploration_rate",
)
_OBSERVATIONS = ("observations", "next_observations")  # dicts of arrays for a Dict space
_MONITORED = ("episode_returns", "episode_lengths", "episode_count")


class Following:
    """A schedule the way SB3 asks for one; its answer follows the run and not SB3's chunk."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.progress = 0.0

    def __call__(self, _remaining: float) -> float:
        """Return the value at the run's progress."""
        return self.schedule.at(self.progress)


class _LastLine(KVWriter):
    """Keeps the numbers that SB3 logged last."""

    def __init__(self) -> None:
        self.values: dict[str, float] = {}

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0
    ) -> None:
        self.values = {name: float(value) for name, value in key_values.items()}

    def close(self) -> None:
        pass


class Sb3Learner(Learner):
    """An algorithm of SB3 on an `EngineVecEnv`."""

    algorithm: ClassVar[type[BaseAlgorithm]]

    def __init__(self, config: ExperimentConfig) -> None:
        super().__init__(config)
        self._rate = Following(config.training.learning_rate)
        self._env = _make_env(config)
        self._monitor = VecMonitor(self._env)
        self.model = self._make_model()
        self._line = _LastLine()
        self.model.set_logger(Logger(folder=None, output_formats=[self._line]))

    @property
    def steps(self) -> int:
        """How many environment steps it has learned from."""
        return self.model.num_timesteps

    @property
    def refusals(self) -> int:
        """How many of its actions the games have refused."""
        return self._env.refusals

    def learn_chunk(self) -> dict[str, float]:
        """Learn one rollout, or several short ones."""
        chunk = self._chunk()
        # SB3 asks for the rate when the rollout lies behind it; the others hold while it plays.
        self._rate.progress = min(1.0, (self.steps + chunk) / self.config.training.total_steps)
        self._follow(self.progress)
        self.model.learn(chunk, log_interval=_NEVER, reset_num_timesteps=False)
        self.model.dump_logs()
        return self._line.values

    def get_state(self) -> dict[str, Any]:
        """Return weights, optimizer, counters, games and the generator of random actions."""
        model = self.model
        networks = io.BytesIO()
        torch.save([model.policy.state_dict(), model.policy.optimizer.state_dict()], networks)
        return {
            "networks": networks.getvalue(),
            "counters": {name: getattr(model, name) for name in _COUNTERS if hasattr(model, name)},
            "games": get_games(self._env),
            "monitor": {name: getattr(self._monitor, name) for name in _MONITORED},
            "action_rng": model.action_space.np_random.bit_generator.state,
            **self._more_state(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on exactly from a state."""
        model = self.model
        weights, optimizer = torch.load(io.BytesIO(state["networks"]), weights_only=True)
        model.policy.load_state_dict(weights)
        model.policy.optimizer.load_state_dict(optimizer)
        for name, value in state["counters"].items():
            setattr(model, name, value)
        set_games(self._env, state["games"])
        for name, value in state["monitor"].items():
            setattr(self._monitor, name, value)
        model.action_space.np_random.bit_generator.state = state["action_rng"]
        self._set_more_state(state)

    def weights(self) -> Mapping[str, NDArray[np.generic]]:
        """Return the policy's parameters."""
        return {name: value.numpy() for name, value in self.model.policy.state_dict().items()}

    def player(self, *, deterministic: bool = True) -> ModelPlayer:
        """Return a player that acts as the model does."""
        return self._player_of(self.model, self.config, deterministic)

    def save_model(self, path: Path) -> None:
        """Write an archive that SB3 can load as well."""
        with path.open("wb") as file:
            self.model.save(file)

    @classmethod
    def load_player(
        cls, path: Path, config: ExperimentConfig | None, *, deterministic: bool = True
    ) -> ModelPlayer:
        """Return the player of an SB3 archive.

        With a config nothing in the archive is executed: the model is made by the config and takes
        the archive's weights. Without one SB3 reads it, which executes code that lies in it.
        """
        model = cls._read(path) if config is None else cls._made_by(config, path)
        return cls._player_of(model, config, deterministic)

    @classmethod
    def _made_by(cls, config: ExperimentConfig, path: Path) -> BaseAlgorithm:
        """Return a model that a config makes, with the weights of an archive."""
        weights = read_weights(path)
        model = cls(config).model
        try:
            model.policy.load_state_dict(weights)
        except RuntimeError as error:
            said = shown(on_one_line(error))
            raise ModelMismatchError(f"{path.name} is not of its config: {said}") from None
        return model

    @classmethod
    def _read(cls, path: Path) -> BaseAlgorithm:
        try:
            return cls.algorithm.load(path, device="cpu")
        except (OSError, ValueError, KeyError, zipfile.BadZipFile, RuntimeError) as error:
            name = cls.algorithm.__name__
            raise ModelMismatchError(f"{path.name} holds no {name} model: {error}") from error
        except (AttributeError, TypeError, AssertionError, EOFError) as error:
            name = cls.algorithm.__name__
            raise ModelMismatchError(f"{path.name} was not saved by {name}: {error}") from error

    @classmethod
    def _player_of(
        cls, model: BaseAlgorithm, config: ExperimentConfig | None, deterministic: bool
    ) -> ModelPlayer:
        transforms = [] if config is None else make_transforms(config)
        return ModelPlayer(model, transforms, deterministic=deterministic, masked=cls.masked)

    def _make_model(self) -> BaseAlgorithm:
        training = self.config.training
        try:
            return self.algorithm(
                find_policy(training.policy),
                self._monitor,
                seed=training.seed,
                learning_rate=self._rate,
                policy_kwargs={"net_arch": training.net_arch, **training.policy_args},
                device="cpu",
                **training.hyperparameters,
            )
        except (TypeError, ValueError, AssertionError) as error:
            raise ConfigError(
                f"{training.algorithm} does not take training.hyperparameters, policy or "
                f"policy_args as they are: {on_one_line(error)}"
            ) from None

    def _chunk(self) -> int:
        """Return the steps of one chunk: whole rollouts."""
        raise NotImplementedError

    def _follow(self, progress: float) -> None:
        """Set what the config's schedules say at this progress."""
        raise NotImplementedError

    def _more_state(self) -> dict[str, Any]:
        return {}

    def _set_more_state(self, state: dict[str, Any]) -> None:
        pass


class _OnPolicyLearner(Sb3Learner):
    """Rollout, update, rollout, update."""

    lacks = ("exploration",)
    masked = False

    def _chunk(self) -> int:
        rollout = int(self.model.n_steps) * self._env.num_envs  # type: ignore[attr-defined]
        return rollout * -(-_SMALLEST_CHUNK // rollout)

    def _follow(self, progress: float) -> None:
        # SB3's constructor takes a schedule for the learning rate but not for the entropy.
        entropy = self.config.training.entropy or _NO_ENTROPY
        self.model.ent_coef = entropy.at(progress)  # type: ignore[attr-defined]


class MaskablePPOLearner(_OnPolicyLearner):
    """PPO that sees the masks (sb3-contrib).

    Source: Huang, Ontanon, "A closer look at invalid action masking in policy gradient
    algorithms", FLAIRS 2022.
    """

    algorithm = MaskablePPO
    masked = True


class LeanMaskablePPOLearner(MaskablePPOLearner):
    """The same in less time; see `LeanMaskablePPO`."""

    algorithm = LeanMaskablePPO


class PPOLearner(_OnPolicyLearner):
    """PPO without masks: what the game refuses costs a step."""

    algorithm = PPO


class A2CLearner(_OnPolicyLearner):
    """A2C without masks: what the game refuses costs a step."""

    algorithm = A2C


class _OffPolicyLearner(Sb3Learner):
    """Learning from a replay buffer, which belongs to the state."""

    lacks = ("entropy",)
    masked = False

    def _chunk(self) -> int:
        round_steps = int(self.model.train_freq.frequency) * self._env.num_envs  # type: ignore[attr-defined]
        return round_steps * -(-_SMALLEST_CHUNK // round_steps)

    def _follow(self, progress: float) -> None:
        share = (self.config.training.exploration or _DEFAULT_EXPLORATION).at(progress)
        self.model.exploration_rate = share  # type: ignore[attr-defined]
        # SB3 reads the rate anew at every step, from a schedule over this chunk.
        self.model.exploration_schedule = Following(  # type: ignore[attr-defined]
            Schedule(initial=share, final=share)
        )

    def _more_state(self) -> dict[str, Any]:
        return {"replay": _filled_part(vars(self.model.replay_buffer))}  # type: ignore[attr-defined]

    def _set_more_state(self, state: dict[str, Any]) -> None:
        buffer = vars(self.model.replay_buffer)  # type: ignore[attr-defined]
        for name, value in state["replay"].items():
            for whole, part in _array_pairs(buffer[name], value):
                whole[: len(part)] = part
            if isinstance(value, int):  # pos and full
                setattr(self.model.replay_buffer, name, value)  # type: ignore[attr-defined]


class DQNLearner(_OffPolicyLearner):
    """DQN without masks: what the game refuses costs a step."""

    algorithm = DQN


class QRDQNLearner(_OffPolicyLearner):
    """Quantile-regression DQN (sb3-contrib) without masks."""

    algorithm = QRDQN


def _make_env(config: ExperimentConfig) -> EngineVecEnv:
    limit = config.env.max_episode_steps or find_game(config.env.id).max_episode_steps
    return EngineVecEnv(
        config.env.id,
        config.env.num_envs,
        max_episode_steps=limit,
        transforms=make_transforms(config),
        starts=make_starts(config.training.starts),
        **config.env.settings,
    )


def _filled_part(buffer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a replay buffer's arrays that holds something, and its two counters."""
    filled = buffer["buffer_size"] if buffer["full"] else buffer["pos"]
    part: dict[str, Any] = {"pos": buffer["pos"], "full": buffer["full"]}
    for name, value in buffer.items():
        if isinstance(value, np.ndarray):
            part[name] = value[:filled]
        elif name in _OBSERVATIONS:
            part[name] = {key: array[:filled] for key, array in value.items()}
    return part


def _array_pairs(whole: Any, part: Any) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    if isinstance(whole, np.ndarray):
        return [(whole, part)]
    if isinstance(whole, dict):
        return [(whole[key], part[key]) for key in whole]
    return []
