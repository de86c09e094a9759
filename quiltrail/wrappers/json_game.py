"""JsonGame: the publisher's protocol, in process.

The site's loop holds no state: ``init`` answers a state, ``action`` takes that state back with an
action. So one `JsonGame` serves any number of games at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from quiltrail.core.engine import Engine
from quiltrail.core.errors import QuiltrailError
from quiltrail.core.mulberry32 import as_seed
from quiltrail.envs import find_game
from quiltrail.envs.wording import specification

_ROW = 0


class JsonGame:
    """Answer the two requests of the publisher's loop with JSON values.

    | request | answer |
    |---|---|
    | `init(seed)` | `state`, `observation`, `legalActions`, `spec`, `score`, `gameOver` |
    | `action({"state": .., "action": ..})` | `ok: true` and the same, without `spec` |
    | an illegal action | `ok: false`, `reason`, `legalActions`; the state stays good |

    ``observation`` is ``view()``, ``state`` that of ``get_state``: complete and checked when it
    comes back, so a forged one is refused with the name of the field. It is readable, hidden parts
    included; `quiltrail.protocol` seals states for players that are strangers.

    Args:
        env_id: an environment id or short name.
        settings: the game's own keyword arguments.

    Raises:
        UnknownNameError: if there is no such id.
        OptionError: if a setting does not fit the game.
    """

    def __init__(self, env_id: str, **settings: Any) -> None:
        self._spec = find_game(env_id)
        self._engine: Engine = self._spec.make_engine(1, **settings)

    @property
    def spec(self) -> dict[str, Any]:
        """The game in words: its rules and the JSON schema of an action, with its id."""
        return {"id": self._spec.id, **specification(self._engine)}

    def init(self, seed: int) -> dict[str, Any]:
        """Start the game of a seed, an int taken modulo 2**32.

        Raises:
            InvalidSeedError: if it is not an int.
        """
        engine = self._engine
        engine.reset(np.array([_ROW]), np.array([as_seed(seed)], np.uint64))
        return {**self._position(), "spec": self.spec}

    def action(self, request: object) -> dict[str, Any]:
        """Play one action from a state; never raises, whatever comes in."""
        if not isinstance(request, dict) or set(request) != {"state", "action"}:
            return _refusal('a request is an object with exactly "state" and "action"', [])
        engine = self._engine
        try:
            engine.set_state(_ROW, request["state"])
        except QuiltrailError as error:
            return _refusal(str(error), [])
        verdict = engine.submit(_ROW, request["action"])
        if not verdict.accepted:
            return _refusal(verdict.reason, engine.legal_actions(_ROW))
        return {"ok": True, **self._position()}

    def _position(self) -> dict[str, Any]:
        engine = self._engine
        return {
            "state": engine.get_state(_ROW),
            "observation": engine.view(_ROW),
            "legalActions": engine.legal_actions(_ROW),
            "score": int(engine.score[_ROW]),
            "gameOver": bool(engine.terminated[_ROW]),
        }


def _refusal(reason: str, legal: list[dict[str, Any]]) -> dict[str, Any]:
    return {"ok": False, "reason": reason, "legalActions": legal}
