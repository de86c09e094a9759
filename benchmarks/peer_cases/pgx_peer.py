"""pgx's board games, compiled and batched, with its autoreset."""

from __future__ import annotations

from typing import Any

import jax
import pgx
from clock import Play
from jax_batch import Suite, batch_play
from pgx.experimental import auto_reset
from reporting import PeerCase, report


def _batch(name: str, num_envs: int) -> Play:
    """Return a play of a batch."""
    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def legal(carry: Any) -> Any:
        return carry.legal_action_mask

    return batch_play(Suite(jax.vmap(env.init), step, legal), num_envs)


if __name__ == "__main__":
    report(
        PeerCase(name, "vmap", size, True, lambda name=name, size=size: _batch(name, size))
        for name in ("connect_four", "othello", "2048")
        for size in (1, 1024, 4096)
    )
