"""Slices of a batch in threads, for kernels that let go of Python's lock.

Rows do not depend on each other, so the result is the same for any number of threads. One thread is
the default everywhere: handing a slice over costs some ten microseconds where a core is free, and
milliseconds where none is. Without the compiler the slices run by turns, with equal results.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Rows

#: Slices are at least so long: a shorter one takes less time than handing it over.
LEAST_ROWS = 256


def run_in_slices(
    kernel: Callable[..., int], threads: int, rows: Rows, *arrays: NDArray[Any]
) -> Rows:
    """Run a kernel over rows, in slices; return the rows it did not finish, in their order.

    Args:
        kernel: called as ``kernel(rows, *arrays, unfinished)`` with slices of equal length; it
            writes rows to the front of ``unfinished`` and returns how many.
        threads: the most slices, one a thread.
        rows: (R,) distinct rows.
        arrays: (R, ..) what belongs to them.
    """
    unfinished = np.empty(len(rows), np.int64)
    if threads == 1 or len(rows) < 2 * LEAST_ROWS:
        return unfinished[: kernel(rows, *arrays, unfinished)]
    parts = min(threads, len(rows) // LEAST_ROWS)
    ends = [len(rows) * part // parts for part in range(parts + 1)]
    slices = [slice(*pair) for pair in pairwise(ends)]
    given = [[array[part] for array in (rows, *arrays, unfinished)] for part in slices]
    others = [_pool(threads - 1).submit(kernel, *one) for one in given[1:]]
    counts = [kernel(*given[0]), *(other.result() for other in others)]
    return np.concatenate([one[-1][:count] for one, count in zip(given, counts, strict=True)])


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    """Return the threads beside the caller's, the same for all engines of a process."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork
    return ThreadPoolExecutor(workers, thread_name_prefix="quiltrail-rows")
