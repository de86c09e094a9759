"""Patchrook in words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from quiltrail.core.engine import Engine
from quiltrail.envs.wording import Wording, cells_text

WORDING = Wording(
    title="Patchrook",
    goal=(
        "Cover every usable square of the quilt exactly once with all its patches. Then take the "
        "next quilt, or bank your points: only banking ends the run."
    ),
    scoring=(
        "A completed quilt pays 150 + 10 for each usable square + 20 for each patch, once. "
        "Nothing else pays or costs points, and an unfinished quilt is worth 0."
    ),
    rules=(
        "Everything is visible. x is the column and y the row of a square, both counted from 0 at "
        "the top left. On the board a dot is empty, # is a cut-out that nothing may cover, a "
        "letter is the patch lying there. Each patch may be turned and flipped; all its different "
        "orientations are listed with their squares as [x,y] from the top-left corner of its box. "
        "BUTTON: the first square listed of an orientation, the leftmost of its top row, is its "
        'button. PLACE: {"type":"place","patchId":"A","orientation":0,"x":0,"y":0} lays the patch '
        "so that its button lies on board square (x, y): listed square (cx, cy) comes to "
        "(x + cx - bx, y + cy - by) for the button (bx, by). The patch has to be in the tray, and "
        "every square it covers usable, on the board and empty. Any exact cover counts. "
        'LIFT: {"type":"lift","patchId":"A"} takes a placed patch back into the tray. '
        'RESTART: {"type":"restart"} takes all of them back. Both are free. The quilt is cleared '
        'when its last square is covered; then only {"type":"next"}, which brings the next quilt, '
        'and {"type":"bank"} are allowed. BANK ends the run, also before that, and keeps what '
        "completed quilts have paid. There is no clock and no limit on moves. Quilt 1 is a lesson "
        "of 3 x 3, later ones go up to 5 x 5 with six patches, for ever. A refused action changes "
        "nothing."
    ),
    credit=(
        "The rules are those of Patchrook, published by gameboard.gg; this package is independent "
        "of it. The quilts' drawings and draws are this package's own: the same seed plays "
        "differently there."
    ),
)

_Cells = tuple[tuple[int, int], ...]


def observe(engine: Engine, row: int) -> str:
    """Return the board, the tray and every orientation of every patch as lines of text."""
    return "\n".join(_lines(engine.position(row)))


def _lines(view: dict[str, Any]) -> Iterator[str]:
    yield (
        f"Quilt {view['quilt']}, {view['phase']}, turn {view['turn']}. "
        f"Score: {view['score']}; this quilt has paid {view['lastQuiltPoints']}."
    )
    width, height, usable = view["width"], view["height"], view["usable"]
    yield f"Board, {width} columns (x) by {height} rows (y):"
    yield from view["board"]
    mask = ("".join("01"[one] for one in usable[y * width :][:width]) for y in range(height))
    yield f"Usable squares (1), row by row: {' '.join(mask)}"
    yield f"Tray: {' '.join(view['tray']) or 'empty'} (full order {' '.join(view['trayOrder'])})"
    placed = (
        f"{label} orientation {one['orientation']} at x {one['x']}, y {one['y']}"
        for label, one in view["placements"].items()
    )
    yield f"Placed: {'; '.join(placed) or 'none'}"
    yield "Patches, squares as [x,y], the button first:"
    for label, patch in view["patches"].items():
        initial = view["initialOrientations"][label]
        orientations = tuple(tuple((x, y) for x, y in one) for one in patch["orientations"])
        yield _patch_text(label, initial, orientations)


@lru_cache(maxsize=4096)
def _patch_text(label: str, initial: int, orientations: tuple[_Cells, ...]) -> str:
    canonical = cells_text(orientations[0])
    first = f"{label}: {len(orientations[0])} squares, canonical {canonical}, shown as {initial}"
    turned = (f"  orientation {k}: {cells_text(one)}" for k, one in enumerate(orientations))
    return "\n".join((first, *turned))
