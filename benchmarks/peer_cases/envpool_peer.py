"""EnvPool's C++ environments, with one worker thread."""

from __future__ import annotations

from math import prod
from typing import Any

import envpool
import numpy as np
from clock import Play, Stopwatch
from reporting import PeerCase, report

_ENVS = (
    "Jumanji/Tetris-v0",
    "Jumanji/FlatPack-v0",
    "Jumanji/SlidingTilePuzzle-v0",
    "Jumanji/Game2048-v1",
    "CartPole-v1",
)


def _batch(name: str, num_envs: int) -> Play:
    """Return a play of random play, legal where the environment shows what is."""
    envs: Any = envpool.make(name, env_type="gymnasium", num_envs=num_envs, num_threads=1, seed=0)
    observation, _ = envs.reset()
    rng = np.random.default_rng(0)
    shown = [observation]

    def play(watch: Stopwatch) -> int:
        actions = _choose(shown[0], num_envs, rng)
        with watch:
            shown[0] = envs.step(actions)[0]
        return num_envs

    return play


def _choose(observation: Any, num_envs: int, rng: np.random.Generator) -> Any:
    """Return uniform legal actions (B,), or (B, parts) where the mask has several axes."""
    if not isinstance(observation, dict):
        return rng.integers(2, size=num_envs, dtype=np.int32)  # CartPole shows no mask
    mask = observation["action_mask"]
    shape = mask.shape[1:]
    drawn = rng.random((num_envs, prod(shape)))
    best = np.where(mask.reshape(num_envs, -1), drawn, -1.0).argmax(axis=1)
    parts = np.stack(np.unravel_index(best, shape), axis=1).astype(np.int32)
    return parts if len(shape) > 1 else parts[:, 0]


if __name__ == "__main__":
    report(
        PeerCase(
            *(name, "vector", size, "Jumanji" in name),
            lambda name=name, size=size: _batch(name, size),
        )
        for name in _ENVS
        for size in ((1, 64) if "FlatPack" in name else (1, 64, 1024))
    )
