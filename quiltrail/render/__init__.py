"""Drawing shared by the games, numpy only: a canvas, text, themes, fabrics, PNG.

How a game draws
----------------
Its ``draw.py`` has two functions::

    def ansi(engine: Engine, row: int) -> str: ...

    def paint(canvas: Canvas, engine: Engine, row: int) -> None: ...

``paint`` draws the position on a square of `PICTURE_UNITS` (100) units, y down, whatever its size
in pixels: the array of ``rgb_array``, the PNG of a notebook and the SVG file all come from it. Take
colours from ``canvas.theme``; draw what never changes, or takes few forms, by ``canvas.stamp``:

    >>> from quiltrail.render import LIGHT, Canvas, draw_patch, paint_fabric, raster
    >>> def _board(canvas: Canvas, squares: int) -> None:  # drawn once, then copied
    ...     canvas.fill(canvas.theme.page)
    ...     side = canvas.width / squares
    ...     for column in range(squares):
    ...         canvas.rect(column * side + 1, 1, side - 2, side - 2, canvas.theme.well, radius=1)
    >>> def _draw(canvas: Canvas, score: int) -> None:
    ...     canvas.stamp(_board, 0, 0, 100, 100, 4)
    ...     canvas.stamp(paint_fabric, 25, 0, 25, 25, 2)
    ...     draw_patch(canvas, [(0, 0), (0, 1), (1, 1)], 50, 25, side=12.5, fabric=0)
    ...     canvas.text(f"Score {score}", 96, 94, 4, canvas.theme.ink, align="right", bold=True)
    >>> raster(_draw, 7, size=64, theme=LIGHT).shape
    (64, 64, 3)

Rules of thumb. Letters (``size`` is the height of a capital): 5 units and more for what must be
read at 128 pixels, 2.5 for what may need 512. Lines: 0.5 units and more. Say nothing by colour
alone: add a pattern, a sign or a number. A picture depends on nothing but the position and the
theme. It stays under 3 ms at 512 pixels when it is one backdrop stamp, a few dozen stamps and
texts, and a handful of free shapes.

Size and theme are the environments' arguments ``render_size`` and ``theme``; an environment class
passes them on with ``**options: Unpack[EnvOptions]`` (see `quiltrail.envs.sunpleat.env`). A game
without ``paint`` shows its ``ansi`` text as a picture.
"""

from quiltrail.render.canvas import PICTURE_UNITS, Canvas, Point
from quiltrail.render.fabrics import NUM_FABRICS, paint_fabric
from quiltrail.render.patches import draw_patch
from quiltrail.render.picture import raster, vector
from quiltrail.render.raster import RasterCanvas
from quiltrail.render.svg import SvgCanvas
from quiltrail.render.themes import DARK, LIGHT, THEMES, Color, Fabric, Theme, mix, theme_named

__all__ = [
    "DARK",
    "LIGHT",
    "NUM_FABRICS",
    "PICTURE_UNITS",
    "THEMES",
    "Canvas",
    "Color",
    "Fabric",
    "Point",
    "RasterCanvas",
    "SvgCanvas",
    "Theme",
    "draw_patch",
    "mix",
    "paint_fabric",
    "raster",
    "theme_named",
    "vector",
]
