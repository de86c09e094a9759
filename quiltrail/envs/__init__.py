"""The registration table: every environment id, and where its parts are.

Importing this imports no game; entry points are strings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import pettingzoo

from quiltrail.core.arguments import build
from quiltrail.core.engine import Engine
from quiltrail.core.errors import UnknownNameError, unknown_name
from quiltrail.core.extras import object_at

_NAMESPACE = "quiltrail"


@dataclass(frozen=True)
class GameSpec:
    """One environment id.

    Attributes:
        name: the class prefix, and the id is ``quiltrail/<name>-v<version>``.
        package: the folder with ``engine.py`` and ``env.py``.
        max_episode_steps: default time limit.
        version: of the environment.
        engine: "module:class" inside the package; by default ``<name>Engine`` of ``engine.py``.
        players: names of agents that answer within milliseconds, the best first; scores are
            measured against the first.
        procedural: whether its boards are made from levels. By default its engine is in
            ``levels.py`` and its environments in ``levels_env.py``; the protocol leaves it out.
    """

    name: str
    package: str
    max_episode_steps: int
    version: int = 0
    engine: str = ""
    players: tuple[str, ...] = ()
    procedural: bool = False

    @property
    def id(self) -> str:
        """The environment id, for example quiltrail/Sunpleat-v0."""
        return f"{_NAMESPACE}/{self.name}-v{self.version}"

    @property
    def short_name(self) -> str:
        """The name in commands, addresses and file names, for example sunpleat."""
        return self.name.lower()

    @property
    def folder(self) -> str:
        """The name of the game's folder, which the ids of one game share."""
        return self.package.rpartition(".")[2]

    @property
    def reference(self) -> str | None:
        """The player that scores are measured against, None where there is none."""
        return self.players[0] if self.players else None

    @property
    def entry_point(self) -> str:
        """Where the single environment is."""
        return f"{self._env_module}:{self.name}Env"

    @property
    def vector_entry_point(self) -> str:
        """Where the native vector environment is."""
        return f"{self._env_module}:{self.name}VectorEnv"

    @property
    def _env_module(self) -> str:
        return f"{self.package}.{'levels_env' if self.procedural else 'env'}"

    def make_engine(self, num_games: int, **settings: Any) -> Engine:
        """Return a batch of this game.

        Raises:
            OptionError: if a setting is unknown or out of range.
        """
        default = f"{'levels' if self.procedural else 'engine'}:{self.name}Engine"
        engine_class = object_at(f"{self.package}.{self.engine or default}")
        engine: Engine = build(self.id, engine_class, num_games, **settings)
        return engine


GAMES: tuple[GameSpec, ...] = (
    GameSpec("Patchrook", "quiltrail.envs.patchrook", 256, players=("patchrook-solver",)),
    GameSpec(
        "PatchrookLevels",
        "quiltrail.envs.patchrook",
        256,
        players=("patchrook-solver",),
        procedural=True,
    ),
    GameSpec("Patchwork", "quiltrail.envs.patchwork", 20_000, players=("greedy",)),
    GameSpec("Sunpleat", "quiltrail.envs.sunpleat", 256, players=("sunpleat-solver",)),
    GameSpec(
        "SunpleatLevels",
        "quiltrail.envs.sunpleat",
        256,
        players=("sunpleat-solver",),
        procedural=True,
    ),
    GameSpec(
        "Tinrail",
        "quiltrail.envs.tinrail",
        64,
        engine="solo:TinrailSoloEngine",
        players=("tinrail-wise", "tinrail-easy"),
    ),
)


#: PettingZoo id -> entry point of its turn-based (AEC) environment.
AEC_ENVS = {f"{_NAMESPACE}/tinrail-v0": "quiltrail.envs.tinrail_v0:env"}


def register_envs() -> None:
    """Register every id with Gymnasium and PettingZoo; calling it again changes nothing."""
    for spec in GAMES:
        if spec.id not in gym.registry:
            gym.register(
                spec.id,
                entry_point=spec.entry_point,
                vector_entry_point=spec.vector_entry_point,
                max_episode_steps=spec.max_episode_steps,
            )
    for aec_id, entry_point in AEC_ENVS.items():
        if aec_id not in pettingzoo.aec_registry:
            pettingzoo.register("aec", aec_id, entry_point=entry_point)


def find_game(name: str) -> GameSpec:
    """Return the spec of an id ("quiltrail/Sunpleat-v0", also with the prefix "quiltrail:").

    The short name ("sunpleat") works too.

    Raises:
        UnknownNameError: if there is none; it lists the names.
    """
    wanted = name.removeprefix(f"{_NAMESPACE}:") if isinstance(name, str) else name
    for spec in GAMES:
        if wanted in (spec.id, spec.short_name):
            return spec
    raise unknown_name("environment id", name, [spec.id for spec in GAMES])


__all__ = ["AEC_ENVS", "GAMES", "GameSpec", "UnknownNameError", "find_game", "register_envs"]
