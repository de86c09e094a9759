"""The package's own players, as advisers for one position."""

from __future__ import annotations

from typing import Any
from zlib import crc32

from quiltrail.agents import make_agent
from quiltrail.core.errors import OptionError, unknown_name
from quiltrail.envs import find_game
from quiltrail.protocol.variants import Variant

_RANDOM = "random"  # plays every game


def players_of(slug: str) -> list[str]:
    """Return the players of a game that a server may ask, since they are quick, the best first."""
    return [*find_game(slug).players, _RANDOM]


def choose(name: str, variant: Variant, salt: str) -> dict[str, Any]:
    """Return the JSON action of a player in the present game; ``salt`` decides its chance.

    Raises:
        UnknownNameError: if no such player plays this game.
        OptionError: if the game has ended.
    """
    known = players_of(variant.slug)
    if name not in known:
        raise unknown_name("agent", name, known)
    engine = variant.engine
    if engine.terminated[0]:
        raise OptionError("the game has ended, so no agent has anything to do")
    settings = {"seed": crc32(salt.encode())} if name == _RANDOM else {}
    return engine.codec.decode(int(make_agent(name, **settings).act(engine)[0]))
