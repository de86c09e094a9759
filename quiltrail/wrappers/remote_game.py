"""RemoteGame: a game that a server plays, as an environment."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from gymnasium import spaces

from quiltrail.core.actions import RefusalCode, as_index
from quiltrail.core.array_types import Record
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, QuiltrailError, ResetNeededError, shown
from quiltrail.core.legality import action_set, has_action
from quiltrail.core.mulberry32 import SEED_RANGE, as_seed
from quiltrail.envs import GameSpec, find_game
from quiltrail.envs.single import GameEnv
from quiltrail.wrappers.remote_connection import RemoteConnection, RemoteError

_FORMS = ("arrays", "text")
_ROW = 0
_ROWS = np.array([_ROW])
_LONGEST_TEXT = 2**18
_STATE_NAMES = ("state", "stateToken")
_NEEDED = ("observation", "legalActions", "score", "gameOver")


class RemoteGame(GameEnv):
    """Play a game on a server that speaks the publisher's loop, ours or another's.

    Actions have this package's numbering; ``info["action_mask"]`` is the server's legal list.
    The position is mirrored in ``env.engine``, so that transforms, trained models and agents play
    here as they play at home; what the game hides is made up there.

    Args:
        url: where the game is, for example ``http://127.0.0.1:8000/api/games/sunpleat``.
        observation: "arrays", the game's own observation, which needs a server that also tells
            the position as JSON (ours does, with ``view=true``); or "text", whatever text the
            server's observation is.
        game: the id or short name, if the address does not end with it.
        timeout: seconds to wait for an answer.
        settings: sent with each init and used for the mirror, for example ``opponent="easy"``.

    Raises:
        OptionError: if the address or an option is not allowed.
        UnknownNameError: if there is no such game.
    """

    def __init__(
        self,
        url: str,
        *,
        observation: str = "arrays",
        game: str | None = None,
        timeout: float = 30.0,
        **settings: Any,
    ) -> None:
        if observation not in _FORMS:
            raise OptionError(
                f"observation is one of {', '.join(_FORMS)}; got {shown(observation)}"
            )
        self._connection = RemoteConnection(url, timeout)
        self._game: GameSpec = find_game(game or self._connection.last_part)
        super().__init__(self._game.make_engine(1, **settings))
        self._settings = settings
        self._as_text = observation == "text"
        if self._as_text:
            self.observation_space = spaces.Text(_LONGEST_TEXT)  # type: ignore[assignment]
        self._answer: dict[str, Any] = {}
        self._seed = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: the server's seed, taken modulo 2**32; None: one drawn from the environment.
            options: None; the loop has none.

        Raises:
            InvalidSeedError: if the seed is not an int.
            OptionError: if there are options.
            RemoteError: if the server does not answer as it should.
        """
        if options:
            raise OptionError("a server's game takes no reset options")
        game_seed = None if seed is None else as_seed(seed)
        super(GameEnv, self).reset(seed=game_seed)
        if game_seed is None:
            game_seed = int(self.np_random.integers(SEED_RANGE))
        query = {"seed": str(game_seed)} | {
            name: str(value).lower() for name, value in self._settings.items()
        }
        self._seed = game_seed
        self._take(self._connection.get("init", query | self._extras()))
        self._started = True
        return self._observed(), self._info()

    def step(self, action: int | np.integer[Any]) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play one flat action; ``info["reason"]`` says why the server refused it.

        Raises:
            ActionTypeError: if the action is not an integer.
            ResetNeededError: before the first reset.
            RemoteError: if the server does not answer as it should.
        """
        if not self._started:
            raise ResetNeededError("call reset() before the first step")
        index = as_index(action)
        engine, before = self.engine, int(self._answer["score"])
        code, reason = self._play(index)
        engine.reward[_ROW] = int(self._answer["score"]) - before
        engine.refusal[_ROW] = code
        info = {**self._info(), "reason": reason}
        over = bool(self._answer["gameOver"])
        return self._observed(), float(engine.reward[_ROW]), over, False, info

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def view(self) -> dict[str, Any]:
        """Return the position as the server tells it."""
        view = self._published()
        return {**view, "legalActions": list(self._answer["legalActions"])}

    def get_state(self) -> dict[str, Any]:
        """Refuse: the server alone knows the whole state."""
        raise OptionError("a server's game has no state to save but the server's own token")

    def set_state(self, state: dict[str, Any]) -> None:
        """Refuse: the server alone knows the whole state."""
        raise OptionError("a server's game cannot be set to a state")

    def _play(self, index: int) -> tuple[int, str]:
        """Have an action played; return its refusal code and the reason, "" if it was accepted."""
        engine = self.engine
        if not 0 <= index < engine.num_actions:
            code = int(RefusalCode.INDEX_OUT_OF_RANGE)
            return code, engine.explain(_ROW, index, code)
        name = self._state_name()
        body = {name: self._answer[name], "action": engine.codec.decode(index)}
        answer = self._connection.post("action", body, self._extras())
        if not answer.get("ok", True):
            return self._code_of(index), str(answer.get("reason", ""))
        self._take(answer)
        return int(RefusalCode.ACCEPTED), ""

    def _extras(self) -> dict[str, str]:
        return {} if self._as_text else {"view": "true"}

    def _state_name(self) -> str:
        return next(name for name in _STATE_NAMES if name in self._answer)

    def _observed(self) -> Any:
        if self._as_text:
            text = self._answer["observation"]
            return text if isinstance(text, str) else json.dumps(text)
        return self.engine.observation_of(_ROW)

    def _info(self) -> dict[str, Any]:
        return {**super()._info(), "game_seed": self._seed}

    def _code_of(self, index: int) -> int:
        """Return the code of an action that the server refused, as the mirror sees it."""
        engine = self.engine
        if engine.terminated[_ROW]:
            return int(RefusalCode.RUN_ENDED)
        # The server gives a reason in words, no code. Where the mirror knows none either, since it
        # takes the action for legal or mirrors nothing, what fits best is the wrong phase.
        known = not self._as_text and not has_action(engine.legal[_ROW], index)
        return engine.refusal_of(_ROW, index) if known else int(RefusalCode.WRONG_PHASE)

    def _take(self, answer: dict[str, Any]) -> None:
        """Make an answer the present position, and mirror it."""
        lacking = [name for name in _NEEDED if name not in answer]
        if lacking or not any(name in answer for name in _STATE_NAMES):
            raise RemoteError(f"the server's answer lacks {', '.join(lacking) or 'state'}")
        self._answer = answer
        if not self._as_text:
            self.engine.restore(_ROWS, [self._mirrored()])
        self._take_legal(answer)
        self.engine.state["score"][_ROW] = answer["score"]

    def _mirrored(self) -> Record:
        reading = import_module(f"{self._game.package}.reading")
        try:
            return reading.record_of(self.engine, self._published())
        except (KeyError, ValueError, TypeError, IndexError, OverflowError) as error:
            raise RemoteError(
                f"the server's view is none of {self._game.id}: {shown(error)}"
            ) from error

    def _published(self) -> Mapping[str, Any]:
        for name in ("view", "observation"):
            if isinstance(self._answer.get(name), dict):
                view: dict[str, Any] = self._answer[name]
                return view
        raise RemoteError('the server tells its position only in words: use observation="text"')

    def _take_legal(self, answer: dict[str, Any]) -> None:
        """Write the server's legal list over the mirror's; it is the one that counts."""
        engine: Engine = self.engine
        try:
            indices = [engine.codec.encode(one) for one in answer["legalActions"]]
        except (QuiltrailError, TypeError) as error:
            raise RemoteError(f"the server's legal list is none of this game: {error}") from error
        over = bool(answer["gameOver"])
        engine.legal[_ROW] = action_set([] if over else indices, engine.num_actions)
        engine.mask[_ROW] = 1 if over else 0
        engine.mask[_ROW, indices] = 1
        engine.terminated[_ROW] = over
