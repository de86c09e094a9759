"""A Patchrook player that goes by a learned chance, and remembers what it has tried."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.base import Agent
from quiltrail.agents.patchrook_nodes import (
    ChanceFunction,
    Nodes,
    even_chance,
    expand,
    nodes_of,
)
from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import Record
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, shown
from quiltrail.core.extras import callable_of
from quiltrail.envs.patchrook.rules import (
    CLEARED,
    IN_TRAY,
    LIFT,
    NEXT,
    NUM_PLACES,
    NUM_SQUARES,
    PLAYING,
    RESTART,
)
from quiltrail.envs.patchrook.shapes import COVERED, NO_SHAPE

_DEAD_END = 0.0
_DONE = 2.0  # a completed quilt is worth more than any chance
_LEAST = 1e-9  # of a chance: only what was tried counts as impossible

_Key = tuple[int, bytes]  # empty squares and tray of a node


class _Child(NamedTuple):
    """A placement and where it leads."""

    key: _Key
    shape: int
    place: int
    node: Nodes  # (1,)


@dataclass
class _Memory:
    """What is known of one quilt.

    Attributes:
        children: of every position that was looked at.
        worth: chance of each position met so far: estimated, or that of its best child.
    """

    root: _Key
    children: dict[_Key, list[_Child]] = field(default_factory=dict)
    worth: dict[_Key, float] = field(default_factory=dict)

    def best(self, key: _Key, without: _Key | None = None) -> _Child | None:
        """Return the most promising child of a position, None if all are dead ends."""
        live = [
            child
            for child in self.children[key]
            if child.key != without and self.worth[child.key] > _DEAD_END
        ]
        return max(live, key=lambda child: self.worth[child.key], default=None)

    def settle(self, path: list[_Key]) -> None:
        """Carry what is known at the end of a path back to its beginning."""
        for key in reversed(path):
            worths = [self.worth[child.key] for child in self.children[key]]
            self.worth[key] = max(worths, default=_DEAD_END)


class PatchrookExplorer(Agent):
    """Lays the patch whose position has the best chance; gives up a position for a better one.

    It places on the lowest empty square, and remembers for the quilt at hand which positions it
    has been at and what they led to. Where another position, here or after lifting, promises more
    than ``patience`` for each action of the way there, it goes back: it lifts the last patch, or
    restarts if that is shorter. It knows no solution. Without ``thoughts`` it looks exactly one
    placement ahead and learns of dead ends only by walking into them; with them it tries placements
    in its head first, that is on copies of the position.

    Args:
        value: chance of nodes, a `ChanceFunction` or "module:attribute" of one; by default it has
            no idea and tries everything once.
        patience: chance that one action more has to be worth, at least 0.
        thoughts: how many positions it expands in its head before each action, at least 0.

    Raises:
        OptionError: if an argument is not allowed.
    """

    games: ClassVar[tuple[str, ...]] = ("patchrook", "patchrook-levels")

    def __init__(
        self,
        value: ChanceFunction | str = even_chance,
        patience: float = 0.3,
        thoughts: int = 0,
    ) -> None:
        if type(patience) not in (int, float) or not patience >= 0:
            raise OptionError(f"patience is a number from 0 on, got {shown(patience)}")
        self.value: ChanceFunction = callable_of("chance function", value)
        self.patience = patience
        self.thoughts = check_int("thoughts", thoughts, 0)
        self._memories: list[_Memory | None] = []

    def act(self, engine: Engine) -> NDArray[np.int64]:
        """Return an action for every row; next when cleared, never bank."""
        self.check_game(engine)
        if len(self._memories) != engine.num_games:
            self._memories = [None] * engine.num_games
        phase = engine.state["phase"]
        actions = np.where(phase == CLEARED, NEXT, 0)
        rows = np.flatnonzero(phase == PLAYING)
        roots, heres = nodes_of(engine.state, rows, fresh=True), nodes_of(engine.state, rows)
        paths = {}
        for row, root, here in zip(rows.tolist(), roots, heres, strict=True):
            game = engine.state[row]
            path = _path(game, _key(root))
            if path is None or path[-1] != _key(here):
                actions[row] = RESTART
                continue
            self._recall(row, game, path[0])
            paths[row] = path
        where = dict(zip(rows.tolist(), heres, strict=True))
        self._look({row: where[row].reshape(1) for row in paths}, paths)
        for _ in range(self.thoughts):
            self._think(paths)
        for row, path in paths.items():
            actions[row] = self._choose(engine.state[row], self._memory(row), path)
        return actions

    def _memory(self, row: int) -> _Memory:
        memory = self._memories[row]
        assert memory is not None, "act() begins one for every row it plays"
        return memory

    def _recall(self, row: int, game: Record, root: _Key) -> None:
        """Begin a new memory where the game or the quilt is another one."""
        memory = self._memories[row]
        if memory is None or memory.root != root or game["turn"] == 0:
            self._memories[row] = _Memory(root)

    def _look(self, nodes: dict[int, Nodes], paths: dict[int, list[_Key]]) -> None:
        """Look at the children of one node for each row, all in one call of the value."""
        new = [row for row in nodes if paths[row][-1] not in self._memory(row).children]
        if not new:
            return
        children, bounds = expand(np.concatenate([nodes[row] for row in new]))
        worth = np.clip(self.value(children), _LEAST, 1.0) if len(children) else np.zeros(0)
        worth[children["empty"] == 0] = _DONE
        for row, first, last in zip(new, bounds[:-1], bounds[1:], strict=True):
            memory, found = self._memory(row), children[first:last]
            listed = [
                _Child(_key(one), int(one["shape"]), int(one["place"]), found[at : at + 1])
                for at, one in enumerate(found)
            ]
            memory.children[paths[row][-1]] = listed
            for child, chance in zip(listed, worth[first:last].tolist(), strict=True):
                memory.worth.setdefault(child.key, chance)
        for row in new:
            self._memory(row).settle(_known(paths[row], self._memory(row)))

    def _think(self, paths: dict[int, list[_Key]]) -> None:
        """Follow the best chances of each row to a position not looked at, and look at it."""
        nodes, longer = {}, {}
        for row, path in paths.items():
            memory, key, walked = self._memory(row), path[0], [path[0]]
            if key not in memory.children:
                key, walked = path[-1], list(path)
            child = memory.best(key)
            while child is not None and child.key in memory.children:
                walked.append(child.key)
                child = memory.best(child.key)
            if child is not None and memory.worth[child.key] < _DONE:
                nodes[row], longer[row] = child.node, [*walked, child.key]
        self._look(nodes, longer)

    def _choose(self, game: Record, memory: _Memory, path: list[_Key]) -> int:
        """Return the first action towards the most promising placement, ways there counted."""
        memory.settle(_known(path, memory))
        best, found = -np.inf, None
        for depth in range(len(path) - 1, -1, -1):
            if path[depth] not in memory.children:
                continue
            taken = path[depth + 1] if depth + 1 < len(path) else None
            child = memory.best(path[depth], without=taken)
            lifts = len(path) - 1 - depth
            way = min(lifts, 1 + depth) if lifts else 0  # lift them one by one, or restart
            if child is not None and memory.worth[child.key] - self.patience * way > best:
                best, found = memory.worth[child.key] - self.patience * way, (lifts, depth, child)
        if found is None:
            return RESTART
        lifts, depth, child = found
        if lifts == 0:
            return _placement(game, child)
        return RESTART if 1 + depth < lifts else LIFT + _last_laid(game)


def _known(path: list[_Key], memory: _Memory) -> list[_Key]:
    return [key for key in path if key in memory.children]


def _key(node: Record) -> _Key:
    return int(node["empty"]), node["tray"].tobytes()


def _path(game: Record, root: _Key) -> list[_Key] | None:
    """Return the positions that lead to a game's, None if it was not laid in square order."""
    empty, tray = root[0], sorted(np.frombuffer(root[1], np.int8).tolist(), reverse=True)
    path = [root]
    for patch in _laid(game):
        shape, place = int(game["shape"][patch]), int(game["placed"][patch])
        if empty & -empty != 1 << (place % NUM_SQUARES):
            return None
        empty ^= int(COVERED[shape, place])
        tray.remove(shape)
        tray.append(NO_SHAPE)
        path.append((empty, np.array(tray, np.int8).tobytes()))
    return path


def _laid(game: Record) -> list[int]:
    """Return the patches on the quilt by the squares of their buttons."""
    placed = game["placed"].tolist()
    on_quilt = [patch for patch, place in enumerate(placed) if place != IN_TRAY]
    return sorted(on_quilt, key=lambda patch: placed[patch] % NUM_SQUARES)


def _last_laid(game: Record) -> int:
    return _laid(game)[-1]


def _placement(game: Record, child: _Child) -> int:
    """Return the game's action of a placement, by the first patch in the tray of its shape."""
    in_tray = (game["placed"] == IN_TRAY) & (game["shape"] == child.shape)
    return NUM_PLACES * int(np.flatnonzero(in_tray)[0]) + child.place
