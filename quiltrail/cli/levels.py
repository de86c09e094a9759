"""``quiltrail levels``: a list and a contact sheet of procedural levels."""

from __future__ import annotations

from math import ceil, inf, sqrt
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from quiltrail.cli.options import GameSettings, ThemeName
from quiltrail.cli.values import parse_settings
from quiltrail.core.engine import Engine
from quiltrail.core.errors import ConfigError, unknown_name
from quiltrail.core.levelled_engine import LevelledEngine
from quiltrail.envs import GAMES, GameSpec
from quiltrail.envs.rendering import Look, rgb_array
from quiltrail.render import RasterCanvas, Theme, theme_named
from quiltrail.render.png import png_bytes

_CAPTION_SHARE = 0.11  # of a picture's side
_CAPTION_UNITS = 100.0
_MOST_LEVELS = 400


def show_levels(
    game: Annotated[str, typer.Argument(help="a game with levels, or the id")],
    count: Annotated[int, typer.Option(help="how many levels")] = 12,
    difficulty: Annotated[
        tuple[float, float] | None, typer.Option(help="at least the first, below the second")
    ] = None,
    seed: Annotated[int, typer.Option(help="of the stream that chooses them")] = 0,
    settings: GameSettings = None,
    png: Annotated[Path | None, typer.Option(help="write a contact sheet here")] = None,
    size: Annotated[int, typer.Option(help="pixels of each picture's side")] = 256,
    theme: ThemeName = "light",
) -> None:
    """List levels with their exact difficulty, and draw them."""
    if not 1 <= count <= _MOST_LEVELS:
        raise ConfigError(f"--count is 1 to {_MOST_LEVELS}, got {count}")
    spec = find_levels(game)
    engine = spec.make_engine(count, **parse_settings(settings))
    if not isinstance(engine, LevelledEngine):
        raise ConfigError(f"{spec.id} has no levels")
    levels = engine.levels_between(seed, count, *(difficulty or (0.0, inf)))
    engine.reset(np.arange(count), np.full(count, seed, np.uint64), level=np.array(levels))
    facts = [engine.facts_of_level(level) for level in levels]
    _print(spec, levels, facts)
    if png is not None:
        look = Look(size, theme)
        captions = [_caption(level, fact) for level, fact in zip(levels, facts, strict=True)]
        png.write_bytes(png_bytes(_contact_sheet(engine, captions, look)))
        typer.echo(f"{count} levels are drawn in {png}")


def find_levels(name: str) -> GameSpec:
    """Return the spec of a game's procedural levels, by its id, its short name, or the game's.

    Raises:
        UnknownNameError: if there is none; it lists the games.
    """
    known = {spec.folder: spec for spec in GAMES if spec.procedural}
    for game, spec in known.items():
        if name in (game, spec.id, spec.short_name):
            return spec
    raise unknown_name("game with levels", name, known)


def _contact_sheet(engine: Engine, captions: list[str], look: Look) -> NDArray[np.uint8]:
    """Return the pictures of an engine's rows in a grid, a caption below each, (H, W, 3) uint8."""
    columns = ceil(sqrt(len(captions)))
    theme = theme_named(look.theme)
    tiles = [
        np.concatenate([rgb_array(engine, row, look), _caption_strip(caption, look.size, theme)])
        for row, caption in enumerate(captions)
    ]
    empty = np.full_like(tiles[0], theme.page)
    tiles += [empty] * (-len(tiles) % columns)
    rows = [np.concatenate(tiles[at : at + columns], 1) for at in range(0, len(tiles), columns)]
    return np.concatenate(rows)


def _caption_strip(caption: str, width: int, theme: Theme) -> NDArray[np.uint8]:
    height = round(_CAPTION_SHARE * width)
    units_high = _CAPTION_UNITS * height / width
    canvas = RasterCanvas(width, height, theme, _CAPTION_UNITS, units_high)
    canvas.fill(theme.page)
    middle = (_CAPTION_UNITS / 2, units_high / 2)
    canvas.fitted_text(caption, *middle, 4.0, _CAPTION_UNITS - 6, theme.ink)
    return canvas.pixels()


def _caption(level: int, facts: dict[str, Any]) -> str:
    return f"{level}: " + ", ".join(f"{name} {value}" for name, value in facts.items())


def _print(spec: GameSpec, levels: list[int], facts: list[dict[str, Any]]) -> None:
    console = Console()
    console.print(spec.id)
    table = Table("level", *facts[0], box=None)
    for level, fact in zip(levels, facts, strict=True):
        table.add_row(str(level), *map(str, fact.values()))
    console.print(table)
