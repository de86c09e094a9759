"""SvgCanvas: a canvas that writes a vector file; stamps become symbols that are used again."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from quiltrail.render.canvas import (
    PICTURE_UNITS,
    Box,
    Canvas,
    Ink,
    Lettering,
    Painter,
    Pen,
    Point,
)
from quiltrail.render.text import layout, load_font
from quiltrail.render.themes import Color, Theme, css

_StampKey = tuple[Painter, float, float, tuple[Hashable, ...]]


@dataclass
class _Shared:
    """What all parts of one file share: the definitions and their names."""

    definitions: list[str] = field(default_factory=list)
    stamps: dict[_StampKey, str] = field(default_factory=dict)
    gradients: dict[tuple[Color, Color], str] = field(default_factory=dict)
    letters: dict[tuple[str, bool], str] = field(default_factory=dict)


class SvgCanvas(Canvas):
    """A canvas whose shapes become SVG elements.

    Args:
        theme: its colours.
        width: units across; the default is a game's picture.
        height: units down.
    """

    def __init__(
        self, theme: Theme, width: float = PICTURE_UNITS, height: float = PICTURE_UNITS
    ) -> None:
        super().__init__(width, height, theme)
        self._elements: list[str] = []
        self._shared = _Shared()

    def document(self, size: int) -> str:
        """Return the file, shown ``size`` pixels wide where nothing else is asked for."""
        high = round(size * self.height / self.width)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{high}" '
            f'viewBox="0 0 {_n(self.width)} {_n(self.height)}">'
            f"<defs>{self.definitions()}</defs>{self.content()}</svg>\n"
        )

    def next_page(self) -> SvgCanvas:
        """Return an empty canvas of the same size that shares this one's definitions."""
        page = SvgCanvas(self.theme, self.width, self.height)
        page._shared = self._shared
        return page

    def definitions(self) -> str:
        """Return the elements that this canvas and its pages use, for one ``<defs>``."""
        return "".join(self._shared.definitions)

    def content(self) -> str:
        """Return the elements of this page alone."""
        return "".join(self._elements)

    def _rect(self, box: Box, radius: float, ink: Ink) -> None:
        corner = f' rx="{_n(min(radius, box.width / 2, box.height / 2))}"' if radius > 0 else ""
        self._elements.append(f"<rect {_frame(box)}{corner} {_ink(ink)}/>")

    def _circle(self, center: Point, radius: float, ink: Ink) -> None:
        self._elements.append(f"<circle {_disc(center, radius)} {_ink(ink)}/>")

    def _polygon(self, contours: Sequence[Sequence[Point]], ink: Ink) -> None:
        path = "".join(f"M{_points(contour)}Z" for contour in contours)
        self._elements.append(f'<path d="{path}" {_ink(ink)}/>')

    def _line(self, points: Sequence[Point], pen: Pen) -> None:
        self._stroke(f"M{_points(points)}", pen)

    def _curve(self, start: Point, control: Point, end: Point, pen: Pen) -> None:
        self._stroke(f"M{_points([start])}Q{_points([control, end])}", pen)

    def _gradient(self, box: Box, top: Color, bottom: Color) -> None:
        name = self._gradient_name(top, bottom)
        self._elements.append(f'<rect {_frame(box)} fill="url(#{name})"/>')

    def _text(self, string: str, place: Point, size: float, lettering: Lettering) -> None:
        """Write letters as shapes, so that no font is needed to show them."""
        glyphs, width = layout(string, lettering.bold)
        left, top = place[0] - lettering.before * width * size, place[1] - size / 2
        uses = "".join(
            f'<use href="#{self._letter(glyph.character, lettering.bold)}" x="{_n(glyph.x)}"/>'
            for glyph in glyphs
            if not glyph.character.isspace()
        )
        at = f'transform="translate({_n(left)} {_n(top)}) scale({_n(size)})"'
        label = string.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
        ink = _ink(Ink(lettering.color, lettering.alpha))
        self._elements.append(f'<g role="img" aria-label="{label}" {at} {ink}>{uses}</g>')

    def _stamp(self, painter: Painter, args: tuple[Hashable, ...], box: Box) -> None:
        key = (painter, box.width, box.height, args)
        name = self._shared.stamps.get(key)
        if name is None:
            part = SvgCanvas(self.theme, box.width, box.height)
            part._shared = self._shared
            painter(part, *args)
            name = f"s{len(self._shared.stamps)}"
            self._shared.stamps[key] = name
            wide, high = _n(box.width), _n(box.height)
            size = f'viewBox="0 0 {wide} {high}" width="{wide}" height="{high}"'
            self._define(f'<symbol id="{name}" {size}>{part.content()}</symbol>')
        self._elements.append(f'<use href="#{name}" {_frame(box)}/>')

    def _stroke(self, path: str, pen: Pen) -> None:
        dashes = f' stroke-dasharray="{_n(pen.dash[0])} {_n(pen.dash[1])}"' if pen.dash else ""
        style = f'stroke-linejoin="round" stroke-linecap="{pen.cap}"{dashes}'
        ink = _ink(Ink(pen.color, pen.alpha, pen.thickness))
        self._elements.append(f'<path d="{path}" {style} {ink}/>')

    def _gradient_name(self, top: Color, bottom: Color) -> str:
        """Return the name of a gradient, defined once."""
        gradients = self._shared.gradients
        if (top, bottom) not in gradients:
            name = gradients[top, bottom] = f"c{len(gradients)}"
            opening = f'<linearGradient id="{name}" x1="0" y1="0" x2="0" y2="1">'
            self._define(f"{opening}{_stop(0, top)}{_stop(1, bottom)}</linearGradient>")
        return gradients[top, bottom]

    def _letter(self, character: str, bold: bool) -> str:
        """Return the name of a letter's shape, defined once."""
        letters = self._shared.letters
        if (character, bold) not in letters:
            letters[character, bold] = f"l{len(letters)}"
            path, at = "", None
            # The curves of a contour follow each other; another start begins another contour.
            for start, control, end in load_font(bold).curves[character].tolist():
                path += "" if start == at else f"M{_points([start])}"
                path += f"Q{_points([control, end])}"
                at = end
            self._define(f'<path id="{letters[character, bold]}" d="{path}"/>')
        return letters[character, bold]

    def _define(self, element: str) -> None:
        self._shared.definitions.append(element)


