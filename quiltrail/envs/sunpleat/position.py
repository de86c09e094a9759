"""One game's record: its layout, what its fields mean together, its published view."""

from __future__ import annotations

from typing import Any

import numpy as np

from quiltrail.core.engine import Record
from quiltrail.core.errors import demand
from quiltrail.envs.sunpleat import rules
from quiltrail.envs.sunpleat.boards import BoardSource
from quiltrail.envs.sunpleat.garlands import award, is_target
from quiltrail.envs.sunpleat.par import distance_between
from quiltrail.envs.sunpleat.rules import (
    BANKED,
    CLEARED,
    CLEARED_BOARD,
    ENDED,
    LEAVES,
    OUT_OF_LIVES,
    PLAYING,
    RETRY,
)


def state_dtype(pennants: int, extra_fields: tuple[tuple[Any, ...], ...] = ()) -> np.dtype[np.void]:
    """Return the record of a game whose garlands have so many places at most.

    What a source keeps comes first: behind the rules' fields it would make the record a subtype of
    the plain one for numba, which is an experimental feature of it.
    """
    return np.dtype(
        [
            *extra_fields,
            ("seed", np.uint32),
            ("score", np.int64),
            ("turn", np.int64),
            ("board", np.int64),  # boardNumber, from 1
            ("cleared", np.int64),
            ("last_award", np.int64),
            ("moves_used", np.int64),
            ("n", np.int64),
            ("par", np.int64),
            ("leaves", np.int8),
            ("phase", np.int8),  # index into rules.PHASES
            ("end_reason", np.int8),  # index into rules.END_REASONS
            ("start", np.int8, (pennants,)),  # this board's garland before the first move
            ("garland", np.int8, (pennants,)),  # left to right, minus = moon, 0 behind the last
        ],
        align=True,
    )


def view_of(game: Record, source: BoardSource) -> dict[str, Any]:
    """Return what the publisher's observation publishes, without the legal list."""
    n, par, moves_used = int(game["n"]), int(game["par"]), int(game["moves_used"])
    budget = par + source.spare_moves
    return {
        "version": rules.STATE_VERSION,
        "phase": rules.PHASES[game["phase"]],
        "boardNumber": int(game["board"]),
        **source.view_fields(game),
        "garland": game["garland"][:n].tolist(),
        "n": n,
        "target": list(range(1, n + 1)),
        "exactPar": par,
        "moveBudget": budget,
        "movesUsed": moves_used,
        "remainingMoves": budget - moves_used,
        "leaves": int(game["leaves"]),
        "score": int(game["score"]),
        "clearedBoards": int(game["cleared"]),
        "lastAward": int(game["last_award"]),
        "endReason": rules.END_REASONS[game["end_reason"]],
        "turn": int(game["turn"]),
    }


def check_record(game: Record, source: BoardSource, one_board: bool) -> None:
    """Check that a run over a source's boards can come to this record.

    Raises:
        StateError: a sentence that names the field that cannot be so.
    """
    source.check_board(game)
    budget = int(game["par"]) + source.spare_moves
    _check_garland(game, budget)
    _check_end(game, one_board)
    _check_phase(game, budget)
    _check_counters(game, source, budget)


def _check_garland(game: Record, budget: int) -> None:
    """Check that the garland can be reached from the start in the moves used."""
    n = int(game["n"])
    garland = game["garland"]
    is_permutation = sorted(np.abs(garland[:n]).tolist()) == list(range(1, n + 1))
    demand(is_permutation, "garland", f"has each of 1 to {n} once, sun or moon")
    demand(not garland[n:].any(), "garland", f"is 0 behind place {n}")
    demand(0 <= game["moves_used"] <= budget, "moves_used", f"is 0 to {budget} on this board")
    needed = distance_between(game["start"][:n], garland[:n])
    demand(needed <= game["moves_used"], "moves_used", f"is at least {needed} for this garland")


def _check_end(game: Record, one_board: bool) -> None:
    """Check that phase, end reason and leaves fit together."""
    phase, leaves, reason = int(game["phase"]), int(game["leaves"]), int(game["end_reason"])
    demand(PLAYING <= phase <= ENDED, "phase", "is 0 playing, 1 cleared, 2 retry or 3 ended")
    reasons: tuple[int, ...] = (0, BANKED, OUT_OF_LIVES)
    if one_board:
        reasons += (CLEARED_BOARD,)
        demand(phase != CLEARED, "phase", "is 3 ended once a board is cleared in a run of one")
    names = " or ".join(f"{number} {rules.END_REASONS[number]}" for number in reasons[1:])
    demand(reason in reasons, "end_reason", f"is 0, {names}")
    demand((reason != 0) == (phase == ENDED), "end_reason", "is set exactly in phase 3 ended")
    fewest = 0 if reason == OUT_OF_LIVES else 1
    most = {RETRY: LEAVES - 1, ENDED: 0 if reason == OUT_OF_LIVES else LEAVES}.get(phase, LEAVES)
    demand(fewest <= leaves <= most, "leaves", f"is {fewest} to {most} here")
    if one_board:
        on_target = is_target(game["garland"], game["n"])
        demand(on_target == (reason == CLEARED_BOARD), "end_reason", "tells if the board is clear")


def _check_phase(game: Record, budget: int) -> None:
    """Check that phase, garland and moves fit together."""
    phase, reason = int(game["phase"]), int(game["end_reason"])
    on_target = bool(is_target(game["garland"], game["n"]))
    spent = bool(game["moves_used"] == budget)
    if phase == CLEARED:
        demand(on_target, "garland", "is the target in phase 1 cleared")
    elif phase == PLAYING or reason == OUT_OF_LIVES:
        demand(not on_target, "garland", "is not the target in this phase")
    if phase == PLAYING:
        demand(not spent, "moves_used", "is below the budget in phase 0 playing")
    elif phase == RETRY:
        demand(spent and not on_target, "moves_used", "is the whole budget in phase 2 retry")


def _check_counters(game: Record, source: BoardSource, budget: int) -> None:
    """Check that cleared boards, award, score and turn can belong together."""
    cleared, score = int(game["cleared"]), int(game["score"])
    n, moves_used = int(game["n"]), int(game["moves_used"])
    won_here = bool(is_target(game["garland"], n))
    most_cleared = int(game["board"]) - (0 if won_here else 1)
    demand(int(won_here) <= cleared <= most_cleared, "cleared", f"is 0 to {most_cleared} here")
    expected = award(n, budget - moves_used) if won_here else 0
    demand(game["last_award"] == expected, "last_award", f"is {expected} here")
    least, most = source.score_bounds(game, cleared)
    demand(least <= score <= most, "score", f"is {least} to {most} after {cleared} clears")
    fewest_turns = moves_used + 2 * (cleared - int(won_here))  # a flip and a next for each
    demand(game["turn"] >= fewest_turns, "turn", f"is at least {fewest_turns} here")
