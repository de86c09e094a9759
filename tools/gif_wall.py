"""Make the README's moving pictures: every game at play, small.

    python -m tools.gif_wall

Players of this package play; the pictures depend on nothing else, so that the same version makes
the same files. Together they stay below two megabytes.
"""

from __future__ import annotations

from pathlib import Path

from quiltrail.agents import make_agent
from quiltrail.envs.rendering import Look, rgb_array
from quiltrail.play.session import Session
from quiltrail.render.movie import save_movie

_FOLDER = Path(__file__).resolve().parents[1] / "docs" / "gallery"
_SIZE = 240
_FPS = 3.0
#: Game -> (player, seed, frames, theme).
_FILMS = {
    "patchrook": ("patchrook-solver", 7, 22, "light"),
    "patchwork": ("greedy", 7, 40, "dark"),
    "sunpleat": ("sunpleat-solver", 7, 24, "light"),
    "tinrail": ("tinrail-wise", 7, 18, "dark"),
}
_MOST_BYTES = 2_000_000


def _film(game: str) -> Path:
    """Write one game's moving picture and return its path."""
    player, seed, count, theme = _FILMS[game]
    session, agent, look = Session(game, seed), make_agent(player), Look(_SIZE, theme)
    frames = [rgb_array(session.engine, 0, look)]
    while len(frames) < count and not session.over:
        session.play(int(agent.act(session.engine)[0]))
        frames.append(rgb_array(session.engine, 0, look))
    _FOLDER.mkdir(exist_ok=True)
    return save_movie(_FOLDER / f"{game}.gif", frames, fps=_FPS)


def main() -> None:
    """Write all of them."""
    sizes = {path.name: path.stat().st_size for path in map(_film, _FILMS)}
    for name, size in sizes.items():
        print(f"{name:16}{size / 1000:8.0f} kB")
    if sum(sizes.values()) > _MOST_BYTES:
        raise SystemExit(f"{sum(sizes.values()):,} bytes are more than {_MOST_BYTES:,}")


if __name__ == "__main__":
    main()
