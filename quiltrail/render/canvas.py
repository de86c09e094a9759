"""The canvas: what a game draws on, in units of its own, whatever becomes of the picture.

A game draws once, on a `Canvas`; `quiltrail.render.raster.RasterCanvas` makes pixels of it and
`quiltrail.render.svg.SvgCanvas` a vector file. Both fill in the canvas's abstract methods, one for
each kind of mark. Lengths are units: a game's picture is `PICTURE_UNITS` wide and high, x to the
right, y down, however many pixels it becomes. Angles do not occur. Colours are (red, green, blue),
0 to 255, usually taken from ``canvas.theme``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal, NamedTuple

from quiltrail.render.text import text_width
from quiltrail.render.themes import Color, Theme

PICTURE_UNITS = 100.0

Point = tuple[float, float]
Dash = tuple[float, float]
Cap = Literal["round", "butt"]
Align = Literal["left", "center", "right"]

#: Draws a part of a picture in its own corner: (canvas, *hashable arguments).
Painter = Callable[..., None]

_SHADOW_ALPHA = 0.18
_SHARE_BEFORE = {"left": 0.0, "center": 0.5, "right": 1.0}


class Box(NamedTuple):
    """A rectangle with its top left corner at (x, y)."""

    x: float
    y: float
    width: float
    height: float


class Ink(NamedTuple):
    """What fills a shape or, if ``outline`` is its thickness, draws its outline."""

    color: Color
    alpha: float
    outline: float | None = None


class Pen(NamedTuple):
    """What draws a line."""

    thickness: float
    color: Color
    cap: Cap
    dash: Dash | None
    alpha: float


class Lettering(NamedTuple):
    """How text is written; ``before`` is the share of its width that lies left of its place."""

    color: Color
    before: float
    bold: bool
    alpha: float


class Canvas(ABC):
    """A surface of `width` by `height` units with a theme.

    ``alpha`` is opacity, 0 to 1, everywhere. What lies beyond the edge is cut off.

    Example:
        >>> from quiltrail.render import LIGHT, RasterCanvas
        >>> canvas = RasterCanvas(64, 64, LIGHT)
        >>> canvas.rect(0, 0, 100, 100, canvas.theme.page)
        >>> canvas.circle(50, 50, 30, canvas.theme.sun)
        >>> canvas.text("7", 50, 50, 24, canvas.theme.ink, bold=True)
        >>> canvas.pixels().shape
        (64, 64, 3)
    """

    def __init__(self, width: float, height: float, theme: Theme) -> None:
        self.width = width
        self.height = height
        self.theme = theme

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        color: Color,
        *,
        radius: float = 0.0,
        outline: float | None = None,
        alpha: float = 1.0,
    ) -> None:
        """Fill a rectangle with corner (x, y), or draw its outline that many units thick.

        An outline lies half inside and half outside; ``radius`` rounds the corners.
        """
        self._rect(Box(x, y, width, height), radius, Ink(color, alpha, outline))

    def circle(
        self,
        x: float,
        y: float,
        radius: float,
        color: Color,
        *,
        outline: float | None = None,
        alpha: float = 1.0,
    ) -> None:
        """Fill a circle with centre (x, y), or draw its outline that many units thick."""
        self._circle((x, y), radius, Ink(color, alpha, outline))

    def polygon(self, *contours: Sequence[Point], color: Color, alpha: float = 1.0) -> None:
        """Fill closed contours; one that runs the other way round inside another is a hole."""
        self._polygon(contours, Ink(color, alpha))

    def line(
        self,
        points: Sequence[Point],
        thickness: float,
        color: Color,
        *,
        cap: Cap = "round",
        dash: Dash | None = None,
        alpha: float = 1.0,
    ) -> None:
        """Draw a line through points, with round joints; ``dash`` is (drawn, left out) lengths."""
        self._line(points, Pen(thickness, color, cap, dash, alpha))

    def curve(
        self,
        start: Point,
        control: Point,
        end: Point,
        thickness: float,
        color: Color,
        *,
        cap: Cap = "round",
        dash: Dash | None = None,
        alpha: float = 1.0,
    ) -> None:
        """Draw the quadratic curve that leaves start and reaches end in the control's direction."""
        self._curve(start, control, end, Pen(thickness, color, cap, dash, alpha))

    def gradient(
        self, x: float, y: float, width: float, height: float, top: Color, bottom: Color
    ) -> None:
        """Fill a rectangle with colours that run from top to bottom."""
        self._gradient(Box(x, y, width, height), top, bottom)

    def text(
        self,
        string: str,
        x: float,
        y: float,
        size: float,
        color: Color,
        *,
        align: Align = "center",
        bold: bool = False,
        alpha: float = 1.0,
    ) -> None:
        """Write one line of text.

        Args:
            string: characters of the embedded font (ASCII and a few signs); others show as "?".
            x: the text's left end, middle or right end, as ``align`` says.
            y: the middle of its capitals.
            size: the height of a capital, units.
            color: of the letters.
            align: "left", "center" or "right".
            bold: whether to use the bold style.
            alpha: opacity.
        """
        lettering = Lettering(color, _SHARE_BEFORE[align], bold, alpha)
        self._text(string, (x, y), size, lettering)

    def stamp(
        self,
        painter: Painter,
        x: float,
        y: float,
        width: float,
        height: float,
        *args: Hashable,
    ) -> None:
        """Put a picture in a picture: ``painter(part, *args)`` draws on a canvas of that size.

        The painter sees (0, 0) as its top left corner, draws nothing beyond its size and depends
        on its arguments and the theme alone: pixels are kept and used again for equal arguments, so
        stamps are how a picture becomes fast. Edges are moved to the nearest whole pixels: stamps
        side by side leave no gap. Give it a module-level function and arguments with few different
        values (a shape, a fabric; not a score).
        """
        self._stamp(painter, args, Box(x, y, width, height))

    def fill(self, color: Color) -> None:
        """Fill the whole canvas."""
        self.rect(0.0, 0.0, self.width, self.height, color)

    def panel(
        self, x: float, y: float, width: float, height: float, *, radius: float, drop: float = 0.8
    ) -> None:
        """Draw the theme's raised surface, its shadow ``drop`` units below it."""
        theme = self.theme
        self.rect(x, y + drop, width, height, theme.shadow, radius=radius, alpha=_SHADOW_ALPHA)
        self.rect(x, y, width, height, theme.panel, radius=radius)

    def fitted_text(
        self, string: str, x: float, y: float, size: float, room: float, color: Color, **style: Any
    ) -> None:
        """Write text as `text` does, smaller where it would be wider than ``room`` units."""
        wide = self.text_width(string, size, bold=style.get("bold", False))
        self.text(string, x, y, size * min(1.0, room / max(wide, 1e-9)), color, **style)

    def text_width(self, string: str, size: float, *, bold: bool = False) -> float:
        """Return how many units a text is wide."""
        return text_width(string, size, bold)

    @abstractmethod
    def _rect(self, box: Box, radius: float, ink: Ink) -> None:
        """Draw a rectangle."""

    @abstractmethod
    def _circle(self, center: Point, radius: float, ink: Ink) -> None:
        """Draw a circle."""

    @abstractmethod
    def _polygon(self, contours: Sequence[Sequence[Point]], ink: Ink) -> None:
        """Fill contours."""

    @abstractmethod
    def _line(self, points: Sequence[Point], pen: Pen) -> None:
        """Draw a line."""

    @abstractmethod
    def _curve(self, start: Point, control: Point, end: Point, pen: Pen) -> None:
        """Draw a curve."""

    @abstractmethod
    def _gradient(self, box: Box, top: Color, bottom: Color) -> None:
        """Fill a rectangle with running colours."""

    @abstractmethod
    def _text(self, string: str, place: Point, size: float, lettering: Lettering) -> None:
        """Write a line of text."""

    @abstractmethod
    def _stamp(self, painter: Painter, args: tuple[Hashable, ...], box: Box) -> None:
        """Put a picture in a rectangle."""
