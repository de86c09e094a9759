"""Templates get kernels of their own, and numba's cache tells what comes of them apart."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from quiltrail.core.jit import compiled, with_parts

_STEP_TWO_GAMES = """
import numpy as np
from quiltrail.envs import find_game
for name in ("sunpleat", "sunpleatlevels"):
    engine = find_game(name).make_engine(1)
    engine.step(np.array([0]))
stats = engine.kernels.step.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def part(value: int) -> int:
    raise NotImplementedError


def _twice(value: int) -> int:
    return part(part(value))


@compiled
def add_one(value: int) -> int:
    return value + 1


@compiled
def double(value: int) -> int:
    return 2 * value


def test_one_template_serves_several_owners() -> None:
    adding = compiled(with_parts(_twice, "adding", part=add_one))
    doubling = compiled(with_parts(_twice, "doubling", part=double))
    assert [adding(5), doubling(5), adding(6)] == [7, 20, 8]
    with pytest.raises(NotImplementedError):
        _twice(5)


def test_owners_give_functions_names_that_the_cache_can_tell_apart() -> None:
    names = {with_parts(_twice, owner, part=double).__qualname__ for owner in ("one", "other")}
    assert names == {"_twice_of_one", "_twice_of_other"}


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_another_process_finds_a_games_loops_in_the_cache(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", _STEP_TWO_GAMES]
    said = [
        subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
        for _ in range(2)
    ]
    assert [one.split() for one in said] == [["0", "2"], ["2", "0"]]
