"""Rendering: find the game's drawing module only when a picture is asked for.

A drawing module has ``ansi(engine, row) -> str`` and ``paint(canvas, engine, row)`` (see
`quiltrail.render`); a game without ``paint`` shows its text as a picture. Gymnasium makes "human"
out of "rgb_array".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.arguments import check_int
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, unknown_name_text

if TYPE_CHECKING:
    from quiltrail.render.canvas import Canvas

METADATA: dict[str, Any] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 4}

DEFAULT_RENDER_SIZE = 512
_SMALLEST, _LARGEST = 32, 4096


class EnvOptions(TypedDict, total=False):
    """The constructor arguments that every single environment takes beside its game's.

    Attributes:
        render_mode: one of ``metadata["render_modes"]`` or None.
        render_size: pixels of a picture's side, 32 to 4096; 512 by default.
        theme: "light" or "dark".
        on_refusal: "refuse" or "raise"; see `quiltrail.envs.single.GameEnv`.
    """

    render_mode: str | None
    render_size: int
    theme: str
    on_refusal: str


@dataclass(frozen=True)
class Look:
    """How pictures look: a checked size and theme.

    Raises:
        OptionError: if the size or the theme is not allowed.
    """

    size: int = DEFAULT_RENDER_SIZE
    theme: str = "light"

    def __post_init__(self) -> None:
        check_int("render_size", self.size, _SMALLEST, _LARGEST)
        if self.theme != Look.theme:  # the default needs no look into the drawing layer
            from quiltrail.render.themes import theme_named

            theme_named(self.theme)


_DEFAULT_LOOK = Look()


def check_render_mode(render_mode: str | None) -> str | None:
    """Return a render mode.

    Raises:
        OptionError: if it is neither None nor one of the declared modes.
    """
    if render_mode is not None and render_mode not in METADATA["render_modes"]:
        raise OptionError(unknown_name_text("render_mode", render_mode, METADATA["render_modes"]))
    return render_mode


def render(
    engine: Engine, row: int, render_mode: str | None, look: Look = _DEFAULT_LOOK
) -> NDArray[np.uint8] | str | None:
    """Return one row drawn in a mode.

    Text for "ansi", (size, size, 3) uint8 for "rgb_array"; None without a mode.
    """
    if render_mode is None:
        return None
    if render_mode == "ansi":
        return ansi(engine, row)
    return rgb_array(engine, row, look)


def ansi(engine: Engine, row: int) -> str:
    """Return one row as text."""
    text: str = _drawing(engine).ansi(engine, row)
    return text


def rgb_array(engine: Engine, row: int, look: Look = _DEFAULT_LOOK) -> NDArray[np.uint8]:
    """Return one row as a picture, (size, size, 3) uint8."""
    from quiltrail.render import raster, theme_named

    paint, arguments = _paint(engine, row)
    return raster(paint, *arguments, size=look.size, theme=theme_named(look.theme))


def png(engine: Engine, row: int, look: Look = _DEFAULT_LOOK) -> bytes:
    """Return one row as a PNG file."""
    from quiltrail.render.png import png_bytes

    return png_bytes(rgb_array(engine, row, look))


def svg(engine: Engine, row: int, look: Look = _DEFAULT_LOOK) -> str:
    """Return one row as an SVG file."""
    from quiltrail.render import theme_named, vector

    paint, arguments = _paint(engine, row)
    return vector(paint, *arguments, size=look.size, theme=theme_named(look.theme))


def paint_on(canvas: Canvas, engine: Engine, row: int) -> None:
    """Draw one row on a canvas of the caller's."""
    paint, arguments = _paint(engine, row)
    canvas.fill(canvas.theme.page)
    paint(canvas, *arguments)


def has_paint(engine: Engine) -> bool:
    """Return whether a game draws pictures of its own."""
    return hasattr(_drawing(engine), "paint")


def _drawing(engine: Engine) -> ModuleType:
    return import_module(engine.drawing)


def _paint(engine: Engine, row: int) -> tuple[Callable[..., None], tuple[Any, ...]]:
    """Return a game's paint function and its arguments behind the canvas."""
    if has_paint(engine):
        paint: Callable[[Canvas, Engine, int], None] = _drawing(engine).paint
        return paint, (engine, row)
    from quiltrail.render.picture import paint_text

    return paint_text, (ansi(engine, row),)
