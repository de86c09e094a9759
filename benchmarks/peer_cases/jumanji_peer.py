"""Jumanji's packing and sliding puzzles, compiled and batched, with its autoreset."""

from __future__ import annotations

from typing import Any

import jumanji
from clock import Play
from jax import numpy as jnp
from jax_batch import Suite, batch_play
from jumanji.wrappers import VmapAutoResetWrapper
from reporting import PeerCase, report

_ENVS = ("Tetris-v0", "FlatPack-v0", "SlidingTilePuzzle-v0", "Game2048-v1")


def _batch(name: str, num_envs: int) -> Play:
    """Return a play of a batch."""
    env = VmapAutoResetWrapper(jumanji.make(name))
    shape = env.observation_spec.action_mask.shape

    def step(carry: Any, actions: Any, _: Any) -> Any:
        parts = jnp.stack(jnp.unravel_index(actions, shape), axis=-1).astype(jnp.int32)
        return env.step(carry[0], parts if len(shape) > 1 else parts[:, 0])

    def legal(carry: Any) -> Any:
        return carry[1].observation.action_mask

    return batch_play(Suite(env.reset, step, legal), num_envs)


if __name__ == "__main__":
    report(
        PeerCase(name, "vmap", size, True, lambda name=name, size=size: _batch(name, size))
        for name in _ENVS
        for size in ((1, 64) if "FlatPack" in name else (1, 1024, 4096))
    )
