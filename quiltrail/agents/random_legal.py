"""Uniformly random legal play."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.base import Agent
from quiltrail.core.engine import Engine
from quiltrail.core.jit import compiled
from quiltrail.core.legality import count_actions, nth_action
from quiltrail.core.mulberry32 import STREAM_BOT, advance, as_seed, below, mix


@compiled
def _choose(
    legal: NDArray[np.uint64], cursors: NDArray[np.uint64], actions: NDArray[np.int64]
) -> None:
    for row in range(legal.shape[0]):
        actions[row] = 0
        count = count_actions(legal[row])
        if count > 0:
            cursors[row] = advance(cursors[row])
            actions[row] = nth_action(legal[row], below(mix(cursors[row]), count))


class RandomLegal(Agent):
    """Draws uniformly from the legal list, row i from its own Mulberry32 stream.

    Args:
        seed: row i draws from the stream seeded (seed + i) XOR a constant, so a row's play does
            not depend on how many rows there are.
        forbid: flat actions it never takes while another one is legal (for example bank).
    """

    def __init__(self, seed: int = 0, forbid: tuple[int, ...] = ()) -> None:
        self._seed = as_seed(seed)
        self._forbid = forbid
        self._cursors = np.zeros(0, np.uint64)

    def act(self, engine: Engine) -> NDArray[np.int64]:
        """Return a random legal action for every row."""
        if len(self._cursors) != engine.num_games:
            seeds = (np.arange(engine.num_games) + self._seed).astype(np.uint32)
            self._cursors = (seeds ^ np.uint32(STREAM_BOT)).astype(np.uint64)
        legal = engine.legal
        if self._forbid:
            allowed = legal & ~self._forbidden_words(legal.shape[1])
            legal = np.where(allowed.any(axis=1, keepdims=True), allowed, legal)
        actions = np.zeros(engine.num_games, np.int64)
        _choose(legal, self._cursors, actions)
        return actions

    def _forbidden_words(self, num_words: int) -> NDArray[np.uint64]:
        words = np.zeros(num_words, np.uint64)
        for action in self._forbid:
            words[action >> 6] |= np.uint64(1) << np.uint64(action & 63)
        return words