def _n(number: float) -> str:
    """Return a number with at most three decimals."""
    return f"{number:.3f}".rstrip("0").rstrip(".")


def _points(points: Sequence[Point]) -> str:
    return " ".join(f"{_n(x)} {_n(y)}" for x, y in points)


def _frame(box: Box) -> str:
    """Return the attributes that place a rectangle."""
    place = f'x="{_n(box.x)}" y="{_n(box.y)}"'
    return f'{place} width="{_n(box.width)}" height="{_n(box.height)}"'


def _disc(center: Point, radius: float) -> str:
    """Return the attributes that place a circle."""
    return f'cx="{_n(center[0])}" cy="{_n(center[1])}" r="{_n(radius)}"'


def _ink(ink: Ink) -> str:
    """Return the attributes that fill, or that draw an outline of some thickness."""
    kind = "fill" if ink.outline is None else "stroke"
    see_through = f' {kind}-opacity="{_n(ink.alpha)}"' if ink.alpha < 1 else ""
    if ink.outline is None:
        return f'fill="{css(ink.color)}"{see_through}'
    thickness = f'stroke-width="{_n(ink.outline)}"'
    return f'fill="none" stroke="{css(ink.color)}" {thickness}{see_through}'


def _stop(offset: int, color: Color) -> str:
    return f'<stop offset="{offset}" stop-color="{css(color)}" stop-opacity="1"/>'
