"""The loops over the rows of a batch, written once for all games: begin, step, roll out, show.

A game writes kernels for one game of a batch, `begin` to `has_won` below, and `row_kernels`
builds the loops around them. A loop judges, plays and shows a game before it goes to the next. It
may run in several threads at once, so nothing in it writes anything but the rows it was given; what
needs more waits for `Engine._go_on`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core import legality
from quiltrail.core.actions import RefusalCode
from quiltrail.core.array_types import Record, Rows, StateArray, Words
from quiltrail.core.jit import compiled, row_kernel, with_parts
from quiltrail.core.legality import UNDIAGNOSED, publish, random_action

#: What a game's kernels have to know beside the game: a number, or a tuple of numbers and arrays.
Setup = Any
_ACCEPTED = int(RefusalCode.ACCEPTED)

# What a game writes. In the loops these names stand for its own kernels; ``derived`` is the game's
# record of `Engine.derived`, ``legal`` has the legal set as ``words`` (W,).


def begin(game: Record, first: int) -> None:
    """Write a fresh game; seed, score and turn are there, ``first`` is its start option's value."""
    raise NotImplementedError


def find_legal(game: Record, setup: Setup, legal: Record) -> None:
    """Write a game's legal set; nothing is legal where it has ended."""
    raise NotImplementedError


def play(game: Record, derived: Record, action: int, setup: Setup) -> tuple[int, bool]:
    """Play a legal action; return its reward, and whether the game waits for `Engine._go_on`."""
    raise NotImplementedError


def diagnose(game: Record, legal: Record, action: int, setup: Setup) -> int:
    """Return why an action of the space is refused in a running game."""
    raise NotImplementedError


def see(game: Record, derived: Record, legal: Record, setup: Setup, seen: Record) -> None:
    """Write the observation of a game with this legal set."""
    raise NotImplementedError


@compiled
def judge(game: Record, legal: Record, terminated: bool, action: int, num_actions: int) -> int:
    """Return the refusal code of an action, or `UNDIAGNOSED`; by default the legal set decides."""
    return legality.judge(legal, terminated, action, num_actions)


@compiled
def has_won(game: Record) -> bool:
    """Return whether a game has ended with success; by default no game has."""
    return False


# The loops. An engine's arrays are those of `quiltrail.core.arrays.BatchArrays`; ``legal``,
# ``masks`` and ``seen`` are records, which know their length when the loop is compiled.


def _begin_rows(
    state: StateArray, rows: Rows, seeds: NDArray[np.uint64], firsts: NDArray[np.int64]
) -> None:
    """Begin the game of a seed in each row; ``firsts`` has one start for all or one for each."""
    for r in range(rows.shape[0]):
        game = state[rows[r]]
        game["seed"] = seeds[r]
        game["score"] = 0
        game["turn"] = 0
        begin(game, firsts[r] if len(firsts) > 1 else firsts[0])


def _step_rows(
    state: StateArray,
    derived: StateArray,
    legal: StateArray,
    masks: StateArray,
    seen: StateArray,
    terminated: NDArray[np.bool_],
    wins: NDArray[np.bool_],
    setup: Setup,
    reward: NDArray[np.float64],
    refusal: NDArray[np.int64],
    num_actions: int,
    rows: Rows,
    actions: NDArray[np.int64],
    waiting: Rows,
) -> int:
    """Play or refuse an action in each row, and show what came of it; return how many wait."""
    found = np.empty(1, legal.dtype)[0]
    count = 0
    for r in range(rows.shape[0]):
        row, action = rows[r], actions[r]
        game = state[row]
        reward[row] = 0.0
        code = judge(game, legal[row], terminated[row], action, num_actions)
        if code == UNDIAGNOSED:
            code = diagnose(game, legal[row], action, setup)
        refusal[row] = code
        if code != _ACCEPTED:
            continue
        reward[row], waits = play(game, derived[row], action, setup)
        if waits:
            waiting[count] = row
            count += 1
            continue
        find_legal(game, setup, found)
        terminated[row] = publish(found, legal[row], masks[row])
        wins[row] = has_won(game)
        see(game, derived[row], found, setup, seen[row])
    return count


def _roll_rows(
    state: StateArray,
    derived: StateArray,
    legal: StateArray,
    masks: StateArray,
    seen: StateArray,
    terminated: NDArray[np.bool_],
    wins: NDArray[np.bool_],
    setup: Setup,
    reward: NDArray[np.float64],
    refusal: NDArray[np.int64],
    num_actions: int,
    rolls: StateArray,
    forbidden: Words,
    rows: Rows,
    waiting: Rows,
) -> int:
    """Play each row on at random, and show nothing; return how many wait."""
    found = np.empty(1, legal.dtype)[0]
    count = 0
    for row in rows:
        game, roll = state[row], rolls[row]
        while roll["left"] > 0:
            find_legal(game, setup, found)
            action, roll["cursor"] = random_action(found["words"], forbidden, roll["cursor"])
            if action < 0:
                break
            points, waits = play(game, derived[row], action, setup)
            reward[row] += points
            roll["left"] -= 1
            if waits:
                waiting[count] = row
                count += 1
                break
    return count


def _show_rows(
    state: StateArray,
    derived: StateArray,
    legal: StateArray,
    masks: StateArray,
    seen: StateArray,
    terminated: NDArray[np.bool_],
    wins: NDArray[np.bool_],
    setup: Setup,
    rows: Rows,
) -> None:
    """Show each row, whatever its arrays showed before."""
    found = np.empty(1, legal.dtype)[0]
    for row in rows:
        game = state[row]
        find_legal(game, setup, found)
        terminated[row] = publish(found, legal[row], masks[row])
        wins[row] = has_won(game)
        see(game, derived[row], found, setup, seen[row])


@dataclass(frozen=True)
class RowKernels:
    """The loops of one game, compiled when they are first called."""

    begin: Callable[..., None]
    step: Callable[..., int]
    roll: Callable[..., int]
    show: Callable[..., None]


def row_kernels(
    owner: str,
    *,
    begin: Callable[[Record, int], None],
    find_legal: Callable[..., None],
    play: Callable[..., tuple[int, bool]],
    diagnose: Callable[..., int],
    see: Callable[..., None],
    see_anew: Callable[..., None] | None = None,
    has_won: Callable[[Record], bool] = has_won,
    judge: Callable[..., int] = judge,
) -> RowKernels:
    """Return the loops around a game's kernels, which have the signatures above.

    Args:
        owner: a name that no other engine gives, for numba's cache.
        begin: compiled, as the others.
        find_legal: asked before the game is shown.
        play: a game that waits is not shown before `Engine._go_on`.
        diagnose: asked where `judge` says `UNDIAGNOSED`.
        see: writes what an action can have changed.
        see_anew: writes a whole observation; by default `see` does.
        has_won: for games that judge success.
        judge: for games that take illegal actions as well.
    """
    parts: dict[str, Callable[..., Any]] = {
        "find_legal": find_legal,
        "play": play,
        "has_won": has_won,
    }
    step = with_parts(_step_rows, owner, **parts, judge=judge, diagnose=diagnose, see=see)
    begun = with_parts(_begin_rows, owner, begin=begin)
    roll = with_parts(_roll_rows, owner, **parts)
    show = with_parts(_show_rows, owner, **parts, see=see_anew or see)
    return RowKernels(compiled(begun), row_kernel(step), row_kernel(roll), row_kernel(show))
