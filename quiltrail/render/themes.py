"""Themes: the named colours of every picture, in a light and a dark set.

Hues are those of Okabe and Ito's palette, shifted in lightness so that fabrics, players and states
also differ in lightness alone: nothing a picture says hangs on hue only. Source of the palette:
M. Okabe and K. Ito, "Color Universal Design" (2008).
"""

from __future__ import annotations

from dataclasses import dataclass

from quiltrail.core.errors import OptionError, unknown_name_text

#: Red, green and blue, each 0 to 255.
Color = tuple[int, int, int]


@dataclass(frozen=True)
class Fabric:
    """A cloth: its pattern (see `quiltrail.render.fabrics`), ground colour and thread colour."""

    name: str
    pattern: str
    cloth: Color
    thread: Color


@dataclass(frozen=True, eq=False)  # compared and hashed as itself: stamps look it up often
class Theme:
    """The colours of a picture.

    Attributes:
        name: "light" or "dark".
        page: behind everything.
        panel: a raised surface on the page: the board, a tray, a card.
        well: an empty place on a panel.
        line: thin lines and outlines on a panel.
        ink: text and strong shapes on page or panel.
        muted: second-rank text, at least 4.5 to 1 against page and panel.
        shadow: under raised things, drawn with a low alpha.
        accent: what is chosen, promised or won (the gold outline).
        good: success.
        bad: failure.
        players: the first and the second side.
        fabrics: six cloths, with the patterns gingham, dots, stripes, cross-stitch, floral and
            diamond.
        sun: a pennant's sun face, and moon: its moon face.
        sky: top and bottom of a picture's sky.
        rail: steel; wood: sleepers, poles, string.
    """

    name: str
    page: Color
    panel: Color
    well: Color
    line: Color
    ink: Color
    muted: Color
    shadow: Color
    accent: Color
    good: Color
    bad: Color
    players: tuple[Color, Color]
    fabrics: tuple[Fabric, ...]
    sun: Color
    moon: Color
    sky: tuple[Color, Color]
    rail: Color
    wood: Color


_PATTERNS = (
    ("red", "gingham"),
    ("teal", "dots"),
    ("mustard", "stripes"),
    ("navy", "cross-stitch"),
    ("green", "floral"),
    ("plum", "diamond"),
)


def _fabrics(*colors: tuple[Color, Color]) -> tuple[Fabric, ...]:
    """Return the six fabrics, each from its cloth and thread."""
    pairs = zip(_PATTERNS, colors, strict=True)
    return tuple(Fabric(name, pattern, *cloth_thread) for (name, pattern), cloth_thread in pairs)


LIGHT = Theme(
    name="light",
    page=(244, 238, 227),
    panel=(255, 252, 245),
    well=(232, 223, 207),
    line=(203, 190, 168),
    ink=(43, 38, 34),
    muted=(100, 90, 78),
    shadow=(60, 45, 25),
    accent=(230, 159, 0),
    good=(0, 128, 96),
    bad=(190, 66, 0),
    players=((0, 100, 168), (213, 94, 0)),
    fabrics=_fabrics(
        ((252, 234, 226), (200, 38, 24)),
        ((54, 168, 170), (240, 253, 250)),
        ((249, 194, 56), (255, 236, 178)),
        ((18, 32, 118), (198, 214, 248)),
        ((151, 171, 113), (252, 252, 234)),
        ((98, 38, 90), (228, 184, 218)),
    ),
    sun=(250, 192, 48),
    moon=(46, 62, 110),
    sky=((178, 217, 240), (252, 241, 222)),
    rail=(70, 76, 86),
    wood=(158, 114, 72),
)

DARK = Theme(
    name="dark",
    page=(27, 29, 36),
    panel=(40, 43, 53),
    well=(55, 59, 72),
    line=(84, 90, 107),
    ink=(240, 236, 226),
    muted=(172, 172, 178),
    shadow=(0, 0, 0),
    accent=(250, 196, 64),
    good=(64, 196, 152),
    bad=(244, 132, 72),
    players=((86, 180, 233), (240, 150, 60)),
    fabrics=_fabrics(
        ((236, 214, 204), (190, 52, 24)),
        ((14, 134, 124), (222, 242, 238)),
        ((234, 188, 26), (248, 222, 148)),
        ((34, 54, 152), (196, 212, 242)),
        ((146, 170, 106), (244, 244, 220)),
        ((132, 70, 142), (226, 184, 216)),
    ),
    sun=(244, 188, 56),
    moon=(66, 88, 164),
    sky=((20, 26, 52), (58, 50, 74)),
    rail=(168, 174, 186),
    wood=(150, 114, 80),
)

THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


def theme_named(name: str) -> Theme:
    """Return a theme.

    Raises:
        OptionError: if there is none of that name.
    """
    if name not in THEMES:
        raise OptionError(unknown_name_text("theme", name, THEMES))
    return THEMES[name]


def mix(first: Color, second: Color, share: float) -> Color:
    """Return the colour a share (0 to 1) of the way from the first to the second."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


def css(color: Color) -> str:
    """Return a colour as style sheets and SVG files write it, such as "#f4eee3"."""
    return "#{:02x}{:02x}{:02x}".format(*color)


def luminance(color: Color) -> float:
    """Return the relative luminance, 0 (black) to 1 (white). Source: WCAG 2.2."""
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in color)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: Color, second: Color) -> float:
    """Return the contrast ratio of two colours, 1 to 21. Source: WCAG 2.2."""
    lights = sorted((luminance(first), luminance(second)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)
