"""The site's pictures: positions and diagrams as SVG, in both themes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from quiltrail.agents import make_agent
from quiltrail.core.engine import Engine
from quiltrail.envs import GAMES, GameSpec, find_game
from quiltrail.envs.patchrook.shapes import ORIENTATIONS, SHAPE_NAMES, button_of
from quiltrail.envs.patchwork import draw as patchwork_draw
from quiltrail.envs.patchwork.rules import SHAPES as PATCHWORK_SHAPES
from quiltrail.envs.patchwork.rules import cells_of, fabric_of
from quiltrail.envs.rendering import Look, svg
from quiltrail.envs.sunpleat.draw import paint_pennant
from quiltrail.envs.tinrail import draw as tinrail_draw
from quiltrail.envs.tinrail.rules import NUM_PORTS, TILES
from quiltrail.render import THEMES, Canvas, draw_patch, theme_named, vector

_SIZE = 512
_SEED = 7
#: Game -> how many steps its player has made in the position on its page.
_STEPS = {"patchrook": 16, "patchwork": 47, "sunpleat": 9, "tinrail": 8}
_FEW_STEPS = 5  # in other games
_SCENES: dict[str, Callable[[Canvas], None]] = {}


def all_pictures() -> dict[str, str]:
    """Return file name -> SVG text."""
    made = {}
    for theme in THEMES:
        for spec in GAMES:
            engine = position(spec, _STEPS.get(spec.short_name, _FEW_STEPS))
            made[f"{spec.short_name}_{theme}.svg"] = svg(engine, 0, Look(_SIZE, theme))
        for name, paint in _SCENES.items():
            made[f"{name}_{theme}.svg"] = vector(paint, size=_SIZE, theme=theme_named(theme))
    return made


def position(spec: GameSpec, steps: int) -> Engine:
    """Return a game after the first steps of its best quick player."""
    engine = spec.make_engine(1)
    engine.reset(np.array([0]), np.array([_SEED], np.uint64))
    agent = make_agent(spec.reference or "random")
    for _ in range(steps):
        engine.step(agent.act(engine))
    return engine


def _scene(paint: Callable[[Canvas], None]) -> Callable[[Canvas], None]:
    _SCENES[paint.__name__.lstrip("_")] = paint
    return paint


@_scene
def _patchwork_shapes(canvas: Canvas) -> None:
    """Every shape, in its fabric."""
    columns = 7
    room = canvas.width / columns
    for shape in range(len(PATCHWORK_SHAPES)):
        down, across = divmod(shape, columns)
        cells = [(col, row) for row, col in cells_of(shape)]
        wide, high = (1 + max(one[axis] for one in cells) for axis in (0, 1))
        side = 2.6
        x = across * room + (room - wide * side) / 2
        y = 3 + down * 16 + (14 - high * side) / 2
        draw_patch(canvas, cells, x, y, side, fabric_of(shape))


@_scene
def _patchwork_preview(canvas: Canvas) -> None:
    """A placement that would complete something, tinted and outlined."""
    engine = position(find_game("patchwork"), 30)
    agent = make_agent("greedy")
    for _ in range(60):
        action = int(agent.act(engine)[0])
        if patchwork_draw.completed_units(engine, 0, action):
            break
        engine.step(np.array([action]))
    patchwork_draw.paint(canvas, engine, 0, action)


@_scene
def _patchrook_orientations(canvas: Canvas) -> None:
    """The eight orientations of one patch, buttons marked."""
    theme = canvas.theme
    for number, turned in enumerate(ORIENTATIONS[SHAPE_NAMES.index("L4")]):
        down, across = divmod(number, 4)
        x, y, side = 5 + across * 24, 14 + down * 42, 6.0
        draw_patch(canvas, turned, x, y, side, 3)
        button_x, button_y = button_of(turned)
        middle = (x + (button_x + 0.5) * side, y + (button_y + 0.5) * side)
        canvas.circle(*middle, 2.0, theme.ink)
        canvas.circle(*middle, 1.5, theme.panel)
        canvas.text(str(number), x + 1, y - 5, 4, theme.ink, align="left", bold=True)


@_scene
def _sunpleat_flip(canvas: Canvas) -> None:
    """A garland, and the same after a flip of its first three pennants."""
    _garland(canvas, [-4, 1, -3, -2], "before", 4)
    _garland(canvas, [3, -1, 4, -2], "after flip 3", 54)
    theme = canvas.theme
    canvas.line(((17.5, 44), (65.5, 44)), 1.2, theme.accent)


def _garland(canvas: Canvas, garland: list[int], words: str, top: float) -> None:
    theme = canvas.theme
    canvas.text(words, 6, top + 3, 3.4, theme.muted, align="left")
    canvas.line(((4, top + 8), (96, top + 8)), 0.7, theme.wood)
    for place, pennant in enumerate(garland):
        canvas.stamp(paint_pennant, 17.5 + 17 * place, top + 8, 14.0, 27.0, pennant)


@_scene
def _tinrail_ports(canvas: Canvas) -> None:
    """One tile with its eight ports numbered."""
    theme = canvas.theme
    left, side = 18.0, 64.0
    canvas.stamp(tinrail_draw.paint_tile, left, left, side, side, 4 * (len(TILES) - 7))
    for port in range(NUM_PORTS):
        x, y = tinrail_draw.port_point(port)
        into = tinrail_draw.inward(port)
        at = (left + side * x - 6 * into[0], left + side * y - 6 * into[1])
        canvas.text(str(port), *at, 5, theme.ink, bold=True)
