"""Time render() of every game: milliseconds a picture, by size.

    python -m benchmarks.rendering [--games 300] [--sizes 128 512 1024]

Each picture shows another position of random legal play (boards are not banked or restarted), so
that what is kept between pictures helps as much as in use and no more. Reported: median and 95th
percentile after a warm-up, and the first picture of a process, which draws everything kept later.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import numpy as np

from quiltrail.agents.random_legal import RandomLegal
from quiltrail.core.engine import Engine
from quiltrail.envs import GAMES, GameSpec
from quiltrail.envs.rendering import Look, rgb_array

_IDLE_MOVES = ("bank", "restart")
_WARM_UP_SHARE = 5  # one picture in so many is not counted


def _positions(spec: GameSpec, count: int) -> Iterator[Engine]:
    """Yield one engine in ever new positions; an ended game is followed by the next seed's."""
    engine = spec.make_engine(1)
    actions = range(engine.num_actions)
    idle = tuple(a for a in actions if engine.codec.decode(a)["type"] in _IDLE_MOVES)
    agent = RandomLegal(0, forbid=idle)
    for number in range(count):
        if engine.terminated[0]:
            engine.reset(np.array([0]), np.array([number], np.uint64))
        engine.step(agent.act(engine))
        yield engine


def _times(spec: GameSpec, look: Look, count: int) -> list[float]:
    """Return the milliseconds of each picture."""
    spent = []
    for engine in _positions(spec, count):
        start = time.perf_counter()
        rgb_array(engine, 0, look)
        spent.append(1000 * (time.perf_counter() - start))
    return spent


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=300, help="pictures of each game and size")
    parser.add_argument("--sizes", type=int, nargs="+", default=[128, 512, 1024])
    arguments = parser.parse_args()
    print(f"{'game':18}{'theme':8}{'pixels':>7}{'first ms':>10}{'median ms':>11}{'95 % ms':>9}")
    for spec in GAMES:
        for theme in ("light", "dark"):
            for size in arguments.sizes:
                spent = _times(spec, Look(size, theme), arguments.games)
                usual = np.array(spent[len(spent) // _WARM_UP_SHARE :])
                print(
                    f"{spec.name:18}{theme:8}{size:7}{spent[0]:10.1f}"
                    f"{np.median(usual):11.2f}{np.percentile(usual, 95):9.2f}"
                )


if __name__ == "__main__":
    main()
