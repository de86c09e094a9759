"""Reading a published view of Patchrook back into a record; only later quilts are hidden."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from quiltrail.core.array_types import Record
from quiltrail.core.engine import Engine
from quiltrail.envs.patchrook.quilts import stage_of
from quiltrail.envs.patchrook.rules import (
    BOARD_SIZE,
    IN_TRAY,
    LABELS,
    MAX_PATCHES,
    NUM_SQUARES,
    PHASES,
)
from quiltrail.envs.patchrook.shapes import bits_of, shape_of


def record_of(engine: Engine, view: Mapping[str, Any]) -> Record:
    """Return a record with this view; seed and cursor, which deal later quilts, are made up.

    Raises:
        KeyError, ValueError, TypeError, IndexError: if it is no view of this game.
    """
    game = np.zeros(1, engine.state.dtype)[0]
    labels = LABELS[: len(view["patches"])]
    game["num_patches"] = len(labels)
    game["width"], game["height"] = view["width"], view["height"]
    usable = enumerate(view["usable"])
    game["usable"] = bits_of(divmod(at, view["width"])[::-1] for at, one in usable if one)
    game["tray_order"] = _padded([LABELS.index(label) for label in view["trayOrder"]], -1)
    game["initial"] = _padded([view["initialOrientations"][label] for label in labels], -1)
    shapes = [_shape(view["patches"][label]["cells"]) for label in labels]
    game["shape"] = _padded(shapes, 0)
    game["placed"] = IN_TRAY
    for label, one in view["placements"].items():
        square = BOARD_SIZE * one["y"] + one["x"]
        game["placed"][LABELS.index(label)] = NUM_SQUARES * one["orientation"] + square
    game["phase"] = PHASES.index(view["phase"])
    game["quilt"] = view["quilt"]
    game["stage"] = stage_of(view["quilt"])
    game["score"] = view["score"]
    game["last_points"] = view["lastQuiltPoints"]
    game["turn"] = view["turn"]
    return game


def _shape(cells: list[list[int]]) -> int:
    return shape_of(tuple((x, y) for x, y in cells))


def _padded(values: list[int], rest: int) -> list[int]:
    return values + [rest] * (MAX_PATCHES - len(values))
