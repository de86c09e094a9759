"""Time the way to the first step in fresh processes: import, cold compile, from the cache.

    python -m benchmarks.startup [--games NAME ..] [--repeats 3]

Each figure is CPU seconds of a process of its own, the interpreter's start included. "Cold" makes,
resets and steps an environment with an empty kernel cache, "cached" does it again with the cache
the cold process left; of the import and the cached start the best of some repeats is told. One
thread everywhere.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from quiltrail.envs import GAMES, find_game

_IMPORT = "import quiltrail, time; print(time.process_time())"
_FIRST_STEP = """
import gymnasium, quiltrail, time
env = gymnasium.make("{id}")
_, info = env.reset(seed=0)
env.step(int(info["action_mask"].argmax()))
print(time.process_time())
"""
_FIRST_BATCH = """
import gymnasium, quiltrail, time
env = gymnasium.make_vec("{id}", num_envs=64)
_, infos = env.reset(seed=0)
env.step(infos["action_mask"].argmax(axis=1))
print(time.process_time())
"""


def _seconds_of(code: str, cache: Path) -> float:
    """Return the CPU seconds that a fresh process takes for some code."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def _row_of(name: str, repeats: int) -> str:
    """Return a game's row of the table."""
    env_id = find_game(name).id
    figures = []
    for code in (_FIRST_STEP, _FIRST_BATCH):
        with tempfile.TemporaryDirectory() as folder:
            figures.append(_seconds_of(code.format(id=env_id), Path(folder)))
            figures.append(
                min(_seconds_of(code.format(id=env_id), Path(folder)) for _ in range(repeats))
            )
    return f"| {env_id} | " + " | ".join(f"{figure:.2f}" for figure in figures) + " |"


def main() -> None:
    """Print the import's time and a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="+", default=[spec.id for spec in GAMES])
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        best = min(_seconds_of(_IMPORT, Path(folder)) for _ in range(arguments.repeats))
    print(f"`import quiltrail`: {best:.2f} s\n")
    print("| CPU seconds to the first step | env, cold | env, cached | batch, cold | cached |")
    print("|---|---|---|---|---|")
    for name in arguments.games:
        print(_row_of(name, arguments.repeats), flush=True)


if __name__ == "__main__":
    main()
