"""Which records of Sunpleat are possible: what play keeps true, field by field."""

from __future__ import annotations

import numpy as np

from quiltrail.core.array_types import Record
from quiltrail.core.errors import demand
from quiltrail.envs.sunpleat import rules
from quiltrail.envs.sunpleat.boards import GarlandSource
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


def check_record(game: Record, source: GarlandSource, one_board: bool) -> None:
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


def _check_counters(game: Record, source: GarlandSource, budget: int) -> None:
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
