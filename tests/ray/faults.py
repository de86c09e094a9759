"""An opponent that stumbles once: it raises where a file says so, and takes the file away."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ARMED = "QUILTRAIL_TEST_STUMBLE"  # names a file; while it exists, somebody will stumble
CALLS = 120  # of one process before it happens: some chunks into a run

_calls = [0]


def stumbling(observations: dict[str, NDArray[Any]], masks: NDArray[np.int8]) -> NDArray[np.int64]:
    """Play the last legal action."""
    _calls[0] += 1
    if _calls[0] >= CALLS and ARMED in os.environ:
        try:
            Path(os.environ[ARMED]).unlink()
        except FileNotFoundError:
            pass
        else:
            raise RuntimeError("stumbled, as the test wanted")
    last: NDArray[np.int64] = masks.shape[1] - 1 - np.argmax(masks[:, ::-1] != 0, axis=1)
    return last
