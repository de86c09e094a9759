"""SvgCanvas: a canvas that writes a vector file; stamps become symbols that are used again."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from quiltrail.render.canvas import PICTURE_UNITS, Align, Canvas, Cap, Painter, Point
from quiltrail.render.text import layout, load_font
from quiltrail.render.themes import Color, Theme

_ALIGN = {"left": 0.0, "center": 0.5, "right": 1.0}
_StampKey = tuple[Painter, float, float, tuple[Hashable, ...]]


@dataclass
class _Shared:
    """What all parts of one file share: the definitions and their names."""

    definitions: list[str] = field(default_factory=list)
    stamps: dict[_StampKey, str] = field(default_factory=dict)
    gradients: dict[tuple[object, ...], str] = field(default_factory=dict)
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
        """See `Canvas.rect`."""
        corner = f' rx="{_n(min(radius, width / 2, height / 2))}"' if radius > 0 else ""
        box = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
        self._elements.append(f"<rect {box}{corner} {_ink(color, outline, alpha)}/>")

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
        """See `Canvas.circle`."""
        place = f'cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}"'
        self._elements.append(f"<circle {place} {_ink(color, outline, alpha)}/>")

    def polygon(self, *contours: Sequence[Point], color: Color, alpha: float = 1.0) -> None:
        """See `Canvas.polygon`."""
        path = "".join(f"M{_points(contour)}Z" for contour in contours)
        self._elements.append(f'<path d="{path}" {_ink(color, None, alpha)}/>')

    def line(
        self,
        points: Sequence[Point],
        thickness: float,
        color: Color,
        *,
        cap: Cap = "round",
        dash: tuple[float, float] | None = None,
        alpha: float = 1.0,
    ) -> None:
        """See `Canvas.line`."""
        self._stroke(f"M{_points(points)}", thickness, color, cap, dash, alpha)

    def curve(
        self,
        start: Point,
        control: Point,
        end: Point,
        thickness: float,
        color: Color,
        *,
        cap: Cap = "round",
        dash: tuple[float, float] | None = None,
        alpha: float = 1.0,
    ) -> None:
        """See `Canvas.curve`."""
        path = f"M{_points([start])}Q{_points([control, end])}"
        self._stroke(path, thickness, color, cap, dash, alpha)

    def gradient(
        self, x: float, y: float, width: float, height: float, top: Color, bottom: Color
    ) -> None:
        """See `Canvas.gradient`."""
        stops = f"{_stop(0, top, 1.0)}{_stop(1, bottom, 1.0)}"
        name = self._gradient(
            ("linear", top, bottom), 'linearGradient x1="0" y1="0" x2="0" y2="1"', stops
        )
        box = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
        self._elements.append(f'<rect {box} fill="url(#{name})"/>')

    def glow(self, x: float, y: float, radius: float, color: Color, *, alpha: float = 1.0) -> None:
        """See `Canvas.glow`."""
        stops = f"{_stop(0, color, alpha)}{_stop(1, color, 0.0)}"
        name = self._gradient(("radial", color, alpha), "radialGradient", stops)
        place = f'cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}"'
        self._elements.append(f'<circle {place} fill="url(#{name})"/>')

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
        """See `Canvas.text`; letters are shapes, so no font is needed to show them."""
        glyphs, width = layout(string, bold)
        left, top = x - _ALIGN[align] * width * size, y - size / 2
        uses = "".join(
            f'<use href="#{self._letter(glyph.character, bold)}" x="{_n(glyph.x)}"/>'
            for glyph in glyphs
            if not glyph.character.isspace()
        )
        place = f'transform="translate({_n(left)} {_n(top)}) scale({_n(size)})"'
        label = string.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
        self._elements.append(
            f'<g role="img" aria-label="{label}" {place} {_ink(color, None, alpha)}>{uses}</g>'
        )

    def stamp(
        self,
        painter: Painter,
        x: float,
        y: float,
        width: float,
        height: float,
        *args: Hashable,
    ) -> None:
        """See `Canvas.stamp`."""
        key = (painter, width, height, args)
        name = self._shared.stamps.get(key)
        if name is None:
            part = SvgCanvas(self.theme, width, height)
            part._shared = self._shared
            painter(part, *args)
            name = f"s{len(self._shared.stamps)}"
            self._shared.stamps[key] = name
            box = (
                f'viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}" height="{_n(height)}"'
            )
            self._define(f'<symbol id="{name}" {box}>{"".join(part._elements)}</symbol>')
        self._elements.append(
            f'<use href="#{name}" x="{_n(x)}" y="{_n(y)}" '
            f'width="{_n(width)}" height="{_n(height)}"/>'
        )

    def _stroke(
        self,
        path: str,
        thickness: float,
        color: Color,
        cap: Cap,
        dash: tuple[float, float] | None,
        alpha: float,
    ) -> None:
        dashes = f' stroke-dasharray="{_n(dash[0])} {_n(dash[1])}"' if dash else ""
        style = f'stroke-linejoin="round" stroke-linecap="{cap}"{dashes}'
        self._elements.append(f'<path d="{path}" {style} {_ink(color, thickness, alpha)}/>')

    def _gradient(self, key: tuple[object, ...], opening: str, stops: str) -> str:
        """Return the name of a gradient, defined once."""
        gradients = self._shared.gradients
        if key not in gradients:
            gradients[key] = f"c{len(gradients)}"
            kind, _, rest = opening.partition(" ")
            self._define(f'<{kind} id="{gradients[key]}" {rest}>{stops}</{kind}>')
        return gradients[key]

    def _letter(self, character: str, bold: bool) -> str:
        """Return the name of a letter's shape, defined once."""
        letters = self._shared.letters
        if (character, bold) not in letters:
            letters[character, bold] = f"l{len(letters)}"
            path, at = "", None
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


def _css(color: Color) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)


def _ink(color: Color, outline: float | None, alpha: float) -> str:
    """Return the attributes that fill, or that draw an outline of some thickness."""
    kind = "fill" if outline is None else "stroke"
    see_through = f' {kind}-opacity="{_n(alpha)}"' if alpha < 1 else ""
    if outline is None:
        return f'fill="{_css(color)}"{see_through}'
    return f'fill="none" stroke="{_css(color)}" stroke-width="{_n(outline)}"{see_through}'


def _stop(offset: int, color: Color, alpha: float) -> str:
    return f'<stop offset="{offset}" stop-color="{_css(color)}" stop-opacity="{_n(alpha)}"/>'
