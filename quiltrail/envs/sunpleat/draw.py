"""Sunpleat as text and as a picture."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

from quiltrail.core.engine import Engine
from quiltrail.envs.sunpleat.rules import LEAVES
from quiltrail.envs.sunpleat.text import origin_of
from quiltrail.render import PICTURE_UNITS, Canvas, Color, Point, mix

_HORIZON = 66.0
_POLE_INSET = 4.0
_STRING_TOP = 17.0
_STRING_SAG = 8.0
_WIDEST_PENNANT = 17.0
_GAP_SHARE = 0.085
_PENNANT_LENGTH = 30.0  # of the widest; narrow ones are relatively longer
_SHORTENING = 1.0  # units of length for a unit of width
_NUMBER_SHARES = (0.37, 0.5)  # of the width, for the widest and the narrowest
_NARROWEST = 8.0
_NUM_RAYS = 12
_CARD_TOP, _CARD_BOTTOM = 74.0, 97.0
_MOVES_ROW, _LEAVES_ROW = 80.5, 90.5
_WIDEST_PIP = 6.0
_PIP_ROOM = 54.0
_INK, _CHALK = (43, 38, 34), (255, 252, 245)  # numbers on cloth, in every theme
_MOONLIGHT = (226, 230, 244)


def ansi(engine: Engine, row: int) -> str:
    """Return the position as a few lines of text: +k is a sun, -k a moon."""
    view = engine.view(row)
    garland = " ".join(f"{pennant:+d}" for pennant in view["garland"])
    target = " ".join(f"{pennant:+d}" for pennant in view["target"])
    ending = f" ({view['endReason']})" if view["endReason"] else ""
    return (
        f"board {view['boardNumber']}  {origin_of(view)}  "
        f"{view['phase']}{ending}\n"
        f"garland  {garland}\n"
        f"target   {target}\n"
        f"moves {view['movesUsed']}/{view['moveBudget']}  par {view['exactPar']}  "
        f"leaves {view['leaves']}  score {view['score']}\n"
    )


def paint(canvas: Canvas, engine: Engine, row: int) -> None:
    """Draw the garland on its string, and below it moves, leaves and par.

    A pennant that hangs where it belongs, its sun showing, has a tick below it.
    """
    view = engine.view(row)
    canvas.stamp(_paint_backdrop, 0.0, 0.0, canvas.width, canvas.height)
    _draw_header(canvas, view)
    _draw_garland(canvas, view["garland"], view["target"])
    _draw_phase(canvas, view)
    _draw_moves(canvas, view)
    _draw_leaves(canvas, view)


def _paint_backdrop(canvas: Canvas) -> None:
    """Sky, hills, poles, the empty string and the empty card."""
    theme = canvas.theme
    width, height = canvas.width, canvas.height
    canvas.gradient(0, 0, width, _HORIZON + 10, *theme.sky)
    far, near = mix(theme.good, theme.sky[1], 0.72), mix(theme.good, theme.sky[1], 0.55)
    canvas.polygon(_hill(width, height, 62, 5.0, 0.4), color=far)
    canvas.polygon(_hill(width, height, 69, 3.5, 2.6), color=near)
    for x in (_POLE_INSET, width - _POLE_INSET):
        canvas.line(((x, _STRING_TOP - 3), (x, 72)), 1.7, theme.wood)
        canvas.circle(x, _STRING_TOP - 3, 1.7, theme.accent)
    ends = ((_POLE_INSET, _STRING_TOP), (width - _POLE_INSET, _STRING_TOP))
    canvas.curve(ends[0], (width / 2, _STRING_TOP + 2 * _STRING_SAG), ends[1], 0.7, theme.wood)
    canvas.panel(3.0, _CARD_TOP, width - 6.0, _CARD_BOTTOM - _CARD_TOP, radius=3.5)


def _hill(width: float, height: float, top: float, swing: float, turn: float) -> list[Point]:
    """Return the outline of a row of hills."""
    steps = 48
    ridge = [
        (width * step / steps, top + swing * sin(turn + 2.2 * pi * step / steps))
        for step in range(steps + 1)
    ]
    return [*ridge, (width, height), (0.0, height)]


def _draw_header(canvas: Canvas, view: dict[str, Any]) -> None:
    ink = canvas.theme.ink
    board, score = f"Board {view['boardNumber']}", f"Score {view['score']}"
    canvas.fitted_text(board, 5, 8, 5, 40, ink, align="left", bold=True)
    canvas.fitted_text(score, 95, 8, 5, 48, ink, align="right", bold=True)


def _draw_garland(canvas: Canvas, garland: list[int], target: list[int]) -> None:
    width, length, middles = _hanging(len(garland))
    for middle, pennant, wanted in zip(middles, garland, target, strict=True):
        top = _string_height(middle, canvas.width) - 0.4
        canvas.stamp(paint_pennant, middle - width / 2, top, width, length, pennant)
        mark = min(4.4, width / 2)
        canvas.stamp(
            _paint_mark, middle - mark / 2, top + length + 1.0, mark, mark, pennant == wanted
        )


def _hanging(n: int) -> tuple[float, float, list[float]]:
    """Return width and length of n pennants, and where their middles hang."""
    room = (PICTURE_UNITS - 2 * _POLE_INSET - 4.0) / n
    width = min(_WIDEST_PENNANT, room * (1 - _GAP_SHARE))
    length = _PENNANT_LENGTH - _SHORTENING * (_WIDEST_PENNANT - width)
    pitch = width / (1 - _GAP_SHARE)
    first = PICTURE_UNITS / 2 - pitch * (n - 1) / 2
    return width, length, [first + place * pitch for place in range(n)]


def _string_height(x: float, width: float) -> float:
    """Return the height of the string's curve over x."""
    share = (x - _POLE_INSET) / (width - 2 * _POLE_INSET)
    return _STRING_TOP + 4 * _STRING_SAG * share * (1 - share)


