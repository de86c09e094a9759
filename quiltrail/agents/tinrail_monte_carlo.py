"""A Monte-Carlo player of Tinrail that knows no more than its seat does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.tinrail_deals import (
    DealSearcher,
    most_visited,
    play_out,
    redeal,
    rows_searched,
)
from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import StateArray
from quiltrail.core.errors import OptionError, unknown_name_text
from quiltrail.core.jit import compiled
from quiltrail.envs.tinrail.gbot import BOTS
from quiltrail.envs.tinrail.match import distinct_placements, place
from quiltrail.envs.tinrail.rules import (
    DRAW,
    NUM_ACTIONS,
    NUM_TILES,
    WIN_FIRST,
)

_EXPLORATION = 0.7  # UCB1's c, for results from 0 to 1
_WIN_POINTS, _DRAW_POINTS = 2, 1  # of a playout, halves


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
def _search(
    plan: tuple[NDArray[np.float64], int],
    state: StateArray,
    rails: StateArray,
    row: int,
    cursor: np.uint64,
    scratch: StateArray,
    scratch_rails: StateArray,
    visits: NDArray[np.int64],
) -> int:
    """Try placements by UCB1; ``plan`` is c^2 ln n for each number n of playouts, and their bot."""
    spreads, bot = plan
    hidden = np.zeros(NUM_TILES, np.int64)
    placements, points = np.zeros(NUM_ACTIONS, np.int64), np.zeros(NUM_ACTIONS, np.int64)
    count = distinct_placements(state[row], placements)
    seat = int(state[row]["to_move"])
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

    search_rows = rows_searched("monte_carlo", _search)

    def __init__(self, playouts: int = 100, bot: str = "wise", seed: int = 0) -> None:
        self.playouts = check_int("playouts", playouts, 1)
        if bot not in BOTS:
            raise OptionError(unknown_name_text("bot", bot, BOTS))
        self.bot = bot
        super().__init__(seed, (_spreads(playouts), BOTS[bot]))


def _spreads(playouts: int) -> NDArray[np.float64]:
    """Return c^2 ln n for n playouts so far.

    Rounded to multiples of 2^-20, so that every platform gets the same numbers; division and square
    root are exact in the sense of IEEE 754 everywhere.
    """
    logarithms = np.log(np.maximum(np.arange(playouts), 1))
    return np.rint(_EXPLORATION**2 * logarithms * 2**20) / 2**20
