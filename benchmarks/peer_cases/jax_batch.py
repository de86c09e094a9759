"""What the JAX suites share: a compiled, batched step driven from Python, as a policy would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from clock import Play, Stopwatch


@dataclass(frozen=True)
class Suite:
    """A batched environment of B games.

    Attributes:
        reset: keys (B,) -> carry, all that a step needs.
        step: (carry, flat actions (B,), keys (B,)) -> carry, ended games begun anew.
        legal: carry -> bool (B, A).
    """

    reset: Callable[[Any], Any]
    step: Callable[[Any, Any, Any], Any]
    legal: Callable[[Any], Any]


def batch_play(suite: Suite, num_envs: int) -> Play:
    """Return a play of uniform legal actions, drawn by compiled code outside the clock."""
    step = jax.jit(suite.step)

    @jax.jit
    def choose(carry: Any, key: Any) -> tuple[Any, Any]:
        key, drawing, playing = jax.random.split(key, 3)
        legal = suite.legal(carry).reshape(num_envs, -1)
        logits = jnp.where(legal, 0.0, -jnp.inf)
        actions = jax.random.categorical(drawing, logits)
        return key, (actions, jax.random.split(playing, num_envs))

    held = [jax.jit(suite.reset)(jax.random.split(jax.random.PRNGKey(0), num_envs))]
    keys = [jax.random.PRNGKey(1)]

    def play(watch: Stopwatch) -> int:
        keys[0], chosen = jax.block_until_ready(choose(held[0], keys[0]))
        with watch:
            held[0] = jax.block_until_ready(step(held[0], *chosen))
        return num_envs

    return play
