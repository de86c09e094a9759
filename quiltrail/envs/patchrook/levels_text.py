"""Patchrook over procedural quilts in words."""

from __future__ import annotations

from dataclasses import replace

from quiltrail.envs.patchrook.text import WORDING as PUBLISHED
from quiltrail.envs.patchrook.text import observe

_PUBLISHED_QUILTS = (
    "Quilt 1 is a lesson of 3 x 3, later ones go up to 5 x 5 with six patches, for ever. "
)

WORDING = replace(
    PUBLISHED,
    title="Patchrook levels",
    rules=PUBLISHED.rules.replace(
        _PUBLISHED_QUILTS, "Quilts have at most 5 x 5 squares and 3 to 6 patches. "
    ),
    credit=(
        "The rules of play are those of Patchrook, published by gameboard.gg; this package is "
        "independent of it. The quilts are procedural and this package's own."
    ),
)

__all__ = ["WORDING", "observe"]
