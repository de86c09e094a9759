"""Legal-tree node counts: how many sequences of legal actions of each length a game begins with.

A wrong rule anywhere near the start changes a count. Written once, kept in tests/golden/perft:

    python -m tests.conformance.perft [NAME ...]
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from quiltrail.core.engine import Engine
from quiltrail.envs import GAMES, GameSpec, find_game
from tests.conformance import golden

SEEDS = range(5)
BOARDS_APART = 3
DEPTH = 3
COMMAND = "python -m tests.conformance.perft"
FOLDER = golden.FOLDER / "perft"
_CHUNK = 4096  # games that are branched at once


def counts(engine: Engine, depth: int = DEPTH) -> list[int]:
    """Return how many sequences of 1, 2, .. ``depth`` legal actions row 0 has before it."""
    nodes = [engine.branch(np.array([0]))]
    found = []
    for level in range(depth):
        found.append(sum(_num_legal(one) for one in nodes))
        if level < depth - 1:
            nodes = [child for one in nodes for child in _children(one)]
    return found


def _num_legal(engine: Engine) -> int:
    return int(engine.mask[~engine.terminated].sum(dtype=np.int64))


def _children(engine: Engine) -> list[Engine]:
    """Return all successors of all rows, in engines of at most so many."""
    rows, actions = np.nonzero((engine.mask != 0) & ~engine.terminated[:, None])
    children = []
    for start in range(0, len(rows), _CHUNK):
        part = slice(start, start + _CHUNK)
        child = engine.branch(rows[part])
        child.step(actions[part])
        assert not child.refusal.any(), "a legal action was refused"
        children.append(child)
    return children


def reference_counts(reference: Any, depth: int) -> list[int]:
    """Return the same of a slow referee, played by its own rules."""
    nodes, found = [reference], []
    for level in range(depth):
        lists = [[] if node.ended else node.legal_actions() for node in nodes]
        found.append(sum(map(len, lists)))
        if level == depth - 1:
            break
        children = []
        for node, actions in zip(nodes, lists, strict=True):
            for action in actions:
                child = deepcopy(node)
                assert child.play(action) == "accepted"
                children.append(child)
        nodes = children
    return found


def start_of(engine: Engine, seed: int, known: Container[str] | None = None) -> dict[str, int]:
    """Return where the game of a seed starts, for games that can start later than at the start.

    Their first boards do not depend on the seed, so each seed starts some boards further on.
    ``known`` leaves out options that a referee has not.
    """
    options = [name for name in engine.start_options if known is None or name in known]
    return dict.fromkeys(options, 1 + BOARDS_APART * seed)


def game(spec: GameSpec, seed: int, known: Container[str] | None = None) -> Engine:
    """Return the game of a seed in an engine of one row."""
    engine = spec.make_engine(1)
    start = {name: np.array([value]) for name, value in start_of(engine, seed, known).items()}
    engine.reset(np.array([0]), np.array([seed], np.uint64), **start)
    return engine


def path_of(spec: GameSpec) -> Path:
    """Return where the counts of an id are kept."""
    return FOLDER / f"{spec.short_name}.txt"


def lines(spec: GameSpec) -> Iterator[str]:
    """Yield what is kept of an id, a line for each seed."""
    for seed in SEEDS:
        engine = game(spec, seed)
        start = "".join(f" {name} {value}" for name, value in start_of(engine, seed).items())
        yield f"seed {seed}{start}: {' '.join(map(str, counts(engine)))}"


def main() -> None:
    """Write the counts of the named ids, or of all."""
    FOLDER.mkdir(exist_ok=True)
    for spec in map(find_game, sys.argv[1:]) if len(sys.argv) > 1 else GAMES:
        path_of(spec).write_text("\n".join(lines(spec)) + "\n", encoding="utf-8")
        print(path_of(spec))


if __name__ == "__main__":
    main()
