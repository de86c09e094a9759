"""The games of an `EngineVecEnv` as they stand, with all that decides how they go on."""

from __future__ import annotations

from typing import Any

import numpy as np

from quiltrail.train.vec_env import EngineVecEnv


def get_games(env: EngineVecEnv) -> dict[str, Any]:
    """Return games, seed streams, time limits, random generator and transforms as they stand.

    What a transform remembers is its arrays. An opponent that is a policy with a memory of its own
    is not part of it.
    """
    batch = env.batch
    starts: Any = env.starts
    return {
        "records": env.engine.state.copy(),
        "stream_seeds": batch.streams.seeds.copy(),
        "stream_games": batch.streams.games.copy(),
        "elapsed": batch.elapsed.copy(),
        "rng": env.rng.bit_generator.state,
        "refusals": env.refusals,
        "transforms": [_arrays_in(vars(one)) for one in env.transforms],
        "starts": starts.get_state() if hasattr(starts, "get_state") else None,
    }


def set_games(env: EngineVecEnv, games: dict[str, Any]) -> None:
    """Go on exactly from a snapshot, in an environment made with the same arguments.

    Raises:
        StateError: if a game cannot be in one of its states.
    """
    batch = env.batch
    env.engine.restore(batch.all_rows, env.engine.checked_records(games["records"]))
    batch.streams.seeds[:] = games["stream_seeds"]
    batch.streams.games[:] = games["stream_games"]
    batch.elapsed[:] = games["elapsed"]
    env.rng.bit_generator.state = games["rng"]
    env.refusals = games["refusals"]
    for transform, memory in zip(env.transforms, games["transforms"], strict=True):
        vars(transform).update(memory)
    starts: Any = env.starts
    if games["starts"] is not None:
        starts.set_state(games["starts"])


def _arrays_in(attributes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if isinstance(value, np.ndarray)}
