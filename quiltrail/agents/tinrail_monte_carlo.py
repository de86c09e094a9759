"""A Monte-Carlo player of Tinrail that knows no more than its seat does."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.tinrail_deals import DealSearcher
from quiltrail.core.arguments import check_int
from quiltrail.core.engine import Record, StateArray
from quiltrail.core.errors import OptionError, unknown_name_text
from quiltrail.core.jit import compiled
from quiltrail.core.mulberry32 import STREAM_REDEAL, advance, jump, mix, shuffle
from quiltrail.envs.tinrail.gbot import BOTS, WISE, choose
from quiltrail.envs.tinrail.match import distinct_placements, hand_size, place
from quiltrail.envs.tinrail.rules import (
    DRAW,
    NUM_ACTIONS,
    NUM_TILES,
    PILE_SIZE,
    UNDECIDED,
    WIN_FIRST,
)

_EXPLORATION = 0.7  # UCB1's c, for results from 0 to 1
_WIN_POINTS, _DRAW_POINTS = 2, 1  # of a playout, halves

_STREAM = np.uint64(STREAM_REDEAL)


@compiled
def redeal(game: Record, cursor: np.uint64, hidden: NDArray[np.int64]) -> np.uint64:
    """Deal what the mover cannot see anew: the other hand and the pile; return the cursor.

    The tiles are shuffled from ascending order, so the deal does not depend on where they were.
    ``hidden`` (35,) is room to work in.
    """
    other = 1 - int(game["to_move"])
    held, drawn = hand_size(game, other), int(game["drawn"])
    hand, pile = game["hands"][other], game["pile"]
    is_hidden = np.uint64(0)
    for card in range(held):
        is_hidden |= np.uint64(1) << np.uint64(hand[card])
    for card in range(drawn, PILE_SIZE):
        is_hidden |= np.uint64(1) << np.uint64(pile[card])
    count = 0
    for tile in range(NUM_TILES):
        if (is_hidden >> np.uint64(tile)) & np.uint64(1):
            hidden[count] = tile
            count += 1
    cursor = shuffle(hidden, count, cursor)
    for card in range(held):
        hand[card] = hidden[card]
    for card in range(drawn, PILE_SIZE):
        pile[card] = hidden[held + card - drawn]
    return cursor


@compiled
def play_out(game: Record, track: Record, bot: int, cursor: np.uint64) -> np.uint64:
    """Let a bot play both seats to the end; return the cursor."""
    draw = np.uint64(0)
    while game["result"] == UNDECIDED:
        if bot != WISE:
            cursor = advance(cursor)
            draw = mix(cursor)
        place(game, track, choose(bot, game, track, draw))
    return cursor


@compiled
def _most_promising(
    points: NDArray[np.int64], visits: NDArray[np.int64], count: int, spread: float
) -> int:
    """Return the arm of the highest upper confidence bound; ``spread`` is c^2 ln n."""
    best, best_bound = 0, -1.0
    for arm in range(count):
        mean = points[arm] / (_WIN_POINTS * visits[arm])
        bound = mean + np.sqrt(spread / visits[arm])
        if bound > best_bound:
            best, best_bound = arm, bound
    return best


@compiled
def most_visited(points: NDArray[Any], visits: NDArray[np.int64], count: int) -> int:
    """Return the arm visited most; among equals that of more points, then the first."""
    best = 0
    for arm in range(1, count):
        better = visits[arm] == visits[best] and points[arm] > points[best]
        if visits[arm] > visits[best] or better:
            best = arm
    return best


@compiled
def _search(
    state: StateArray,
    rails: StateArray,
    row: int,
    spreads: NDArray[np.float64],
    bot: int,
    salt: np.uint64,
    scratch: StateArray,
    scratch_rails: StateArray,
    visits: NDArray[np.int64],
) -> int:
    """Return the action a search from one row settles on; ``visits`` (12,) says how often each."""
    hidden = np.zeros(NUM_TILES, np.int64)
    placements, points = np.zeros(NUM_ACTIONS, np.int64), np.zeros(NUM_ACTIONS, np.int64)
    visits[:] = 0
    count = distinct_placements(state[row], placements)
    seat, turn = int(state[row]["to_move"]), int(state[row]["turn"])
    stream = np.uint64(state[row]["seed"]) ^ _STREAM ^ salt
    cursor = mix(advance(jump(stream, turn)))  # each decision has a stream of its own
    for n in range(spreads.shape[0]):
        arm = n if n < count else _most_promising(points, visits, count, spreads[n])
        scratch[0] = state[row]
        scratch_rails[0] = rails[row]
        game, track = scratch[0], scratch_rails[0]
        cursor = redeal(game, cursor, hidden)
        place(game, track, placements[arm])
        cursor = play_out(game, track, bot, cursor)
        visits[arm] += 1
        if game["result"] == WIN_FIRST + seat:
            points[arm] += _WIN_POINTS
        elif game["result"] == DRAW:
            points[arm] += _DRAW_POINTS
    return int(placements[most_visited(points, visits, count)])


@compiled
def _search_rows(
    spreads: NDArray[np.float64],
    bot: int,
    state: StateArray,
    rails: StateArray,
    salt: np.uint64,
    scratch: StateArray,
    scratch_rails: StateArray,
    actions: NDArray[np.int64],
    visits: NDArray[np.int64],
) -> None:
    for row in range(state.shape[0]):
        actions[row] = 0
        visits[row, :] = 0
        if state[row]["result"] == UNDECIDED:
            actions[row] = _search(
                state, rails, row, spreads, bot, salt, scratch, scratch_rails, visits[row]
            )


class MonteCarlo(DealSearcher):
    """Try every different placement in many deals of the unseen tiles, the best ones more often.

    For each playout the unseen tiles are dealt anew, a placement is chosen by UCB1, and a bot plays
    both seats to the end. The placement tried most is played. The choice depends on what the seat
    sees and on the game seed's stream of re-deals, never on the hidden hand or the pile.

    Source of UCB1: P. Auer, N. Cesa-Bianchi, P. Fischer, "Finite-time analysis of the multiarmed
    bandit problem" (2002); with c = 0.7 in place of the square root of 2.

    Args:
        playouts: for each decision, at least 1.
        bot: who plays the playouts: "wise", "easy" or "random".
        seed: XORed into the stream of re-deals.

    Attributes:
        visits: (B, 12) int64, how often the last `act` tried each different placement, in order.

    Raises:
        OptionError: if an argument is out of range.
    """

    def __init__(self, playouts: int = 100, bot: str = "wise", seed: int = 0) -> None:
        self.playouts = check_int("playouts", playouts, 1)
        if bot not in BOTS:
            raise OptionError(unknown_name_text("bot", bot, BOTS))
        self.bot = bot
        super().__init__(seed)
        self._spreads = _spreads(playouts)

    def _search_batch(self, *batch: Any) -> None:
        _search_rows(self._spreads, BOTS[self.bot], *batch)


def _spreads(playouts: int) -> NDArray[np.float64]:
    """Return c^2 ln n for n playouts so far.

    Rounded to multiples of 2^-20, so that every platform gets the same numbers; division and square
    root are exact in the sense of IEEE 754 everywhere.
    """
    logarithms = np.log(np.maximum(np.arange(playouts), 1))
    return np.rint(_EXPLORATION**2 * logarithms * 2**20) / 2**20
