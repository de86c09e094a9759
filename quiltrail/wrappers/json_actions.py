"""JsonActions: step with the published JSON actions instead of flat indices."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from quiltrail.core.actions import REASONS, ActionCodec, RefusalCode
from quiltrail.core.engine import Engine
from quiltrail.core.errors import ActionFormatError, ActionTypeError, OptionError
from quiltrail.envs.single import GameEnv
from quiltrail.envs.vector import GameVectorEnv
from quiltrail.wrappers.base import VectorWrapper, base_of

_NO_ACTION = -1


class _Reader:
    """Turns JSON actions, as objects or as text, into flat indices, or says why it cannot."""

    def __init__(self, codec: ActionCodec) -> None:
        self.codec = codec

    def read(self, action: object) -> tuple[int, int, str]:
        """Return (index, refusal code, reason); index -1 for what is outside the grammar."""
        try:
            return self.codec.encode(_parsed(action)), int(RefusalCode.ACCEPTED), ""
        except ActionFormatError as error:
            return _NO_ACTION, error.code, str(error)

    def outcome(self, engine: Engine, row: int, read: tuple[int, int, str]) -> tuple[int, str]:
        """Return (refusal code, reason) after the step, which is "" for an accepted action."""
        index, code, reason = read
        if index == _NO_ACTION:
            return code, reason
        code = int(engine.refusal[row])
        return code, engine.explain(row, index, code) if code else ""


def _parsed(action: object) -> object:
    if not isinstance(action, str):
        return action
    try:
        return json.loads(action)
    except (ValueError, RecursionError) as error:
        code = RefusalCode.NOT_AN_OBJECT
        raise ActionFormatError(code, f"{REASONS[code]}; the text is no JSON: {error}") from None


class JsonActionsEnv(gym.Wrapper[Any, Any, Any, Any]):
    """Take JSON actions, as dicts or as JSON text, and tell legal list and reasons.

    ``info["legal_actions"]`` is the published legal list, ``info["reason"]`` says why an action
    was refused ("" when it was not). What is outside the grammar changes nothing, as any refused
    action, and costs a step. The action space stays that of the flat numbering.

    Args:
        env: an environment of this package with the game's own action numbering.

    Raises:
        OptionError: if it is none, or a transform renumbers its actions.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)
        self._game = base_of(env, GameEnv, "JsonActions")
        self._reader = _Reader(_codec_of(self._game, env.action_space))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode; see `GameEnv.reset`."""
        observation, info = self.env.reset(seed=seed, options=options)
        return observation, {**info, "legal_actions": self._game.legal_actions(), "reason": ""}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Play one JSON action."""
        read = self._reader.read(action)
        observation, reward, terminated, truncated, info = self.env.step(np.int64(read[0]))
        refusal, reason = self._reader.outcome(self._game.engine, 0, read)
        listed = self._game.legal_actions()
        told = {**info, "refusal": refusal, "reason": reason, "legal_actions": listed}
        return observation, reward, terminated, truncated, told


class JsonActionsVectorEnv(VectorWrapper):
    """`JsonActionsEnv` for a native vector environment: B JSON actions a step.

    ``infos["reason"]`` is an object array (B,); ask ``env.unwrapped.legal_actions(row)`` for legal
    lists. A row that a NextStep reset takes ignores its action, well formed or not.

    Args:
        env: a vector environment of this package with the game's own action numbering.

    Raises:
        OptionError: if it is none, or a transform renumbers its actions.
    """

    def __init__(self, env: gym.vector.VectorEnv[Any, Any, Any]) -> None:
        super().__init__(env)
        self._game = base_of(env, GameVectorEnv, "JsonActions")
        self._reader = _Reader(_codec_of(self._game, env.single_action_space))

    def step(
        self, actions: Sequence[Any]
    ) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play one JSON action in every row.

        Raises:
            ActionTypeError: if they are not B.
        """
        if isinstance(actions, (str, dict)) or len(actions) != self.num_envs:
            raise ActionTypeError(f"actions are a list of {self.num_envs} JSON actions")
        resets = self._game.ended_episodes()
        read = [self._reader.read(action) for action in actions]
        flat = np.array([index for index, _, _ in read], np.int64)
        observations, rewards, terminated, truncated, infos = self.env.step(flat)
        outcomes = [
            (0, "") if resets[row] else self._reader.outcome(self._game.engine, row, one)
            for row, one in enumerate(read)
        ]
        refusals, reasons = zip(*outcomes, strict=True)
        told = {
            **infos,
            "refusal": np.array(refusals, np.int64),
            "reason": np.array(reasons, object),
            "_reason": np.ones(self.num_envs, np.bool_),
        }
        return observations, rewards, terminated, truncated, told


def JsonActions(env: Any) -> Any:  # noqa: N802  (reads as the wrapper it returns)
    """Return `JsonActionsEnv` or `JsonActionsVectorEnv` around an environment."""
    vector = isinstance(env, gym.vector.VectorEnv)
    return JsonActionsVectorEnv(env) if vector else JsonActionsEnv(env)


def _codec_of(game: Any, space: Any) -> ActionCodec:
    codec: ActionCodec = game.engine.codec
    if space.n != codec.num_actions:
        raise OptionError(
            f"JSON actions need the game's own {codec.num_actions} actions; "
            f"a transform below has {space.n}"
        )
    return codec
