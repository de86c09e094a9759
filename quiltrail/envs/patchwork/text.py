"""Patchwork in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quiltrail.core.engine import Engine
from quiltrail.envs.patchwork.rules import SHAPE_NAMES, SIDE
from quiltrail.envs.wording import Wording, cells_text

WORDING = Wording(
    title="Patchwork",
    goal=(
        "Sew patches onto a quilt of 9 x 9 squares for as long as you can. Full rows, columns and "
        "blocks are stitched away and make room. The game ends when no patch of the tray fits."
    ),
    scoring=(
        "Each square you sew scores 1. Stitching away k rows, columns and blocks with one patch "
        "scores 20 * k * k. The n-th patch in a row of patches that stitch something away scores "
        "10 * (n - 1) * k more; a patch that clears nothing ends the row."
    ),
    rules=(
        "Rows 0 to 8 run from the top, columns 0 to 8 from the left; # is filled, a dot is empty. "
        "The nine blocks are the aligned 3 x 3 squares. The tray holds three patches in slots 0 to "
        "2. Patches never turn. "
        'PLACE: {"type":"place","slot":0,"row":3,"col":4} sews the patch of that slot so that the '
        "top-left corner of its box lies on that square (the corner itself need not belong to the "
        "patch). All its squares must be on the quilt and empty. Any order of the three is "
        "allowed; when all are sewn, three new ones come. Every full row, column and block is "
        "emptied at once after a patch. Patches of 5 squares and more come more often the longer "
        "you play; at least one patch of a new set fits if 20 tries can find such a set. "
        "Where the game is played with a revive: once, when nothing fits, "
        '{"type":"revive"} gives three small patches that fit and {"type":"finish"} ends the '
        "game. A refused action changes nothing."
    ),
    credit=(
        "The rules are those of the published block puzzle Patchwork; this package is independent "
        "of its publisher. The dealing weights and draws are this package's own: the same seed "
        "plays differently there."
    ),
    choices={"revive": (False, True)},
)


def observe(engine: Engine, row: int) -> str:
    """Return the quilt, the tray and the count of what decides points and deals, as text."""
    return "\n".join(_lines(engine.position(row), with_revive=bool(engine.settings["revive"])))


def _lines(view: dict[str, Any], *, with_revive: bool) -> Iterator[str]:
    yield f"{view['phase'].capitalize()}, turn {view['turn']}. Score: {view['score']}."
    yield f"Patches sewn: {view['patchesSewn']}. Clearing patches in a row: {view['streak']}."
    if with_revive:
        yield f"Revive: {'used' if view['reviveUsed'] else 'not used'}."
    yield "Quilt (columns 0 to 8):"
    yield f"  {''.join(map(str, range(SIDE)))}"
    yield from (f"{row} {squares}" for row, squares in enumerate(view["quilt"]))
    yield "Tray, squares as [row,col] from the corner of the box:"
    for slot, patch in enumerate(view["tray"]):
        if patch is None:
            yield f"slot {slot}: sewn"
        else:
            name, cells = SHAPE_NAMES[patch["shape"]], patch["cells"]
            yield f"slot {slot}: {name}, {len(cells)} squares {cells_text(cells)}"