def _paint_mark(canvas: Canvas, in_place: bool) -> None:
    """Draw a tick in a disc, or an empty ring."""
    theme = canvas.theme
    middle = canvas.width / 2
    if not in_place:
        canvas.circle(middle, middle, 0.6 * middle, theme.muted, outline=0.25 * middle, alpha=0.6)
        return
    canvas.circle(middle, middle, 0.95 * middle, theme.good)
    side = canvas.width
    tick = ((0.28 * side, 0.52 * side), (0.45 * side, 0.69 * side), (0.73 * side, 0.34 * side))
    canvas.line(tick, 0.13 * side, theme.panel)


def _draw_phase(canvas: Canvas, view: dict[str, Any]) -> None:
    theme = canvas.theme
    phase = view["phase"]
    if phase == "cleared":
        _draw_banner(canvas, f"Cleared +{view['lastAward']}", theme.good)
    elif phase == "retry":
        _draw_banner(canvas, "Out of moves", theme.bad)
    elif phase == "ended":
        words = {"banked": "Banked", "out-of-lives": "Out of leaves", "cleared": "Cleared"}
        _draw_banner(canvas, words[view["endReason"]], theme.ink)


def _draw_banner(canvas: Canvas, words: str, color: Color) -> None:
    width, height, size = 60.0, 9.0, 4.2
    middle = _HORIZON + 1.0
    left = (canvas.width - width) / 2
    canvas.stamp(_paint_pill, left, middle - height / 2, width, height, color)
    canvas.fitted_text(
        words, canvas.width / 2, middle, size, width - height, canvas.theme.panel, bold=True
    )


def _paint_pill(canvas: Canvas, color: Color) -> None:
    canvas.rect(0, 0, canvas.width, canvas.height, color, radius=canvas.height / 2)


def _draw_moves(canvas: Canvas, view: dict[str, Any]) -> None:
    budget, left = view["moveBudget"], view["remainingMoves"]
    pitch = min(_WIDEST_PIP, _PIP_ROOM / budget)
    for move in range(budget):
        x = 8.0 + move * pitch
        spare = move >= view["exactPar"]
        canvas.stamp(
            _paint_pip, x, _MOVES_ROW - pitch / 2, pitch, pitch, move >= view["movesUsed"], spare
        )
    _draw_number(canvas, f"{left}/{budget}", "moves", _MOVES_ROW)


def _paint_pip(canvas: Canvas, left: bool, spare: bool) -> None:
    """Draw a move: filled while left, an empty ring when used; spare ones are smaller."""
    theme = canvas.theme
    middle = canvas.width / 2
    radius = middle * (0.58 if spare else 0.8)
    if left:
        canvas.circle(middle, middle, radius, theme.accent)
    else:
        canvas.circle(middle, middle, radius - 0.3, theme.muted, outline=0.6)


def _draw_leaves(canvas: Canvas, view: dict[str, Any]) -> None:
    for leaf in range(LEAVES):
        canvas.stamp(_paint_leaf, 8.0 + 9.5 * leaf, _LEAVES_ROW - 4, 8, 8, leaf < view["leaves"])
    _draw_number(canvas, str(view["exactPar"]), "par", _LEAVES_ROW)


def _paint_leaf(canvas: Canvas, left: bool) -> None:
    """Draw a leaf, or its outline when it is spent."""
    theme = canvas.theme
    side = canvas.width
    blade = _leaf_shape(side, 0.0)
    if left:
        canvas.polygon(blade, color=theme.good)
        vein = mix(theme.good, theme.panel, 0.6)
        canvas.line(((0.1 * side, 0.92 * side), (0.7 * side, 0.3 * side)), 0.07 * side, vein)
    else:
        canvas.line([*blade, blade[0]], 0.06 * side, theme.muted)


