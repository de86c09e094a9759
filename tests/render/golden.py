"""Golden pictures: one position of each game in both themes, small.

After changing how a game looks, look at the new pictures and keep them:

    python -m tests.render.golden [GAME ...]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.random_legal import RandomLegal
from quiltrail.core.engine import Engine
from quiltrail.envs import GAMES, GameSpec
from quiltrail.envs.rendering import Look, has_paint, rgb_array
from quiltrail.render import THEMES
from quiltrail.render.png import png_bytes

FOLDER = Path(__file__).parent / "golden"
SIZE = 128
SEED = 7
STEPS = 9


def position(spec: GameSpec) -> Engine:
    """Return a game after a few random moves that end nothing."""
    engine = spec.make_engine(1)
    engine.reset(np.array([0]), np.array([SEED], np.uint64))
    ends = [
        action
        for action in range(engine.num_actions)
        if engine.codec.decode(action)["type"] in ("bank", "restart", "finish")
    ]
    agent = RandomLegal(SEED, forbid=tuple(ends))
    for _ in range(STEPS):
        engine.step(agent.act(engine))
    return engine


def picture(spec: GameSpec, theme: str) -> NDArray[np.uint8]:
    """Return a game's golden position as it is drawn now."""
    return rgb_array(position(spec), 0, Look(SIZE, theme))


def path_of(spec: GameSpec, theme: str) -> Path:
    """Return where a golden picture is kept."""
    return FOLDER / f"{spec.short_name}_{theme}.png"


def painted_games() -> list[GameSpec]:
    """Return the games that draw pictures of their own."""
    return [spec for spec in GAMES if has_paint(spec.make_engine(1))]


def main() -> None:
    """Write the pictures of the named games, or of all."""
    wanted = {name.lower() for name in sys.argv[1:]}
    for spec in painted_games():
        if not wanted or spec.short_name in wanted:
            for theme in THEMES:
                path_of(spec, theme).write_bytes(png_bytes(picture(spec, theme)))
                print(path_of(spec, theme))


if __name__ == "__main__":
    main()
