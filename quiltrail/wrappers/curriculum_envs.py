"""A curriculum around environments of levels: single, or native vector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from quiltrail.core.array_types import Rows
from quiltrail.core.errors import OptionError, StateError
from quiltrail.envs.single import GameEnv
from quiltrail.envs.vector import GameVectorEnv, Observations, StepResult
from quiltrail.wrappers.base import VectorWrapper, base_of
from quiltrail.wrappers.curriculum import Curriculum, check_levelled


class CurriculumEnv(gym.Wrapper[Observations, np.int64, Observations, np.int64]):
    """A curriculum around a single levels environment made with ``one_board=True``.

    The game seed chooses the level within the present bin. ``info["curriculum_bin"]`` tells the
    bin at every reset and step. A reset to a ``level`` or a ``state`` is left as it is and does not
    count.

    Args:
        env: a levels environment, wrapped by Gymnasium or not.
        curriculum: the statistics; by default new ones over `PATCHROOK_BINS`.

    Raises:
        OptionError: if the environment has no levels or no end at the first clear.
    """

    def __init__(
        self, env: gym.Env[Observations, np.int64], curriculum: Curriculum | None = None
    ) -> None:
        super().__init__(env)
        self._base: GameEnv = base_of(env, GameEnv, "a curriculum")
        self._engine = check_levelled(self._base.engine)
        self.curriculum = curriculum or Curriculum()
        self._row = np.array([0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Start an episode at a level of the present bin; see `GameEnv.reset`."""
        # The environment chooses the next game of its stream; that game's seed chooses the level.
        observation, info = self.env.reset(seed=seed, options=options)
        if _says_where(options):
            self.curriculum.leave_out(self._row)
        else:
            seeds = np.array([info["game_seed"]])
            level = self.curriculum.levels(self._engine, self._row, seeds)[0]
            again = {"game_seed": info["game_seed"], "level": level}
            observation, info = self.env.reset(options=again)
        return observation, self._told(info)

    def step(self, action: Any) -> tuple[Observations, float, bool, bool, dict[str, Any]]:
        """Play an action; take note of the episode if it ends."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated or truncated:
            cleared = np.array([info.get("is_success", False)])
            self.curriculum.record(self._row, cleared)
        return observation, float(reward), terminated, truncated, self._told(info)

    def get_state(self) -> dict[str, Any]:
        """Return the complete state as JSON values: the game and the curriculum."""
        return {"env": self._base.get_state(), "curriculum": self.curriculum.get_state()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Continue exactly from a state of `get_state`.

        Raises:
            StateError: if a part of it is malformed or impossible.
        """
        env, curriculum = _parts(state)
        before = self.curriculum.get_state()
        self.curriculum.set_state(curriculum)
        try:
            self._base.set_state(env)
        except StateError:
            self.curriculum.set_state(before)
            raise

    def _told(self, info: dict[str, Any]) -> dict[str, Any]:
        return {**info, "curriculum_bin": self.curriculum.bin}


class CurriculumVectorEnv(VectorWrapper):
    """A curriculum around a native vector environment of levels made with ``one_board=True``.

    All rows share the statistics, so with one row it does what `CurriculumEnv` does. Autoreset has
    to be "NextStep" or "Disabled".

    Args:
        env: a native levels vector environment.
        curriculum: the statistics; by default new ones over `PATCHROOK_BINS`.

    Raises:
        OptionError: if the environment does not fit.
    """

    def __init__(
        self, env: gym.vector.VectorEnv[Any, Any, Any], curriculum: Curriculum | None = None
    ) -> None:
        super().__init__(env)
        self._base: GameVectorEnv = base_of(env, GameVectorEnv, "a curriculum")
        if self._base.autoreset_mode is AutoresetMode.SAME_STEP:
            raise OptionError('a curriculum needs autoreset_mode "NextStep" or "Disabled"')
        self._engine = check_levelled(self._base.engine)
        self.curriculum = curriculum or Curriculum()
        self._ended = np.zeros(self.num_envs, np.bool_)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Start episodes at levels of the present bin; see `GameVectorEnv.reset`."""
        observations, infos = self.env.reset(seed=seed, options=options)
        rows = np.flatnonzero(infos["_action_mask"])
        self._ended[rows] = False
        if _says_where(options):
            self.curriculum.leave_out(rows)
        else:
            observations, infos = self._begin(rows)
        return observations, self._told(infos)

    def step(self, actions: NDArray[np.int64]) -> StepResult:
        """Play an action in every row; take note of the episodes that end."""
        waiting = np.flatnonzero(self._ended)
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        self._ended = terminated | truncated
        ended = np.flatnonzero(self._ended)
        success = infos.get("is_success", np.zeros(self.num_envs, np.bool_))
        self.curriculum.record(ended, success[ended])
        if len(waiting):  # the environment began games of its own there
            observations, begun = self._begin(waiting)
            for name, values in begun.items():
                infos[name][waiting] = values[waiting]
        return observations, rewards, terminated, truncated, self._told(infos)

    def get_state(self) -> dict[str, Any]:
        """Return the complete state as JSON values: every row's game, and the curriculum."""
        return {
            "env": [self._base.get_state(row) for row in range(self.num_envs)],
            "curriculum": self.curriculum.get_state(),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Continue exactly from a state of `get_state`.

        Raises:
            StateError: if a part of it is malformed or impossible.
        """
        rows, curriculum = _parts(state)
        if not isinstance(rows, (list, tuple)) or len(rows) != self.num_envs:
            raise StateError(f'state field "env" has a state for each of {self.num_envs} rows')
        self.curriculum.set_state(curriculum)
        for row, one in enumerate(rows):
            self._base.set_state(row, one)
        self._ended = self._engine.terminated.copy()

    def _begin(self, rows: Rows) -> tuple[Observations, dict[str, Any]]:
        """Begin the games of rows anew, at levels of the present bin."""
        seeds = self._engine.game_seed
        options = {
            "reset_mask": np.isin(np.arange(self.num_envs), rows),
            "game_seed": seeds.tolist(),
            "level": self.curriculum.levels(self._engine, rows, seeds[rows]),
        }
        return self.env.reset(options=options)

    def _told(self, infos: dict[str, Any]) -> dict[str, Any]:
        spoken_of = infos["_action_mask"]
        bins = np.where(spoken_of, self.curriculum.bin, 0)
        return {**infos, "curriculum_bin": bins, "_curriculum_bin": spoken_of.copy()}


def _says_where(options: Mapping[str, Any] | None) -> bool:
    chosen = options or {}
    return chosen.get("level") is not None or chosen.get("state") is not None


def _parts(state: Any) -> tuple[Any, Any]:
    if not isinstance(state, Mapping) or set(state) != {"env", "curriculum"}:
        raise StateError('a state here has the fields "env" and "curriculum"')
    return state["env"], state["curriculum"]
