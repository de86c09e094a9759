"""Curriculum: levels of growing difficulty, harder once the present ones are cleared.

A `Curriculum` keeps the statistics. Three thin faces use it: `CurriculumEnv` around a single
environment, `CurriculumVectorEnv` around a native vector environment, and the argument ``starts``
of the SB3 VecEnv, which takes a `Curriculum` itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from quiltrail.core.arguments import check_int
from quiltrail.core.engine import Engine, Rows
from quiltrail.core.errors import OptionError, StateError, shown, unknown_name_text
from quiltrail.core.levelled_engine import LevelledEngine
from quiltrail.envs.single import GameEnv
from quiltrail.envs.vector import GameVectorEnv, StepResult
from quiltrail.wrappers.transform import Observations, VectorWrapper

#: What bins may be of. Difficulty is exact, so it knows solutions; size is the number of pieces.
MEASURES = ("difficulty", "size")

#: Bins of PatchrookLevels' difficulty; the seven published templates have 1.4 to 12.6.
PATCHROOK_BINS = (0.0, 4.0, 7.0, 10.0, 20.0)

_NOT_COUNTED = -1
_LARGEST_INT = 2**63


class Curriculum:
    """Bins of difficulty, and how the last episodes in the present bin went.

    The first bin is the easiest. As soon as ``window`` episodes of the present bin are counted and
    at least the share ``threshold`` of the last ``window`` was cleared, the next bin begins; the
    last stays for ever. Episodes that were begun in an earlier bin, and those broken off by a
    reset, do not count; a truncated one counts as not cleared.

    Args:
        edges: ascending difficulties; bin k is from edges[k] on and below edges[k + 1].
        threshold: the share of cleared episodes that opens the next bin, above 0, at most 1.
        window: how many episodes are looked at.
        measure: what the edges are: "difficulty", or "size" (patches, pennants), which takes no
            solution.

    Raises:
        OptionError: if an argument is not allowed.
    """

    def __init__(
        self,
        edges: Sequence[float] = PATCHROOK_BINS,
        *,
        threshold: float = 0.8,
        window: int = 50,
        measure: str = "difficulty",
    ) -> None:
        if not _are_edges(edges):
            raise OptionError(
                f"edges are two or more ascending numbers from 0 on, got {shown(edges)}"
            )
        if not _is_number(threshold) or not 0 < threshold <= 1:
            raise OptionError(f"threshold is a share above 0 and at most 1, got {shown(threshold)}")
        check_int("window", window, 1)
        if measure not in MEASURES:
            raise OptionError(unknown_name_text("measure", measure, MEASURES))
        self.measure = measure
        self.edges = tuple(float(edge) for edge in edges)
        self.threshold = threshold
        self.window = window
        self.bin = 0
        self._recent: list[bool] = []
        self._begun_in: dict[int, int] = {}  # row -> bin

    @property
    def num_bins(self) -> int:
        """How many bins there are."""
        return len(self.edges) - 1

    @property
    def cleared_share(self) -> float:
        """The share of the counted episodes that were cleared; 0 before the first."""
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    def levels(self, engine: Engine, rows: Rows, seeds: NDArray[Any]) -> list[int | None]:
        """Begin counted episodes in rows; return a level of the present bin for each of them.

        Args:
            engine: the games.
            rows: those that begin.
            seeds: (R,) what chooses the levels: the game seeds, or any others.

        Returns:
            B entries, None in the other rows.
        """
        levelled = check_levelled(engine)
        low, high = self.edges[self.bin : self.bin + 2]
        find = levelled.levels_of_size if self.measure == "size" else levelled.levels_between
        chosen: list[int | None] = [None] * engine.num_games
        for row, seed in zip(rows.tolist(), seeds.tolist(), strict=True):
            chosen[row] = find(int(seed), 1, low, high)[0]
            self._begun_in[row] = self.bin
        return chosen

    def leave_out(self, rows: Rows) -> None:
        """Do not count what these rows are playing."""
        for row in rows.tolist():
            self._begun_in.pop(row, None)

    def record(self, rows: Rows, cleared: NDArray[np.bool_]) -> None:
        """Take note of ended episodes, in this order; ``cleared`` is (R,)."""
        for row, is_cleared in zip(rows.tolist(), cleared.tolist(), strict=True):
            if self._begun_in.pop(row, _NOT_COUNTED) != self.bin:
                continue
            self._recent = [*self._recent, is_cleared][-self.window :]
            is_full = len(self._recent) == self.window
            if is_full and self.cleared_share >= self.threshold and self.bin + 1 < self.num_bins:
                self.bin += 1
                self._recent = []

    def __call__(self, engine: Engine, rows: Rows, rng: np.random.Generator) -> dict[str, Any]:
        """Record how the games in rows ended and choose their next levels: a `StartSampler`."""
        check_levelled(engine)
        assert engine.success is not None
        self.record(rows, engine.success[rows] & engine.terminated[rows])
        seeds = rng.integers(2**32, size=len(rows), dtype=np.uint64)
        return {"level": self.levels(engine, rows, seeds)}

    def get_state(self) -> dict[str, Any]:
        """Return the statistics as JSON values."""
        return {
            "edges": list(self.edges),
            "measure": self.measure,
            "threshold": self.threshold,
            "window": self.window,
            "bin": self.bin,
            "recent": list(self._recent),
            "begun_in": [[row, begun] for row, begun in sorted(self._begun_in.items())],
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from statistics of `get_state`.

        Raises:
            StateError: if they are of another curriculum or impossible; nothing has changed then.
        """
        own = self.get_state()
        if not isinstance(state, Mapping) or set(state) != set(own):
            raise StateError(
                f"a curriculum's state has the fields {', '.join(own)}: {shown(state)}"
            )
        for name in ("edges", "measure", "threshold", "window"):
            if state[name] != own[name]:
                raise StateError(
                    f'state field "{name}" has to be {own[name]}, got {shown(state[name])}'
                )
        present, recent, begun_in = state["bin"], state["recent"], state["begun_in"]
        if type(present) is not int or not 0 <= present < self.num_bins:
            raise StateError(f'state field "bin" is 0 to {self.num_bins - 1}, got {shown(present)}')
        if (
            not isinstance(recent, list)
            or len(recent) > self.window
            or not all(type(one) is bool for one in recent)
        ):
            raise StateError(
                f'state field "recent" is up to {self.window} booleans: {shown(recent)}'
            )
        is_listed = isinstance(begun_in, list) and all(
            isinstance(one, (list, tuple)) and [type(part) for part in one] == [int, int]
            for one in begun_in
        )
        if not is_listed or any(row < 0 or not 0 <= at <= present for row, at in begun_in):
            raise StateError(
                f'state field "begun_in" is pairs of row and bin, got {shown(begun_in)}'
            )
        self.bin = present
        self._recent = [bool(one) for one in recent]
        self._begun_in = dict(begun_in)


