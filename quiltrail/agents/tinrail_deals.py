"""What Tinrail's searching players share: they try placements in re-deals of what is unseen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.base import Agent
from quiltrail.core.array_types import Record, StateArray
from quiltrail.core.engine import Engine
from quiltrail.core.jit import compiled, with_parts
from quiltrail.core.mulberry32 import STREAM_REDEAL, advance, as_seed, jump, mix, shuffle
from quiltrail.envs.tinrail.gbot import WISE, choose
from quiltrail.envs.tinrail.match import hand_size, place
from quiltrail.envs.tinrail.position import STATE
from quiltrail.envs.tinrail.rails import RAILS
from quiltrail.envs.tinrail.rules import NUM_ACTIONS, NUM_TILES, PILE_SIZE, UNDECIDED

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
def most_visited(points: NDArray[Any], visits: NDArray[np.int64], count: int) -> int:
    """Return the arm visited most; among equals that of more points, then the first."""
    best = 0
    for arm in range(1, count):
        better = visits[arm] == visits[best] and points[arm] > points[best]
        if visits[arm] > visits[best] or better:
            best = arm
    return best


# What a player writes; in the loop below this name stands for its own kernel.


def search(
    plan: Any,
    state: StateArray,
    rails: StateArray,
    row: int,
    cursor: np.uint64,
    scratch: StateArray,
    scratch_rails: StateArray,
    visits: NDArray[np.int64],
) -> int:
    """Return the action that a search from one row settles on.

    Args:
        plan: what else the player needs to know.
        state: all matches; this one must stay as it is.
        rails: of all matches.
        row: which match to search.
        cursor: of the stream of this decision's re-deals.
        scratch: (1,) a match to play with.
        scratch_rails: (1,) its rails.
        visits: (12,) zeros, where to write how often each different placement was tried.
    """
    raise NotImplementedError


def _search_rows(
    plan: Any,
    state: StateArray,
    rails: StateArray,
    salt: np.uint64,
    scratch: StateArray,
    scratch_rails: StateArray,
    actions: NDArray[np.int64],
    visits: NDArray[np.int64],
) -> None:
    """Search each row whose match goes on; ``actions`` and ``visits`` are zeros before."""
    for row in range(state.shape[0]):
        game = state[row]
        if game["result"] == UNDECIDED:
            stream = np.uint64(game["seed"]) ^ _STREAM ^ salt
            cursor = mix(advance(jump(stream, int(game["turn"]))))  # each decision has its own
            actions[row] = search(
                plan, state, rails, row, cursor, scratch, scratch_rails, visits[row]
            )


def rows_searched(owner: str, search: Callable[..., int]) -> Callable[..., None]:
    """Return the loop over rows around a player's compiled `search`; ``owner`` names the player."""
    return compiled(with_parts(_search_rows, owner, search=search))


class DealSearcher(Agent):
    """Searches each row by itself and plays what it tried most.

    Args:
        seed: XORed into the stream of re-deals.
        plan: what the player's `search` needs to know.

    Attributes:
        search_rows: of `rows_searched`.
        visits: (B, 12) int64, how often the last `act` tried each different placement, in order.

    Raises:
        InvalidSeedError: if the seed is not an int.
    """

    games: ClassVar[tuple[str, ...]] = ("tinrail",)

    search_rows: ClassVar[Callable[..., None]]

    def __init__(self, seed: int, plan: Any) -> None:
        self._plan = plan
        self.visits = np.zeros((0, NUM_ACTIONS), np.int64)
        self._salt = np.uint64(as_seed(seed))
        self._scratch = np.zeros(1, STATE)
        self._scratch_rails = np.zeros(1, RAILS)

    def act(self, engine: Engine) -> NDArray[np.int64]:
        """Return the action of the seat to move in every row."""
        self.check_game(engine)
        actions = np.zeros(engine.num_games, np.int64)
        self.visits = np.zeros((engine.num_games, NUM_ACTIONS), np.int64)
        type(self).search_rows(
            self._plan,
            engine.state,
            engine.derived,
            self._salt,
            self._scratch,
            self._scratch_rails,
            actions,
            self.visits,
        )
        return actions
