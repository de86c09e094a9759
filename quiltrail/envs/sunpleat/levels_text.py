"""Sunpleat over procedural garlands in words."""

from __future__ import annotations

from dataclasses import replace

from quiltrail.envs.sunpleat.text import WORDING as PUBLISHED
from quiltrail.envs.sunpleat.text import observe

_PUBLISHED_GARLANDS = "Eight garlands come first, then the last four of them for ever. "
_PUBLISHED_BUDGET = "(exact par) plus 4."

WORDING = replace(
    PUBLISHED,
    title="Sunpleat levels",
    rules=PUBLISHED.rules.replace(_PUBLISHED_GARLANDS, "").replace(
        _PUBLISHED_BUDGET, "(exact par) plus some more, the same number on every garland."
    ),
    credit=(
        "The rules of play are those of Sunpleat, published by gameboard.gg; this package is "
        "independent of it. The garlands are procedural and this package's own."
    ),
)

__all__ = ["WORDING", "observe"]