def _is_number(value: object) -> bool:
    """Return whether a value is a float, or an int that a float can stand for."""
    if type(value) is int:
        return abs(value) < _LARGEST_INT
    return isinstance(value, (float, np.integer, np.floating))


def _are_edges(edges: object) -> bool:
    """Return whether these are two or more ascending numbers from 0 on."""
    if not isinstance(edges, (list, tuple)) or not all(map(_is_number, edges)):
        return False
    return len(edges) > 1 and edges[0] >= 0 and all(low < high for low, high in pairwise(edges))


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
        base: Any = env.unwrapped
        if not isinstance(base, GameEnv):
            raise OptionError(f"a curriculum goes around a GameEnv, got {type(base).__name__}")
        self._base = base
        self._engine = check_levelled(base.engine)
        self.curriculum = curriculum or Curriculum()
        self._row = np.array([0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Start an episode at a level of the present bin; see `GameEnv.reset`."""
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
        base: Any = env.unwrapped
        if not isinstance(base, GameVectorEnv):
            raise OptionError(
                f"a curriculum goes around a GameVectorEnv, got {type(base).__name__}"
            )
        if base.autoreset_mode is AutoresetMode.SAME_STEP:
            raise OptionError('a curriculum needs autoreset_mode "NextStep" or "Disabled"')
        self._base = base
        self._engine = check_levelled(base.engine)
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


def check_levelled(engine: Engine) -> LevelledEngine:
    """Return an engine that a curriculum can steer.

    Raises:
        OptionError: if its boards are no levels, or clearing one does not end a run.
    """
    if not isinstance(engine, LevelledEngine):
        raise OptionError(f"a curriculum needs an environment of levels, not {engine.game}")
    if not engine.settings.get("one_board"):
        raise OptionError("a curriculum needs an environment made with one_board=True")
    return engine


def _says_where(options: Mapping[str, Any] | None) -> bool:
    chosen = options or {}
    return chosen.get("level") is not None or chosen.get("state") is not None


def _parts(state: Any) -> tuple[Any, Any]:
    if not isinstance(state, Mapping) or set(state) != {"env", "curriculum"}:
        raise StateError('a state here has the fields "env" and "curriculum"')
    return state["env"], state["curriculum"]
