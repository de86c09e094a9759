"""After-states to learn from, and the network that values them once more, slowly."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.patchwork_search import Nodes, expand, planes, root_nodes
from quiltrail.envs.patchwork.engine import PatchworkEngine
from quiltrail.envs.patchwork.rules import USED, cells_of
from quiltrail.train.afterstate.learning import Hyperparameters
from quiltrail.train.afterstate.patchwork import PatchworkAfterstates
from quiltrail.train.afterstate.patchwork_features import NUM_ENTRIES
from quiltrail.train.afterstate.tables import Tables, empty_tables
from quiltrail.train.afterstate.value import AfterstateValue

GAME = PatchworkAfterstates()
SETTINGS = Hyperparameters(gamma=0.9, stages=2, stage_length=300, latest_start=700)
STEP = 0.4


def filled_tables(stages: int = 2, seed: int = 0) -> Tables:
    """Return tables with random weights."""
    tables = empty_tables(stages, NUM_ENTRIES)
    tables.weights[:] = np.random.default_rng(seed).normal(size=tables.weights.shape)
    return tables


def value(weights: NDArray[np.float32]) -> AfterstateValue:
    return AfterstateValue(GAME, weights, SETTINGS.stage_length, SETTINGS.gamma)


def some_nodes(count: int = 60) -> Nodes:
    """Return nodes behind one or two placements in games of random progress and play."""
    rng = np.random.default_rng(5)
    engine = PatchworkEngine(count)
    seeds = np.arange(count, dtype=np.uint64)
    engine.reset(np.arange(count), seeds, sewn=rng.integers(700, size=count))
    for _ in range(9):
        legal = [engine.legal_indices(row) or [0] for row in range(count)]
        engine.step(np.array([rng.choice(one) for one in legal]))
    nodes, _ = expand(root_nodes(engine.state, np.arange(count)), np.arange(count + 1))
    return nodes[rng.permutation(len(nodes))[:count]]


class SlowNetwork:
    """The network in dicts: it knows squares instead of bits, features instead of numbers."""

    def __init__(self) -> None:
        self.weights: dict[Any, np.float32] = defaultdict(lambda: np.float32(0))
        self.errors: dict[Any, float] = defaultdict(float)
        self.sizes: dict[Any, float] = defaultdict(float)

    def value(self, node: Any) -> float:
        return float(sum(float(self.weights[key]) for key in keys_of(node)))

    def learn(self, node: Any, target: float) -> None:
        keys = keys_of(node)
        error = target - self.value(node)
        for key in keys:
            rate = abs(self.errors[key]) / self.sizes[key] if self.sizes[key] else 1.0
            self.weights[key] += np.float32(STEP / len(keys) * rate * error)
            self.errors[key] += error
            self.sizes[key] += abs(error)


def keys_of(node: Any) -> list[Any]:
    """Return the features of a node as plain values."""
    quilt = planes(node.reshape(1))[0]
    stage = min(int(node["sewn"]) // SETTINGS.stage_length, 1)
    left = [int(shape) for shape in node["tray"] if shape != USED]
    keys: list[Any] = [_least_image(squares, quilt) for squares in _tuples()]
    keys += [("big", *_room(quilt, shape)) for shape in range(28, 37)]
    keys += [("tray", len(left), *_room(quilt, shape)) for shape in left]
    keys += [("left", len(left), min(int(node["streak"]), 7)), ("filled", int(quilt.sum()))]
    return [(stage, key) for key in keys]


def _tuples() -> list[list[tuple[int, int]]]:
    lines = [[(a, b) for b in range(9)] for a in range(9)]
    columns = [[(b, a) for b in range(9)] for a in range(9)]
    windows = [
        [(row + r, col + c) for r in range(3) for c in range(3)]
        for row in range(7)
        for col in range(7)
    ]
    return lines + columns + windows


def _least_image(squares: list[tuple[int, int]], quilt: NDArray[np.int8]) -> Any:
    """Return a tuple with its filled squares as the least of its eight images."""
    marked = [(square, int(quilt[square])) for square in squares]
    images = []
    for _ in range(4):
        marked = [((c, 8 - r), mark) for (r, c), mark in marked]
        images += [sorted(marked), sorted(((r, 8 - c), mark) for (r, c), mark in marked)]
    return tuple(min(images))


def _room(quilt: NDArray[np.int8], shape: int) -> tuple[Any, int]:
    """Return a shape up to turns, and its number of places up to 15."""
    cells = cells_of(shape)
    places = 0
    for row in range(9):
        for col in range(9):
            at = [(row + r, col + c) for r, c in cells]
            places += all(r < 9 and c < 9 and quilt[r, c] == 0 for r, c in at)
    images = []
    turned = cells
    for _ in range(4):
        turned = [(c, -r) for r, c in turned]
        images += [_at_corner(turned), _at_corner([(r, -c) for r, c in turned])]
    return min(images), min(places, 15)


def _at_corner(cells: list[tuple[int, int]]) -> Any:
    row, col = min(r for r, _ in cells), min(c for _, c in cells)
    return tuple(sorted((r - row, c - col) for r, c in cells))
