"""TD(0) on after-states: play greedily by the value so far, correct it after every placement.

A placement in Patchwork is a deterministic move (sew, stitch away) and then chance (the deal).
The value is that of the node between the two, so choosing needs no model of chance:

    V(node) <- V(node) + step * (points' / SCALE + gamma V(node') - V(node))

with node' the best node after the next deal, and 0 in its place where no patch fits. Games are
records of the engine, played by its own kernels.

Source: Sutton, Barto, "Reinforcement learning", 2nd edition, section 6.8 (afterstates); Szubert,
Jaskowski, CIG 2014 (TD-afterstate for 2048).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.patchwork_search import Nodes, is_repeat, write_child, write_root
from quiltrail.core.bitboard import lowest_bit, without_lowest
from quiltrail.core.engine import Record, StateArray
from quiltrail.core.jit import compiled
from quiltrail.core.mulberry32 import advance, below, mix
from quiltrail.envs.patchwork.deal import deal
from quiltrail.envs.patchwork.engine import place
from quiltrail.envs.patchwork.quilt import anchors
from quiltrail.envs.patchwork.rules import NUM_SLOTS, REVIVE_OPEN, SQUARES, USED
from quiltrail.envs.patchwork.tables import TOP_BITS
from quiltrail.train.afterstate.features import MOST_ACTIVE, write_active
from quiltrail.train.afterstate.tables import Tables, Weights, correct, stage_of, total

#: Points that count as 1 while learning.
SCALE = 20.0

_ZERO = np.uint64(0)
_NONE = -1

# Places in the tally.
PATCHES, EPISODES, FINISHED, FINISHED_PATCHES, ERRORS = range(5)
TALLY = 5


class Settings(NamedTuple):
    """What decides how it learns.

    Attributes:
        gamma: discount for each patch.
        step: share of an error that one correction takes away, before coherence.
        stage_patches: patches of a stage.
        latest_start: episodes begin as if 0 to this many patches were sewn, evenly.
        most_patches: an episode is cut off behind so many, with its value kept.
    """

    gamma: float
    step: float
    stage_patches: int
    latest_start: int
    most_patches: int


@compiled
def value_of(
    weights: Weights, stage_patches: int, node: Record, active: NDArray[np.int32]
) -> float:
    """Return the value of a node in units of `SCALE` points; ``active`` is room to work in."""
    count = write_active(node, active)
    stage = stage_of(node["sewn"], weights.shape[0], stage_patches)
    return total(weights, stage, active, count)


@compiled
def _consider(
    weights: Weights, settings: Settings, pair: Nodes, best: float, active: NDArray[np.int32]
) -> float:
    """Keep the second node of a pair in the first if it is better; return the best total."""
    value = value_of(weights, settings.stage_patches, pair[1], active)
    worth = float(pair[1]["points"]) / SCALE + settings.gamma * value
    if worth > best:
        pair[0] = pair[1]
        return worth
    return best


@compiled
def choose(
    weights: Weights, settings: Settings, root: Record, pair: Nodes, active: NDArray[np.int32]
) -> float:
    """Write the best child of a root into ``pair[0]`` and return what it is worth.

    Of equals the first wins. Where no patch fits, the action of ``pair[0]`` is -1 and it is
    worth 0.

    Args:
        weights: the tables.
        settings: gamma and the stages.
        root: a node with patches left.
        pair: (2,) nodes, written over.
        active: (`MOST_ACTIVE`,) room to work in.
    """
    best = -np.inf
    pair[0]["action"] = _NONE
    for slot in range(NUM_SLOTS):
        shape = root["tray"][slot]
        if shape == USED or is_repeat(root, slot):
            continue
        top, bottom = anchors(root["quilt"][0], root["quilt"][1], shape)
        while top != _ZERO:
            write_child(pair[1], root, 0, slot, lowest_bit(top))
            best = _consider(weights, settings, pair, best, active)
            top = without_lowest(top)
        while bottom != _ZERO:
            write_child(pair[1], root, 0, slot, TOP_BITS + lowest_bit(bottom))
            best = _consider(weights, settings, pair, best, active)
            bottom = without_lowest(bottom)
    return best if pair[0]["action"] != _NONE else 0.0


@compiled
def learn_from(
    tables: Tables, settings: Settings, node: Record, target: float, active: NDArray[np.int32]
) -> float:
    """Correct the value of a node towards a target; return the error it had."""
    count = write_active(node, active)
    stage = stage_of(node["sewn"], tables.weights.shape[0], settings.stage_patches)
    error = target - total(tables.weights, stage, active, count)
    correct(tables, stage, active[:count], settings.step / count, error)
    return error


@compiled
def start(game: Record, node: Record, cursor: np.uint64, latest_start: int) -> np.uint64:
    """Begin a fresh game at random progress; return the cursor behind its two draws."""
    cursor = advance(cursor)
    game["seed"] = mix(cursor)
    game["cursor"] = game["seed"]
    cursor = advance(cursor)
    game["sewn"] = below(mix(cursor), latest_start + 1)
    game["start"] = game["sewn"]
    game["score"] = 0
    game["turn"] = 0
    game["streak"] = 0
    game["revive"] = REVIVE_OPEN
    game["quilt"][:] = 0
    game["fabric"][:] = 0
    node["action"] = _NONE
    deal(game)
    return cursor


@compiled
def start_rows(state: StateArray, nodes: Nodes, cursor: np.uint64, latest_start: int) -> np.uint64:
    """Begin a fresh game in every row; return the cursor behind."""
    for row in range(state.shape[0]):
        cursor = start(state[row], nodes[row], cursor, latest_start)
    return cursor


@compiled
def play_rounds(
    state: StateArray,
    nodes: Nodes,
    tables: Tables,
    settings: Settings,
    cursor: np.uint64,
    rounds: int,
    tally: NDArray[np.float64],
) -> np.uint64:
    """Sew ``rounds`` patches in every game and learn; return the cursor of the starts.

    Args:
        state: (B,) records of the engine, played on.
        nodes: (B,) the node that each game came through last; action -1 at a game's start.
        tables: learned in place.
        settings: how.
        cursor: of the stream that starts are drawn from.
        rounds: how many patches a game.
        tally: (`TALLY`,) counts, added to.
    """
    pair = nodes[:1].repeat(2)
    roots = nodes[:1].copy()
    active = np.empty(MOST_ACTIVE, np.int32)
    for _ in range(rounds):
        for row in range(state.shape[0]):
            game = state[row]
            write_root(roots[0], game)
            target = choose(tables.weights, settings, roots[0], pair, active)
            if nodes[row]["action"] != _NONE:
                error = learn_from(tables, settings, nodes[row], target, active)
                tally[ERRORS] += abs(error)
            stuck = pair[0]["action"] == _NONE
            if not stuck:
                nodes[row] = pair[0]
                place(game, pair[0]["action"] // SQUARES, pair[0]["action"] % SQUARES)
                game["turn"] += 1
                tally[PATCHES] += 1
            if stuck or game["turn"] >= settings.most_patches:
                tally[EPISODES] += 1
                tally[FINISHED] += stuck
                tally[FINISHED_PATCHES] += game["turn"] if stuck else 0
                cursor = start(game, nodes[row], cursor, settings.latest_start)
    return cursor
