"""The games of an `EngineVecEnv` as they stand, with all that decides how they go on."""

from __future__ import annotations

import io
import pickle
from typing import Any

from quiltrail.core.engine import Engine
from quiltrail.train.vec_env import EngineVecEnv

_ENGINE = "engine"


class _Pickler(pickle.Pickler):
    """Pickles transforms; the engine they may hold stays outside."""

    def __init__(self, file: io.BytesIO, engine: Engine) -> None:
        super().__init__(file, protocol=5)
        self._engine = engine

    def persistent_id(self, obj: object) -> str | None:
        return _ENGINE if obj is self._engine else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, engine: Engine) -> None:
        super().__init__(file)
        self._engine = engine

    def persistent_load(self, pid: Any) -> Engine:
        return self._engine


def get_games(env: EngineVecEnv) -> dict[str, Any]:
    """Return games, seed streams, time limits, random generator and transforms as they stand.

    An opponent that is a policy with a memory of its own is not part of it.
    """
    batch = env._batch
    starts: Any = env.starts
    memories = io.BytesIO()
    _Pickler(memories, env.engine).dump([vars(one) for one in env.transforms])
    return {
        "records": env.engine.state.copy(),
        "stream_seeds": batch.streams.seeds.copy(),
        "stream_games": batch.streams.games.copy(),
        "elapsed": batch.elapsed.copy(),
        "rng": env._rng.bit_generator.state,
        "refusals": env.refusals,
        "transforms": memories.getvalue(),
        "starts": starts.get_state() if hasattr(starts, "get_state") else None,
    }


def set_games(env: EngineVecEnv, games: dict[str, Any]) -> None:
    """Go on exactly from a snapshot, in an environment made with the same arguments."""
    batch = env._batch
    env.engine.restore(batch.all_rows, list(games["records"]))
    batch.streams.seeds[:] = games["stream_seeds"]
    batch.streams.games[:] = games["stream_games"]
    batch.elapsed[:] = games["elapsed"]
    env._rng.bit_generator.state = games["rng"]
    env.refusals = games["refusals"]
    memories = _Unpickler(io.BytesIO(games["transforms"]), env.engine).load()
    for transform, memory in zip(env.transforms, memories, strict=True):
        vars(transform).update(memory)
    starts: Any = env.starts
    if games["starts"] is not None:
        starts.set_state(games["starts"])
