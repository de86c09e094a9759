"""The global random generators that learning draws from: seeded, saved, left alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch


def fix_randomness(seed: int, threads: int) -> None:
    """Seed every global generator; the number of threads changes what torch computes, too."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002  (SB3 shuffles its minibatches with the global generator)
    torch.manual_seed(seed)
    torch.set_num_threads(threads)


def get_randomness() -> dict[str, Any]:
    """Return the states of the global generators of python, numpy and torch."""
    return {
        "python": random.getstate(),
        "numpy": np.random.get_state(),  # noqa: NPY002
        "torch": torch.get_rng_state().numpy(),
    }


def set_randomness(states: dict[str, Any]) -> None:
    """Go on exactly from states of `get_randomness`."""
    random.setstate(states["python"])
    np.random.set_state(states["numpy"])  # noqa: NPY002
    torch.set_rng_state(torch.from_numpy(states["torch"].copy()))


@contextmanager
def borrowed_randomness(seed: int) -> Iterator[None]:
    """Seed the global generators for a while, then put them back as they were."""
    states = get_randomness()
    fix_randomness(seed, torch.get_num_threads())
    try:
        yield
    finally:
        set_randomness(states)
