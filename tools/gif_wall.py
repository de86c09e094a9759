"""Make the README's moving pictures: the four games at play, small.

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
_SEED = 7
#: Game -> (frames, theme).
_FILMS = {
    "patchrook": (22, "light"),
    "patchwork": (40, "dark"),
    "sunpleat": (24, "light"),
    "tinrail": (18, "dark"),
}
_MOST_BYTES = 2_000_000


def _film(game: str) -> Path:
    """Write one game's moving picture and return its path."""
    count, theme = _FILMS[game]
    session, look = Session(game, _SEED), Look(_SIZE, theme)
    agent = make_agent(session.spec.reference or "random")
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
