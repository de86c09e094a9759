"""A Tinrail player that searches with a learned value and knows no more than its seat does.

One simulation deals the unseen tiles anew and walks down a tree: the own placements by the rule of
PUCT with the learned value as prior, the replies by a model of the opponent. Nodes are tables, so
what is learned about a placement is shared by all deals in which it is possible. A new node is
worth the learned value of its best placement, mixed with the result of a playout by Wise.

Source: Silver et al., "Mastering the game of Go without human knowledge", Nature 2017 (PUCT);
Cowling, Powley, Whitehouse, "Information set Monte Carlo tree search", IEEE Transactions on
Computational Intelligence and AI in Games 2012.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.tinrail_deals import (
    DealSearcher,
    most_visited,
    play_out,
    redeal,
    rows_searched,
)
from quiltrail.agents.tinrail_learned import NetworkLike, network_of
from quiltrail.agents.tinrail_network import (
    WIN_LOGIT,
    Network,
    Room,
    chance_of,
    choose_learned,
    position_of,
    rate_placement,
    room_for,
)
from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import Record, StateArray
from quiltrail.core.errors import OptionError, shown, unknown_name_text
from quiltrail.core.jit import compiled
from quiltrail.core.mulberry32 import advance, mix
from quiltrail.envs.tinrail.gbot import BOTS, WISE, choose
from quiltrail.envs.tinrail.match import distinct_placements, laid_by, place
from quiltrail.envs.tinrail.rules import (
    DRAW,
    NUM_ACTIONS,
    NUM_CELLS,
    NUM_PLACEMENTS,
    NUM_TILES,
    PORT_BITS,
    UNDECIDED,
    WIN_FIRST,
)

#: Who may be thought to reply: the bots, or the learned value itself.
_REPLIES = {**BOTS, "learned": len(BOTS)}

_LEARNED = _REPLIES["learned"]
_DRAW_WORTH = 0.3  # where the published points of a draw lie between those of a loss and a win
_LARGEST = 1 << 20  # simulations; the tree takes a kilobyte for each
_ENTRIES_A_SIMULATION = 32
_RESERVE = NUM_TILES * (NUM_ACTIONS + 1)  # more than one simulation can add
_ROOT = np.uint64(1)
_FREE = np.uint64(0)


def _laying_keys() -> NDArray[np.uint64]:
    """Return (36, 140): a random word for each tile laid in each cell; a table's key is their XOR.

    Source: A. L. Zobrist, "A new hashing method with application for game playing" (1970).
    """
    rng = np.random.default_rng(0)
    return rng.integers(2, 1 << 63, size=(NUM_CELLS, NUM_PLACEMENTS), dtype=np.uint64)


_LAYING_KEYS = _laying_keys()


class _Tree(NamedTuple):
    """Tables met in a search, by open addressing; C is a power of two.

    Attributes:
        keys: (C,) uint64, 0 where nothing is.
        logits: (C,) float64, of an own placement that leads there.
        visits: (C,) int64, how often it was chosen.
        points: (C,) float64, the sum of what came of it, 0 to 1 each.
    """

    keys: NDArray[np.uint64]
    logits: NDArray[np.float64]
    visits: NDArray[np.int64]
    points: NDArray[np.float64]


class _Plan(NamedTuple):
    """How to search; see `TinrailSearch`."""

    simulations: int
    reply: int
    exploration: float
    playout_share: float


class _Desk(NamedTuple):
    """What a search works with.

    Attributes:
        network: the learned value.
        room: room for one decision.
        tree: emptied for every decision.
        slots: (12,) int64, where the listed placements lie in the tree.
        path: (35,) int64, the own placements of a simulation.
        hidden: (35,) int64, room to deal in.
    """

    network: Network
    room: Room
    tree: _Tree
    slots: NDArray[np.int64]
    path: NDArray[np.int64]
    hidden: NDArray[np.int64]


@compiled
def _enter(tree: _Tree, key: np.uint64) -> tuple[int, bool]:
    """Return where a key lies, and whether it is new; a new one is entered."""
    mask = np.uint64(tree.keys.shape[0] - 1)
    slot = key & mask
    while tree.keys[slot] != _FREE:
        if tree.keys[slot] == key:
            return int(np.int64(slot)), False
        slot = (slot + np.uint64(1)) & mask
    tree.keys[slot] = key
    return int(np.int64(slot)), True


@compiled
def _key_behind(game: Record, key: np.uint64, action: int) -> np.uint64:
    """Return the key of the table behind an action of the mover."""
    cell = int(game["notches"][game["to_move"]]) >> PORT_BITS
    return np.uint64(key ^ _LAYING_KEYS[cell, laid_by(game, action)])


@compiled
def _list_placements(desk: _Desk, game: Record, track: Record, key: np.uint64) -> tuple[int, int]:
    """List the mover's placements with their slots; return how many, and how many are new.

    New ones are rated by the learned value.
    """
    tree, room = desk.tree, desk.room
    before = position_of(game, track)
    count = distinct_placements(game, room.placements)
    added = 0
    for nth in range(count):
        action = int(room.placements[nth])
        slot, is_new = _enter(tree, _key_behind(game, key, action))
        desk.slots[nth] = slot
        if is_new:
            laid = laid_by(game, action)
            tree.logits[slot] = rate_placement(desk.network, 0, track, before, laid, room, nth)
            added += 1
    return count, added


@compiled
def _best_logit(desk: _Desk, count: int) -> float:
    best = -WIN_LOGIT
    for nth in range(count):
        best = max(best, desk.tree.logits[desk.slots[nth]])
    return best


@compiled
def _most_promising(desk: _Desk, count: int, exploration: float) -> int:
    """Return the placement of the highest worth so far plus what its prior allows."""
    tree, slots = desk.tree, desk.slots
    top = _best_logit(desk, count)
    total, visits = 0.0, 1
    for nth in range(count):
        total += math.exp(tree.logits[slots[nth]] - top)
        visits += tree.visits[slots[nth]]
    width = exploration * math.sqrt(visits) / total
    best, best_bound = 0, -1.0
    for nth in range(count):
        slot = slots[nth]
        worth = chance_of(tree.logits[slot])
        if tree.visits[slot] > 0:
            worth = tree.points[slot] / tree.visits[slot]
        bound = worth + width * math.exp(tree.logits[slot] - top) / (1 + tree.visits[slot])
        if bound > best_bound:
            best, best_bound = nth, bound
    return best


@compiled
def _worth_of(game: Record, seat: int) -> float:
    """Return what a match that is over is worth to a seat."""
    if game["result"] == DRAW:
        return _DRAW_WORTH
    return 1.0 if game["result"] == WIN_FIRST + seat else 0.0


@compiled
def _judge_leaf(
    desk: _Desk, plan: _Plan, game: Record, track: Record, count: int, cursor: np.uint64
) -> tuple[float, np.uint64]:
    """Return what a new node is worth to its mover, and the cursor; may play the match out."""
    seat, logit = int(game["to_move"]), _best_logit(desk, count)
    worth = chance_of(logit)
    if plan.playout_share > 0.0 and abs(logit) < WIN_LOGIT:
        cursor = play_out(game, track, WISE, cursor)
        worth += plan.playout_share * (_worth_of(game, seat) - worth)
    return worth, cursor


@compiled
def _reply(
    desk: _Desk, plan: _Plan, game: Record, track: Record, cursor: np.uint64
) -> tuple[int, np.uint64]:
    """Return the action that the opponent is thought to answer with, and the cursor."""
    if plan.reply == _LEARNED:
        return choose_learned(desk.network, 0, game, track, desk.room), cursor
    cursor = advance(cursor)
    return choose(plan.reply, game, track, mix(cursor)), cursor


@compiled
def _simulate(
    desk: _Desk, plan: _Plan, game: Record, track: Record, cursor: np.uint64
) -> tuple[int, np.uint64]:
    """Walk from the root to a new node or an end; return how many entries it added, the cursor."""
    seat, key = int(game["to_move"]), _ROOT
    length, added, worth = 0, 0, 0.0
    while True:
        _, is_new = _enter(desk.tree, key)
        count, more = _list_placements(desk, game, track, key)
        added += more + is_new
        if is_new and length > 0:
            worth, cursor = _judge_leaf(desk, plan, game, track, count, cursor)
            break
        nth = _most_promising(desk, count, plan.exploration)
        desk.path[length] = desk.slots[nth]
        length += 1
        action = int(desk.room.placements[nth])
        key = _key_behind(game, key, action)
        place(game, track, action)
        if game["result"] == UNDECIDED:
            action, cursor = _reply(desk, plan, game, track, cursor)
            key = _key_behind(game, key, action)
            place(game, track, action)
        if game["result"] != UNDECIDED:
            worth = _worth_of(game, seat)
            break
    for at in range(length):
        desk.tree.visits[desk.path[at]] += 1
        desk.tree.points[desk.path[at]] += worth
    return added, cursor


@compiled
def _search(
    given: tuple[_Desk, _Plan],
    state: StateArray,
    rails: StateArray,
    row: int,
    cursor: np.uint64,
    scratch: StateArray,
    scratch_rails: StateArray,
    visits: NDArray[np.int64],
) -> int:
    """Grow a tree by simulations; ``given`` is its desk, and how to search."""
    desk, plan = given
    tree = desk.tree
    tree.keys[:] = _FREE
    tree.visits[:] = 0
    tree.points[:] = 0.0
    room_left = tree.keys.shape[0] // 2
    for _ in range(plan.simulations):
        scratch[0] = state[row]
        scratch_rails[0] = rails[row]
        cursor = redeal(scratch[0], cursor, desk.hidden)
        added, cursor = _simulate(desk, plan, scratch[0], scratch_rails[0], cursor)
        room_left -= added
        if room_left < _RESERVE:
            break
    count, _ = _list_placements(desk, state[row], rails[row], _ROOT)
    points = np.zeros(NUM_ACTIONS)
    for nth in range(count):
        visits[nth] = tree.visits[desk.slots[nth]]
        points[nth] = tree.points[desk.slots[nth]]
    return int(desk.room.placements[most_visited(points, visits, count)])


class TinrailSearch(DealSearcher):
    """Searches many deals of the unseen tiles with a learned value, and plays what it tried most.

    The choice depends on what the seat sees and on the game seed's stream of re-deals, never on the
    hidden hand or the pile.

    Args:
        simulations: for each decision, at least 1.
        reply: who is thought to play the other seat: "wise", "easy", "random", or "learned", the
            learned value itself.
        network: as in `quiltrail.agents.tinrail_learned.TinrailLearned`; its first one is used.
        exploration: how far priors may outweigh results, above 0.
        playout_share: weight of the playout in a new node's worth, 0 to 1; with 0 none is played.
        seed: XORed into the stream of re-deals.

    Attributes:
        visits: (B, 12) int64, how often the last `act` tried each different placement, in order.

    Raises:
        OptionError: if an argument is out of range.
        ModelMismatchError: if the file holds no networks.
    """

    search_rows = rows_searched("tree", _search)

    def __init__(
        self,
        simulations: int = 4000,
        reply: str = "wise",
        *,
        network: NetworkLike = None,
        exploration: float = 1.0,
        playout_share: float = 0.5,
        seed: int = 0,
    ) -> None:
        check_int("simulations", simulations, 1, _LARGEST)
        if reply not in _REPLIES:
            raise OptionError(unknown_name_text("reply", reply, _REPLIES))
        if not 0 < exploration < math.inf:
            raise OptionError(f"exploration is a number above 0, got {shown(exploration)}")
        if not 0 <= playout_share <= 1:
            raise OptionError(f"playout_share is a number from 0 to 1, got {shown(playout_share)}")
        plan = _Plan(simulations, _REPLIES[reply], float(exploration), float(playout_share))
        super().__init__(seed, (_desk_for(network_of(network), simulations), plan))


def _desk_for(network: Network, simulations: int) -> _Desk:
    size = 1 << (2 * _RESERVE + _ENTRIES_A_SIMULATION * simulations - 1).bit_length()
    tree = _Tree(
        np.zeros(size, np.uint64), np.zeros(size), np.zeros(size, np.int64), np.zeros(size)
    )
    return _Desk(
        network,
        room_for(network),
        tree,
        np.zeros(NUM_ACTIONS, np.int64),
        np.zeros(NUM_TILES, np.int64),
        np.zeros(NUM_TILES, np.int64),
    )
