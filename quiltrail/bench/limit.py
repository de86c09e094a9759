"""The physical limit: how long the machine takes only to write a step's bytes.

The arrays are laid out as the engine lays them out (observation and mask of a row in whole words
of eight bytes); the kernel stores a changing word everywhere and does nothing else. No engine that
writes observation and mask afresh can be faster; one that leaves unchanged fields alone can.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.bench.clock import Play, Stopwatch
from quiltrail.bench.subjects import Layout
from quiltrail.core.jit import compiled
from quiltrail.core.legality import mask_word_count
from quiltrail.core.observation import word_span

_ROWS_A_CALL = 32_768  # so that calling the kernel weighs nothing beside its work


@compiled
def _write(
    observations: NDArray[np.uint64], masks: NDArray[np.uint64], value: int, times: int
) -> None:
    for time in range(times):
        word = np.uint64(value + time)
        for row in range(observations.shape[0]):
            for w in range(observations.shape[1]):
                observations[row, w] = word
            for w in range(masks.shape[1]):
                masks[row, w] = word


def write_play(layout: Layout, num_envs: int) -> Play:
    """Return a play that writes observation and mask of B rows; a step is one row."""
    observations = np.zeros((num_envs, word_span(layout.observation)), np.uint64)
    masks = np.zeros((num_envs, mask_word_count(layout.mask)), np.uint64)
    times = max(1, _ROWS_A_CALL // num_envs)

    def play(watch: Stopwatch) -> int:
        with watch:
            _write(observations, masks, watch.cpu_ns, times)
        return num_envs * times

    return play
