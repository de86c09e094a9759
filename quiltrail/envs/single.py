"""GameEnv: one game as a gymnasium.Env, which is row 0 of a batch of one."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from quiltrail.core.actions import ActionCodec, JsonAction, as_index, clamp_index
from quiltrail.core.engine import Engine
from quiltrail.core.errors import IllegalActionError, ResetNeededError
from quiltrail.core.mulberry32 import as_seed
from quiltrail.envs.batch import GameBatch, check_refusal_policy, first_illegal
from quiltrail.envs.rendering import (
    DEFAULT_RENDER_SIZE,
    METADATA,
    Look,
    check_render_mode,
    png,
    render,
    svg,
)
from quiltrail.envs.spaces import action_space, observation_space

Observation = dict[str, NDArray[Any]]

_ROW = 0


class GameEnv(gym.Env[Observation, np.int64]):
    """A Gymnasium environment over an engine with one row.

    A refused action changes nothing, gives reward 0 and a code in ``info["refusal"]``; with
    ``on_refusal="raise"`` it raises instead. The time limit is Gymnasium's TimeLimit wrapper.

    Args:
        engine: the game, a batch of one.
        render_mode: one of ``metadata["render_modes"]`` or None.
        on_refusal: "refuse" or "raise".
        render_size: pixels of a picture's side.
        theme: "light" or "dark".
    """

    metadata = METADATA

    def __init__(
        self,
        engine: Engine,
        *,
        render_mode: str | None = None,
        on_refusal: str = "refuse",
        render_size: int = DEFAULT_RENDER_SIZE,
        theme: str = "light",
    ) -> None:
        # An own copy: SyncVectorEnv of Gymnasium before 1.4 writes its autoreset mode into it.
        self.metadata = dict(METADATA)
        self.render_mode = check_render_mode(render_mode)
        self._look = Look(render_size, theme)
        self.engine = engine
        self.observation_space: spaces.Dict = observation_space(engine)  # type: ignore[assignment]
        self.action_space = action_space(engine)
        self._raises = check_refusal_policy(on_refusal)
        self._batch = GameBatch(engine)
        self._action = np.zeros(1, np.int64)
        self._started = False

    @property
    def codec(self) -> ActionCodec:
        """The action numbering and JSON grammar: ``encode``, ``decode``, ``schema``."""
        return self.engine.codec

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: an int, taken modulo 2**32: exactly that game; None: the next game of the
                environment's own stream.
            options: ``{"game_seed": g}``, ``{"state": ..}`` or the game's own start options.

        Raises:
            InvalidSeedError: if the seed is not an int.
            OptionError: if an option is unknown or out of range.
            StateError: if a state is malformed or impossible.
        """
        game_seed = None if seed is None else as_seed(seed)
        self._batch.reset(self._batch.all_rows, self.np_random, game_seed, options)
        super().reset(seed=game_seed)  # after what may raise: a refused reset changes nothing
        self._started = True
        return self.engine.observation_of(_ROW), self._info()

    def step(
        self, action: int | np.integer[Any]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play one flat action; ``truncated`` is always False here.

        Raises:
            ActionTypeError: if the action is not an integer.
            IllegalActionError: if it is illegal and the policy is "raise".
            ResetNeededError: before the first reset.
        """
        if not self._started:
            raise ResetNeededError("call reset() before the first step")
        index = as_index(action)
        if self._raises:
            self._raise_if_illegal(index)
        self._action[_ROW] = clamp_index(index)
        engine = self.engine
        engine.step(self._action)
        return (
            engine.observation_of(_ROW),
            engine.reward.item(_ROW),
            engine.terminated.item(_ROW),
            False,
            self._info(),
        )

    def render(self) -> Any:
        """Return the position drawn in the environment's render mode, None without one."""
        return render(self.engine, _ROW, self.render_mode, self._look)

    def svg(self) -> str:
        """Return the position as an SVG file, whatever the render mode."""
        return svg(self.engine, _ROW, self._look)

    def _repr_png_(self) -> bytes:
        """Return the position as a PNG file: what a notebook shows."""
        return png(self.engine, _ROW, self._look)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions as bool (A,), the form sb3-contrib asks for."""
        masks: NDArray[np.bool_] = self.engine.mask[_ROW] != 0
        return masks

    def legal_actions(self) -> list[JsonAction]:
        """Return the exact published legal list, ascending by action index; [] after the end."""
        return self.engine.legal_actions(_ROW)

    def view(self) -> dict[str, Any]:
        """Return what the publisher's observation publishes, in its own field names."""
        return self.engine.view(_ROW)

    def get_state(self) -> dict[str, Any]:
        """Return the complete state as JSON values: the game and the stream of next games."""
        return self._batch.get_state(_ROW)

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue exactly from a state of `get_state`.

        Raises:
            StateError: if it is malformed or impossible; nothing has changed then.
        """
        self._batch.set_state(_ROW, state)
        self._started = True

    def _info(self) -> dict[str, Any]:
        engine = self.engine
        info = {
            "action_mask": engine.mask[_ROW].copy(),
            "score": engine.score.item(_ROW),
            "game_seed": engine.game_seed.item(_ROW),
            "refusal": engine.refusal.item(_ROW),
        }
        if engine.success is not None and engine.terminated.item(_ROW):
            info["is_success"] = engine.success.item(_ROW)
        return info

    def _raise_if_illegal(self, index: int) -> None:
        refused = first_illegal(self.engine, [_ROW], [index])
        if refused is not None:
            raise IllegalActionError(refused[1])
