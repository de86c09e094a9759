"""Sunpleat in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quiltrail.core.engine import Engine
from quiltrail.envs.sunpleat.rules import LEAVES
from quiltrail.envs.wording import Wording

WORDING = Wording(
    title="Sunpleat",
    goal=(
        "Bring each garland into the order 1, 2, .., n from left to right with every sun face "
        "showing, within its move budget. Then go on to the next garland, or bank your points."
    ),
    scoring=(
        "A cleared garland pays 100 + 25 for each pennant + 10 for each move left of the budget, "
        "once. Nothing else pays or costs points: an unfinished garland is worth 0, and what you "
        "have earned stays yours however the run ends."
    ),
    rules=(
        "A garland is a row of n pennants, each with a number of its own from 1 to n. A positive "
        "number shows its sun face, a negative one its moon face. "
        'FLIP: {"type":"flip","count":k} reverses the order of the first k pennants and turns '
        "each of them over; the others stay. Flip 2 makes [2,-1,3] of [1,-2,3]. k is at least 1 "
        "and at most n. Each flip uses one move. "
        "BUDGET: the fewest flips that solve the garland (exact par) plus 4. Reaching the target "
        "with the last move counts. If the budget is used up without it, you lose one of three "
        "leaves and the garland waits for a retry; with the third leaf the run ends. "
        'RETRY: {"type":"retry"} puts the same start back with the full budget, for free. '
        'RESTART: {"type":"restart"} does so while you are playing and costs a leaf, the last one '
        'the run. NEXT: {"type":"next"} takes the next garland after a clear; leaves and score '
        'stay. BANK: {"type":"bank"} ends the run at any time and keeps your score. '
        "Phases: playing allows flip, restart, bank; cleared allows next, bank; retry allows "
        "retry, bank; ended allows nothing. Eight garlands come first, then the last four of them "
        "for ever. A refused action changes nothing."
    ),
    credit=(
        "The rules and the garlands are those of Sunpleat, published by gameboard.gg; this "
        "package is independent of it. The seed changes nothing in this game."
    ),
)


def observe(engine: Engine, row: int) -> str:
    """Return a garland, its target, moves, leaves and score as lines of text."""
    return "\n".join(_lines(engine.position(row)))


def _lines(view: dict[str, Any]) -> Iterator[str]:
    ending = f" ({view['endReason']})" if view["endReason"] else ""
    yield (
        f"Board {view['boardNumber']} ({origin_of(view)}), "
        f"{view['phase']}{ending}, turn {view['turn']}."
    )
    yield f"Garland: {view['garland']}"
    yield f"Target:  {view['target']}"
    yield (
        f"Moves: {view['movesUsed']} of {view['moveBudget']} used, "
        f"{view['remainingMoves']} left; exact par {view['exactPar']}."
    )
    yield f"Leaves: {view['leaves']} of {LEAVES}."
    yield (
        f"Score: {view['score']}; cleared garlands: {view['clearedBoards']}; "
        f"last award: {view['lastAward']}."
    )


def origin_of(view: dict[str, Any]) -> str:
    """Return where a view's board comes from: a published template or a level."""
    if "level" in view:
        return f"level {view['level']}"
    return f"template {view['templateIndex']}"
