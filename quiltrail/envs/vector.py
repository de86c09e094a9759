"""GameVectorEnv: B games as a gymnasium.vector.VectorEnv, stepped in one kernel call."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from quiltrail.core.actions import JsonAction, as_indices
from quiltrail.core.array_types import Rows
from quiltrail.core.engine import Engine
from quiltrail.core.errors import IllegalActionError, OptionError, ResetNeededError, shown
from quiltrail.core.mulberry32 import SEED_RANGE
from quiltrail.envs.batch import GameBatch, Seeds, check_refusal_policy, first_illegal
from quiltrail.envs.rendering import (
    DEFAULT_RENDER_SIZE,
    METADATA,
    Look,
    check_render_mode,
    render,
)
from quiltrail.envs.spaces import action_space, observation_space

Observations = dict[str, NDArray[Any]]
Infos = dict[str, Any]
StepResult = tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Infos]


#: In place of the action of a row that only resets: outside every action space.
_NO_ACTION = -1


class GameVectorEnv(gym.vector.VectorEnv[Observations, NDArray[np.int64], NDArray[Any]]):
    """A Gymnasium vector environment over an engine of B rows.

    Row i seeded s equals a single environment seeded s, step for step, in every autoreset mode.
    Infos are laid out as SyncVectorEnv lays them out: each key is an array (B, ..) beside a bool
    array ``_key`` that says which rows it speaks of.

    Args:
        engine: the games, B of them.
        max_episode_steps: steps after which a row is truncated; None for never.
        autoreset_mode: an `AutoresetMode` or its value: "NextStep" (the step after an end
            resets the row and ignores its action), "SameStep" (a row is reset at once; the last
            observation is in ``infos["final_obs"]``) or "Disabled" (you reset with
            ``options={"reset_mask": ..}``).
        render_mode: one of ``metadata["render_modes"]`` or None.
        on_refusal: "refuse" or "raise"; see `quiltrail.envs.single.GameEnv`.
        render_size: pixels of a picture's side.
        theme: "light" or "dark".
        copy: False hands out the engine's own arrays (observations, masks, scores, refusals) as
            they are: the next step or reset overwrites what you still hold.
        threads: how many threads share a step; the results are the same for any number. See
            `quiltrail.core.slices` for when they pay.
    """

    metadata = METADATA

    def __init__(
        self,
        engine: Engine,
        *,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        on_refusal: str = "refuse",
        render_size: int = DEFAULT_RENDER_SIZE,
        theme: str = "light",
        copy: bool = True,
        threads: int = 1,
    ) -> None:
        self.num_envs = engine.num_games
        self.engine = engine
        engine.threads = threads
        self.autoreset_mode = _check_autoreset_mode(autoreset_mode)
        self.metadata = {**METADATA, "autoreset_mode": self.autoreset_mode}
        self.render_mode = check_render_mode(render_mode)
        self._look = Look(render_size, theme)
        self.single_observation_space = observation_space(engine)
        self.single_action_space = action_space(engine)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.copy = copy
        self._raises = check_refusal_policy(on_refusal)
        self._batch = GameBatch(engine, max_episode_steps)
        self._ended = np.zeros(self.num_envs, np.bool_)
        self._everyone = np.ones(self.num_envs, np.bool_)
        self._everyone.flags.writeable = False  # with copy=False it is handed out
        self._started = False

    def reset(
        self, *, seed: Seeds = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, Infos]:
        """Start episodes in all rows, or in those of ``options["reset_mask"]``.

        Args:
            seed: s for s + i in row i, a list with an int or None for each row, or None for the
                next game of each row's stream.
            options: as in `GameEnv.reset`, one value or one for each row; and ``reset_mask``,
                bool (B,).

        Raises:
            InvalidSeedError: if a seed is not an int.
            OptionError: if an option is unknown or out of range.
            StateError: if a state is malformed or impossible.
        """
        rows, rest = self._rows_to_reset(options)
        self._batch.reset(rows, self.np_random, seed, rest)
        if type(seed) is int:  # after what may raise: a refused reset changes nothing
            super().reset(seed=seed % SEED_RANGE)
        self._ended[rows] = False
        self._started = True
        if rows is self._batch.all_rows:
            return self._observations(), self._infos(self._everyone)
        spoken_of = np.zeros(self.num_envs, np.bool_)
        spoken_of[rows] = True
        return self._observations(), self._infos(spoken_of)

    def step(self, actions: NDArray[np.int64]) -> StepResult:
        """Play one flat action in every row.

        Raises:
            ActionTypeError: if the actions are not B integers; nothing has changed then.
            IllegalActionError: if one is illegal and the policy is "raise"; likewise.
            ResetNeededError: before the first reset; and, with autoreset disabled, if an ended
                row was not reset.
        """
        if not self._started:
            raise ResetNeededError("call reset() before the first step")
        batch = as_indices(actions, self.num_envs)
        waiting = self._ended.nonzero()[0]
        if len(waiting) and self.autoreset_mode is AutoresetMode.DISABLED:
            raise ResetNeededError(
                f"rows {waiting.tolist()} have ended and autoreset is disabled; "
                'reset them with options={"reset_mask": mask}'
            )
        if len(waiting) and self.autoreset_mode is AutoresetMode.NEXT_STEP:
            truncated = self._step_and_reset(batch, waiting)
        else:
            self._raise_if_illegal(batch, self._batch.all_rows)
            truncated = self._batch.step(batch)
        terminated = self.engine.terminated.copy()
        reward = self.engine.reward.copy()
        self._ended = terminated | truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._ended.any():
            infos = self._reset_ended()
        else:
            infos = self._infos(self._everyone)
        return self._observations(), reward, terminated, truncated, infos

    def ended_episodes(self) -> NDArray[np.bool_]:
        """Return the rows (B,) whose episode is over and that wait for their reset."""
        return self._ended.copy()

    def end_episodes(self, rows: NDArray[np.bool_]) -> None:
        """Count these rows' (B,) episodes as over, for wrappers with ends of their own.

        With "NextStep" the next step resets them; with "Disabled" you do.
        """
        self._ended |= rows

    def render(self) -> tuple[Any, ...]:
        """Return one picture for each row."""
        rows = range(self.num_envs)
        return tuple(render(self.engine, row, self.render_mode, self._look) for row in rows)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions as bool (B, A)."""
        return self.engine.mask.astype(np.bool_)

    def legal_actions(self, row: int) -> list[JsonAction]:
        """Return the exact published legal list of a row."""
        return self.engine.legal_actions(row)

    def view(self, row: int) -> dict[str, Any]:
        """Return what the publisher's observation publishes of a row."""
        return self.engine.view(row)

    def get_state(self, row: int) -> dict[str, Any]:
        """Return a row's complete state as JSON values."""
        return self._batch.get_state(row)

    def set_state(self, row: int, state: dict[str, Any]) -> None:
        """Continue a row exactly from a state; see `GameEnv.set_state`."""
        self._batch.set_state(row, state)
        self._ended[row] = self.engine.terminated[row]

    def _rows_to_reset(self, options: dict[str, Any] | None) -> tuple[Rows, dict[str, Any] | None]:
        """Return the rows, and the options without ``reset_mask`` (the caller's dict stays)."""
        if options is None or options.get("reset_mask") is None:
            return self._batch.all_rows, options
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise OptionError(f'option "reset_mask" is a numpy bool array, got {shown(mask)}')
        if mask.shape != (self.num_envs,) or not mask.any():
            raise OptionError(
                f'option "reset_mask" has shape ({self.num_envs},) and at least one True; '
                f"got {shown(mask)}"
            )
        rest = {name: value for name, value in options.items() if name != "reset_mask"}
        return np.flatnonzero(mask), rest

    def _step_and_reset(self, actions: NDArray[np.int64], waiting: Rows) -> NDArray[np.bool_]:
        """Reset the rows that ended last time and step the others."""
        if self._raises:
            running = np.flatnonzero(~self._ended)
            self._raise_if_illegal(actions[running], running)
        # Every row steps, which is one kernel call; where it is refused, nothing has happened.
        played = actions.copy()
        played[waiting] = _NO_ACTION
        truncated = self._batch.step(played)
        self._batch.reset(waiting, self.np_random)
        truncated[waiting] = False
        return truncated

    def _reset_ended(self) -> Infos:
        """Reset the rows that have just ended; return infos with their final ones beside."""
        ended = np.flatnonzero(self._ended)
        final_obs = np.full(self.num_envs, None, dtype=object)
        for row in ended.tolist():
            final_obs[row] = self.engine.observation_of(row)
        final_info = self._infos(self._ended.copy())
        self._batch.reset(ended, self.np_random)
        return {
            "final_obs": final_obs,
            "_final_obs": self._ended.copy(),
            "final_info": final_info,
            "_final_info": self._ended.copy(),
            **self._infos(self._everyone),
        }

    def _observations(self) -> Observations:
        return self._batch.observations() if self.copy else self.engine.observation

    def _infos(self, spoken_of: NDArray[np.bool_]) -> Infos:
        """Return the info arrays, zero in the rows they do not speak of."""
        engine = self.engine
        values: dict[str, NDArray[Any]] = {
            "action_mask": engine.mask,
            "score": engine.score,
            "game_seed": engine.game_seed.astype(np.int64),
            "refusal": engine.refusal,
        }
        whole = spoken_of is self._everyone
        infos: Infos = {}
        for name, value in values.items():
            if whole:
                infos[name] = value.copy() if self.copy else value
            else:
                infos[name] = zero_elsewhere(value, spoken_of)
            infos[f"_{name}"] = spoken_of if whole and not self.copy else spoken_of.copy()
        if engine.success is not None:
            ended = spoken_of & engine.terminated
            if np.count_nonzero(ended):
                infos["is_success"] = engine.success & ended
                infos["_is_success"] = ended
        return infos

    def _raise_if_illegal(self, actions: NDArray[np.int64], rows: Rows) -> None:
        if not self._raises:
            return
        refused = first_illegal(self.engine, rows.tolist(), actions.tolist())
        if refused is not None:
            raise IllegalActionError(f"row {refused[0]}, {refused[1]}")


def zero_elsewhere(values: NDArray[Any], rows: NDArray[np.bool_]) -> NDArray[Any]:
    """Return a copy of values (B, ..) with zeros outside of some rows (B,)."""
    shape = (-1, *[1] * (values.ndim - 1))
    return np.where(rows.reshape(shape), values, values.dtype.type(0))


def _check_autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        allowed = ", ".join(one.value for one in AutoresetMode)
        raise OptionError(f"autoreset_mode is one of {allowed}; got {shown(mode)}") from None
