"""EngineVecEnv: a batch of games as a Stable-Baselines3 VecEnv.

SB3 keeps references to what a VecEnv returns, resets within the step and writes into the reward
array, so everything here is a fresh array, rewards are float32, and the last observation of an
episode travels in ``infos[i]["terminal_observation"]``. Masks stay out of the infos, which SB3
deep-copies; sb3-contrib asks for masks by ``env_method("action_masks")``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from quiltrail.core.actions import as_indices
from quiltrail.core.array_types import Rows
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, shown
from quiltrail.envs import find_game
from quiltrail.envs.batch import GameBatch
from quiltrail.envs.rendering import check_render_mode, render
from quiltrail.wrappers import Transform
from quiltrail.wrappers.transform import bound_spaces, played_through, row_of, seen_through

#: Chooses reset options for games that start anew: (engine, rows, rng) -> options, each with a
#: value for every row of the batch. Training only; evaluation starts as the rules do.
StartSampler = Callable[[Engine, Rows, np.random.Generator], dict[str, Any]]

_SPEC_LIMIT = -1  # stands for the id's own limit, since None means no limit


class EngineVecEnv(VecEnv):
    """B games for SB3: same-step autoreset, masks and observations without a loop over rows.

    Row i of an environment seeded s plays what a single environment seeded s + i plays.

    Args:
        env_id: an environment id or short name, such as "quiltrail/Sunpleat-v0".
        num_envs: B.
        max_episode_steps: None for never; left out, the id's own limit.
        transforms: applied in order, the last nearest to the learner.
        starts: reset options of training episodes, see `StartSampler`.
        render_mode: "rgb_array" or "ansi" where the game has it, or None.
        threads: how many threads share a step; the results are the same for any number.
        settings: the game's own keyword arguments.

    Raises:
        UnknownNameError: if there is no such id.
        OptionError: if a setting does not fit the game.
    """

    def __init__(
        self,
        env_id: str,
        num_envs: int,
        *,
        max_episode_steps: int | None = _SPEC_LIMIT,
        transforms: Sequence[Transform] = (),
        starts: StartSampler | None = None,
        render_mode: str | None = None,
        threads: int = 1,
        **settings: Any,
    ) -> None:
        spec = find_game(env_id)
        self.engine = spec.make_engine(num_envs, **settings)
        self.engine.threads = threads
        limit = spec.max_episode_steps if max_episode_steps == _SPEC_LIMIT else max_episode_steps
        self.batch = GameBatch(self.engine, limit)
        self.transforms = tuple(transforms)
        self._shows_masks = any(transform.shows_masks for transform in self.transforms)
        self.starts = starts
        self.render_mode = check_render_mode(render_mode)
        self.refusals = 0  # how many actions the games refused since the environment was made
        self.rng = np.random.default_rng()
        self._actions = np.zeros(num_envs, np.int64)
        actions, observations = bound_spaces(self.transforms, self.engine)
        super().__init__(num_envs, observations, actions)

    def reset(self) -> Any:
        """Start an episode in every row, with the seeds and options set before."""
        if self._seeds[0] is not None:
            self.rng = np.random.default_rng(self._seeds[0])
        options = self._merged_options()  # may draw starts
        self._begin(self.batch.all_rows, self._seeds, options)
        self.reset_infos = [{"game_seed": int(seed)} for seed in self.engine.game_seed]
        self._reset_seeds()
        self._reset_options()
        return self._observations()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take note of one action a row.

        Raises:
            ActionTypeError: if they are not B integers.
        """
        self._actions = as_indices(actions, self.num_envs)

    def step_wait(self) -> VecEnvStepReturn:
        """Play the actions; rows that end start their next game at once."""
        engine = self.engine
        truncated = self.batch.step(played_through(self.transforms, engine, self._actions))
        self.refusals += int(np.count_nonzero(engine.refusal))
        rewards = engine.reward
        for transform in self.transforms:
            rewards = transform.rewards(engine, rewards)
        terminated = self._terminated()
        dones = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        rewards = rewards.astype(np.float32)
        observations = self._observations()
        ended = np.flatnonzero(dones)
        if len(ended):
            self._report_ends(ended, observations, truncated & ~terminated, infos)
            self._begin(ended, None, self._start_options(ended))
            observations = self._observations()
        return observations, rewards, dones, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the learner's legal actions as a fresh bool (B, A)."""
        masks = self.engine.mask
        for transform in self.transforms:
            masks = transform.masks(self.engine, masks)
        legal: NDArray[np.bool_] = masks != 0
        return legal

    def close(self) -> None:
        """Do nothing: an engine holds arrays only."""

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Return one picture for each row, for SB3's video tools."""
        pictures = self.env_method("render")
        return [one if isinstance(one, np.ndarray) else None for one in pictures]

    def has_attr(self, attr_name: str) -> bool:
        """Return whether there is such an attribute, without building its values."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of the whole batch once for each row asked for."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of the whole batch.

        Raises:
            OptionError: if only some rows are meant: they share one engine.
        """
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise OptionError(f"{attr_name} belongs to all {self.num_envs} rows; set it for all")
        setattr(self, attr_name, value)

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: VecEnvIndices = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """Call a method row by row; ``action_masks`` is one array, split into its rows."""
        rows: Iterable[int] = self._get_indices(indices)
        if method_name == "action_masks":
            masks = self.action_masks()
            return list(masks) if indices is None else [masks[row] for row in rows]
        if method_name not in ("legal_actions", "view", "get_state", "set_state", "render"):
            raise AttributeError(f"EngineVecEnv has no row method {shown(method_name)}")
        return [self._row_method(method_name, row, *method_args, **method_kwargs) for row in rows]

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Return False for each row: there are no single environments inside."""
        return [False for _ in self._get_indices(indices)]

    def get_state(self, row: int) -> dict[str, Any]:
        """Return a row's complete state as JSON values."""
        return self.batch.get_state(row)

    def set_state(self, row: int, state: dict[str, Any]) -> None:
        """Continue a row exactly from a state of `get_state`."""
        self.batch.set_state(row, state)
        for transform in self.transforms:
            transform.begin(self.engine, np.array([row]))

    def _row_method(self, name: str, row: int, *args: Any, **kwargs: Any) -> Any:
        if name in ("legal_actions", "view"):
            return getattr(self.engine, name)(row)
        if name == "render":
            return render(self.engine, row, self.render_mode)
        return getattr(self, name)(row, *args, **kwargs)

    def _merged_options(self) -> dict[str, Any]:
        """Return the options set for the rows as one dict of lists."""
        names = {name: None for options in self._options for name in options}
        merged = {name: [options.get(name) for options in self._options] for name in names}
        for name, values in merged.items():
            if any(value is None for value in values):
                raise OptionError(f'option "{name}" has to be set for every row, or for none')
        return deepcopy(merged) or self._start_options(self.batch.all_rows)

    def _start_options(self, rows: Rows) -> dict[str, Any]:
        return {} if self.starts is None else self.starts(self.engine, rows, self.rng)

    def _begin(self, rows: Rows, seeds: list[int | None] | None, options: dict[str, Any]) -> None:
        self.batch.reset(rows, self.rng, seeds, options)
        for transform in self.transforms:
            transform.begin(self.engine, rows)

    def _terminated(self) -> NDArray[np.bool_]:
        """Return the rows whose game has ended, or whose episode a transform ends."""
        terminated = self.engine.terminated.copy()
        for transform in self.transforms:
            ends = transform.ends(self.engine)
            if ends is not None:
                terminated |= ends
        return terminated

    def _observations(self) -> Any:
        observations = self.batch.observations()
        if self._shows_masks:
            return seen_through(self.transforms, self.engine, observations)[0]
        seen: Any = observations  # masks are asked for apart, and cost time
        for transform in self.transforms:
            seen = transform.observations(self.engine, seen)
        return seen

    def _report_ends(
        self,
        ended: Rows,
        observations: Any,
        truncated: NDArray[np.bool_],
        infos: list[dict[str, Any]],
    ) -> None:
        """Write what is known of episodes that end now, before their rows are reset."""
        engine = self.engine
        for row in ended.tolist():
            infos[row].update(
                terminal_observation=_copied(row_of(observations, row)),
                score=int(engine.score[row]),
                game_seed=int(engine.game_seed[row]),
            )
            infos[row]["TimeLimit.truncated"] = bool(truncated[row])
            if engine.success is not None:
                infos[row]["is_success"] = bool(engine.success[row] and engine.terminated[row])


def _copied(observation: Any) -> Any:
    """Return a copy of one observation that shares no memory; deepcopy takes ten times as long."""
    if isinstance(observation, dict):
        return {name: _copied(part) for name, part in observation.items()}
    return observation.copy() if isinstance(observation, np.ndarray) else deepcopy(observation)
