"""Nodes of Patchrook's explorer, drawn."""

from __future__ import annotations

import numpy as np

from quiltrail.agents.patchrook_nodes import NODE, Nodes
from quiltrail.envs.patchrook.shapes import SHAPE_NAMES


def node_of(drawing: str, *shapes: str) -> Nodes:
    """Return the node with a drawing's empty squares (.) and these shapes in the tray."""
    node = np.zeros(1, NODE)
    for y, row in enumerate(drawing.split("/")):
        for x, mark in enumerate(row):
            if mark == ".":
                node["empty"] |= 1 << (5 * y + x)
    ids = sorted((SHAPE_NAMES.index(shape) for shape in shapes), reverse=True)
    node["tray"][0, : len(ids)] = ids
    return node
