"""Sunpleat as text."""

from __future__ import annotations

from quiltrail.core.engine import Engine


def ansi(engine: Engine, row: int) -> str:
    """Return the position as a few lines of text: +k is a sun, -k a moon."""
    view = engine.view(row)
    garland = " ".join(f"{pennant:+d}" for pennant in view["garland"])
    target = " ".join(f"{pennant:+d}" for pennant in view["target"])
    ending = f" ({view['endReason']})" if view["endReason"] else ""
    return (
        f"board {view['boardNumber']}  template {view['templateIndex']}  "
        f"{view['phase']}{ending}\n"
        f"garland  {garland}\n"
        f"target   {target}\n"
        f"moves {view['movesUsed']}/{view['moveBudget']}  par {view['exactPar']}  "
        f"leaves {view['leaves']}  score {view['score']}\n"
    )