def _leaf_shape(side: float, inset: float) -> list[Point]:
    """Return a leaf's outline from its stem, lower left, to its tip, upper right."""
    steps = 10
    stem, tip = 0.14 + inset, 0.96 - inset
    outline = []
    for bulge in (0.36, -0.36):
        edge = []
        for step in range(steps):
            t = step / steps
            along = stem + (tip - stem) * t
            aside = bulge * sin(pi * t) * (1.1 - 0.3 * t)
            edge.append(((along + aside * 0.7) * side, (1 - along + aside * 0.7) * side))
        outline.append(edge)
    end = (tip * side, (1 - tip) * side)
    return [*outline[0], end, *outline[1][:0:-1]]


def _draw_number(canvas: Canvas, number: str, label: str, y: float) -> None:
    theme = canvas.theme
    canvas.fitted_text(number, 78.5, y, 4.4, 16, theme.ink, align="right", bold=True)
    canvas.text(label, 80, y, 3.0, theme.muted, align="left")


def paint_pennant(canvas: Canvas, pennant: int) -> None:
    """Draw one pennant, its sun (positive) or its moon showing, the number upright."""
    theme = canvas.theme
    width, length = canvas.width, canvas.height
    cloth = mix(theme.sun, _CHALK, 0.82) if pennant > 0 else theme.moon
    rim = theme.sun if pennant > 0 else mix(theme.moon, _MOONLIGHT, 0.4)
    canvas.polygon(_pennant_shape(width, length, 0.0), color=rim)
    canvas.polygon(_pennant_shape(width, length, width * 0.06), color=cloth)
    for share in (0.2, 0.8):  # pegs
        canvas.rect((share - 0.05) * width, 0.0, 0.1 * width, 0.12 * length, theme.wood)
    x, y = width / 2, length * 0.42
    narrow = min(1.0, (_WIDEST_PENNANT - width) / (_WIDEST_PENNANT - _NARROWEST))
    if pennant > 0:
        _draw_sun(canvas, (x, y), width * 0.42)
        ink = _INK
    else:
        _draw_moon(canvas, (x, y), width * 0.4, 0.86 + 0.06 * narrow)
        ink = _CHALK
        x += 0.08 * narrow * width
    size = width * (_NUMBER_SHARES[0] + narrow * (_NUMBER_SHARES[1] - _NUMBER_SHARES[0]))
    canvas.fitted_text(str(abs(pennant)), x, y, size, 0.68 * width, ink, bold=True)


def _pennant_shape(width: float, length: float, inset: float) -> list[Point]:
    """Return a pennant's outline: straight at the top, a point below."""
    shoulder = length * 0.74
    return [
        (inset, inset),
        (width - inset, inset),
        (width - inset, shoulder - inset * 0.4),
        (width / 2, length - inset * 1.25),
        (inset, shoulder - inset * 0.4),
    ]


def _draw_sun(canvas: Canvas, center: Point, reach: float) -> None:
    x, y = center
    for ray in range(_NUM_RAYS):
        angle = 2 * pi * ray / _NUM_RAYS
        tip = (x + reach * sin(angle), y - reach * cos(angle))
        feet = [
            (x + 0.64 * reach * sin(angle + turn), y - 0.64 * reach * cos(angle + turn))
            for turn in (-0.2, 0.2)
        ]
        canvas.polygon([feet[0], tip, feet[1]], color=canvas.theme.accent)
    canvas.circle(x, y, 0.72 * reach, canvas.theme.sun)


def _draw_moon(canvas: Canvas, center: Point, reach: float, hollow: float) -> None:
    """Draw a crescent that holds the number, and two stars."""
    x, y = center
    canvas.circle(x, y, reach, _MOONLIGHT)
    canvas.circle(x + 0.21 * reach, y - 0.1 * reach, hollow * reach, canvas.theme.moon)
    for across, down, size in ((0.62, 1.28, 0.12), (-0.45, 1.42, 0.09)):
        canvas.circle(x + across * reach, y + down * reach, size * reach, _MOONLIGHT)


def place_at(n: int, x: float, y: float) -> int | None:
    """Return the place (from 0) of the pennant of n under a point of the picture, None beside."""
    width, length, middles = _hanging(n)
    for place, middle in enumerate(middles):
        top = _string_height(middle, PICTURE_UNITS)
        if abs(x - middle) <= width / 2 and top <= y <= top + length:
            return place
    return None


def draw_held(canvas: Canvas, garland: list[int], count: int) -> None:
    """Outline the first pennants and show, small, what a flip of them would make."""
    accent = canvas.theme.accent
    width, length, middles = _hanging(len(garland))
    for middle in middles[:count]:
        top = _string_height(middle, canvas.width) - 0.4
        rim = [
            (middle - width / 2 + x, top + y) for x, y in _pennant_shape(width, length, -width / 20)
        ]
        canvas.line([*rim, rim[0]], 0.9, accent)
    flipped = [-pennant for pennant in reversed(garland[:count])]
    small, low = width / 2, length / 2
    for middle, pennant in zip(middles, flipped, strict=False):
        canvas.stamp(paint_pennant, middle - small / 2, _HORIZON - 8.0, small, low, pennant)
