"""The package's own players, as advisers for one position."""

from __future__ import annotations

from typing import Any
from zlib import crc32

from quiltrail.agents import AGENTS, Agent, make_agent
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, unknown_name

#: Players that answer within milliseconds, so that a server may ask them.
QUICK_PLAYERS = (
    "patchrook-solver",
    "sunpleat-solver",
    "greedy",
    "tinrail-wise",
    "tinrail-easy",
    "random",
)
_RANDOM = "random"


def players_of(engine: Engine) -> list[str]:
    """Return the names of the quick players that play a game, the best first."""
    return [name for name in QUICK_PLAYERS if name in AGENTS and _plays(make_agent(name), engine)]


def choose(name: str, engine: Engine, salt: str) -> dict[str, Any]:
    """Return the JSON action of a player in row 0; ``salt`` decides its chance.

    Raises:
        UnknownNameError: if no such player plays this game.
        OptionError: if the game has ended.
    """
    known = players_of(engine)
    if name not in known:
        raise unknown_name("agent", name, known)
    if engine.terminated[0]:
        raise OptionError("the game has ended, so no agent has anything to do")
    settings = {"seed": crc32(salt.encode())} if name == _RANDOM else {}
    return engine.codec.decode(int(make_agent(name, **settings).act(engine)[0]))


def _plays(agent: Agent, engine: Engine) -> bool:
    try:
        agent.check_game(engine)
    except OptionError:
        return False
    return True
