"""Sunpleat's rules for a batch of games: signed prefix reversal under a move budget."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.actions import RefusalCode
from quiltrail.core.engine import Engine, ObservationField, Record, Rows, StateArray
from quiltrail.core.errors import demand
from quiltrail.core.jit import compiled
from quiltrail.core.legality import UNDIAGNOSED, add_action
from quiltrail.envs.sunpleat import rules
from quiltrail.envs.sunpleat.par import distance_between
from quiltrail.envs.sunpleat.rules import (
    AWARD_BASE,
    AWARD_PER_MOVE_LEFT,
    AWARD_PER_PENNANT,
    BANK,
    BANKED,
    CLEARED,
    ENDED,
    FIRST_REPEATED_TEMPLATE,
    LEAVES,
    LENGTHS,
    MAX_MOVES,
    MAX_PENNANTS,
    NEXT,
    NUM_TEMPLATES,
    OUT_OF_LIVES,
    PARS,
    PLAYING,
    RESTART,
    RETRY,
    RETRY_BOARD,
    SPARE_MOVES,
    START_GARLANDS,
)

STATE = np.dtype(
    [
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
        ("start", np.int8, (MAX_PENNANTS,)),  # this board's garland before the first move
        ("garland", np.int8, (MAX_PENNANTS,)),  # left to right, minus = moon, 0 behind the last
    ],
    align=True,
)

FIELDS = (
    ObservationField(
        "garland",
        (MAX_PENNANTS, 2 * MAX_PENNANTS),
        1,
        "one-hot per place: column v - 1 for sun v, 5 + v - 1 for moon v; zeros behind the last",
    ),
    ObservationField(
        "start",
        (MAX_PENNANTS, 2 * MAX_PENNANTS),
        1,
        "the garland this board starts with, coded alike; it also tells which board comes next",
    ),
    ObservationField("n", (MAX_PENNANTS,), 1, "ones for the first n places"),
    ObservationField("moves", (MAX_MOVES + 1,), 1, "one-hot of the remaining moves, 0 to 11"),
    ObservationField("leaves", (LEAVES,), 1, "ones for the leaves left"),
    ObservationField("phase", (len(rules.PHASES),), 1, "one-hot: playing, cleared, retry, ended"),
)

_ACCEPTED = int(RefusalCode.ACCEPTED)
_WRONG_PHASE = int(RefusalCode.WRONG_PHASE)
_COUNT_EXCEEDS_N = int(RefusalCode.COUNT_EXCEEDS_N)


@compiled
def template_of(board: int) -> int:
    """Return the one-based template of a board: 1 to 8, then 5, 6, 7, 8 for ever."""
    if board <= NUM_TEMPLATES:
        return board
    period = NUM_TEMPLATES + 1 - FIRST_REPEATED_TEMPLATE
    return FIRST_REPEATED_TEMPLATE + (board - NUM_TEMPLATES - 1) % period


@compiled
def award(n: int, moves_left: int) -> int:
    """Return the points of a clear."""
    return AWARD_BASE + AWARD_PER_PENNANT * n + AWARD_PER_MOVE_LEFT * moves_left


@compiled
def flip(garland: NDArray[np.int8], count: int) -> None:
    """Reverse the first ``count`` entries in place and negate each of them."""
    left, right = 0, count - 1
    while left < right:
        garland[left], garland[right] = -garland[right], -garland[left]
        left += 1
        right -= 1
    if left == right:
        garland[left] = -garland[left]


@compiled
def _is_target(garland: NDArray[np.int8], n: int) -> bool:
    for place in range(n):  # noqa: SIM110  (a kernel: numba compiles no generators)
        if garland[place] != place + 1:
            return False
    return True


@compiled
def _hang(game: Record, board: int) -> None:
    """Load a board: its garland, its par, a full budget."""
    template = template_of(board) - 1
    game["board"] = board
    game["n"] = LENGTHS[template]
    game["par"] = PARS[template]
    for place in range(MAX_PENNANTS):
        game["start"][place] = START_GARLANDS[template, place]
    _rehang(game)


@compiled
def _rehang(game: Record) -> None:
    """Bring back this board's first garland and its full budget."""
    for place in range(MAX_PENNANTS):
        game["garland"][place] = game["start"][place]
    game["moves_used"] = 0
    game["phase"] = PLAYING


@compiled
def _spend_leaf(game: Record) -> bool:
    """Take one leaf; return whether that ended the run."""
    game["leaves"] -= 1
    if game["leaves"] > 0:
        return False
    game["phase"] = ENDED
    game["end_reason"] = OUT_OF_LIVES
    return True


@compiled
def _play_flip(game: Record, count: int) -> int:
    """Flip, then test the target before the budget; return the points won."""
    flip(game["garland"], count)
    game["moves_used"] += 1
    moves_left = game["par"] + SPARE_MOVES - game["moves_used"]
    if _is_target(game["garland"], game["n"]):
        points = award(game["n"], moves_left)
        game["score"] += points
        game["last_award"] = points
        game["cleared"] += 1
        game["phase"] = CLEARED
        return points
    if moves_left == 0 and not _spend_leaf(game):
        game["phase"] = RETRY
    return 0


@compiled
def _play(game: Record, action: int) -> int:
    """Apply a legal action; return the points won."""
    game["turn"] += 1
    if action < MAX_PENNANTS:
        return _play_flip(game, action + 1)
    if action == NEXT:
        game["last_award"] = 0
        _hang(game, game["board"] + 1)
    elif action == RETRY_BOARD:
        _rehang(game)
    elif action == RESTART:
        if not _spend_leaf(game):
            _rehang(game)
    else:
        game["phase"] = ENDED
        game["end_reason"] = BANKED
    return 0


@compiled
def _diagnose(game: Record, action: int) -> int:
    """Return why an action is refused in a running game."""
    if game["phase"] == PLAYING and action < MAX_PENNANTS:
        return _COUNT_EXCEEDS_N
    return _WRONG_PHASE


@compiled
def _start_rows(
    state: StateArray, rows: Rows, seeds: NDArray[np.uint64], boards: NDArray[np.int64]
) -> None:
    for r in range(rows.shape[0]):
        game = state[rows[r]]
        game["seed"] = seeds[r]
        game["score"] = 0
        game["turn"] = 0
        game["cleared"] = 0
        game["last_award"] = 0
        game["leaves"] = LEAVES
        game["end_reason"] = 0
        _hang(game, boards[r])


@compiled
def _advance_rows(
    state: StateArray,
    rows: Rows,
    actions: NDArray[np.int64],
    reward: NDArray[np.float64],
    refusal: NDArray[np.int64],
) -> None:
    for r in range(rows.shape[0]):
        row = rows[r]
        if refusal[row] == _ACCEPTED:
            reward[row] = _play(state[row], actions[r])
        elif refusal[row] == UNDIAGNOSED:
            refusal[row] = _diagnose(state[row], actions[r])


@compiled
def _find_legal_rows(state: StateArray, rows: Rows, legal: NDArray[np.uint64]) -> None:
    for r in range(rows.shape[0]):
        game = state[rows[r]]
        actions = legal[rows[r]]
        actions[0] = 0
        if game["phase"] == ENDED:
            continue
        add_action(actions, BANK)
        if game["phase"] == PLAYING:
            for count in range(1, game["n"] + 1):
                add_action(actions, count - 1)
            add_action(actions, RESTART)
        elif game["phase"] == CLEARED:
            add_action(actions, NEXT)
        else:
            add_action(actions, RETRY_BOARD)


@compiled
def _write_one_hot(garland: NDArray[np.int8], planes: NDArray[np.int8]) -> None:
    for place in range(MAX_PENNANTS):
        for column in range(2 * MAX_PENNANTS):
            planes[place, column] = 0
        value = garland[place]
        if value > 0:
            planes[place, value - 1] = 1
        elif value < 0:
            planes[place, MAX_PENNANTS - value - 1] = 1


@compiled
def _observe_rows(state: StateArray, rows: Rows, observation: StateArray) -> None:
    for r in range(rows.shape[0]):
        game = state[rows[r]]
        seen = observation[rows[r]]
        _write_one_hot(game["garland"], seen["garland"])
        _write_one_hot(game["start"], seen["start"])
        for place in range(MAX_PENNANTS):
            seen["n"][place] = place < game["n"]
        moves_left = game["par"] + SPARE_MOVES - game["moves_used"]
        for moves in range(MAX_MOVES + 1):
            seen["moves"][moves] = moves == moves_left
        for leaf in range(LEAVES):
            seen["leaves"][leaf] = leaf < game["leaves"]
        for phase in range(ENDED + 1):
            seen["phase"][phase] = phase == game["phase"]


class SunpleatEngine(Engine):
    """B games of Sunpleat. The seed never changes a game; it is kept for the record.

    ``start_options``: ``board`` starts a fresh run at that board, from 1 on.
    """

    game: ClassVar[str] = "sunpleat"
    start_options: ClassVar[tuple[str, ...]] = ("board",)
    drawing: ClassVar[str] = "quiltrail.envs.sunpleat.draw"
    wording: ClassVar[str] = "quiltrail.envs.sunpleat.text"

    def __init__(self, num_games: int) -> None:
        super().__init__(num_games, state_dtype=STATE, fields=FIELDS, codec=rules.CODEC)

    def _start(self, rows: Rows, seeds: NDArray[np.uint64], **start: NDArray[np.int64]) -> None:
        boards = start.get("board", np.ones(len(rows), np.int64))
        _start_rows(self.state, rows, seeds, boards)

    def _advance(self, rows: Rows, actions: NDArray[np.int64]) -> None:
        _advance_rows(self.state, rows, actions, self.reward, self.refusal)

    def _find_legal(self, rows: Rows) -> None:
        _find_legal_rows(self.state, rows, self.legal)

    def _observe(self, rows: Rows) -> None:
        _observe_rows(self.state, rows, self._observation)

    def _particulars(self, row: int, action: int, code: int) -> str:
        game = self.state[row]
        if code == RefusalCode.COUNT_EXCEEDS_N:
            return f"count {action + 1}, the garland has {game['n']} pennants"
        return f"phase {rules.PHASES[game['phase']]}"

    def _view(self, row: int) -> dict[str, Any]:
        game = self.state[row]
        n, par, moves_used = int(game["n"]), int(game["par"]), int(game["moves_used"])
        budget = par + SPARE_MOVES
        return {
            "version": rules.STATE_VERSION,
            "phase": rules.PHASES[game["phase"]],
            "boardNumber": int(game["board"]),
            "templateIndex": int(template_of(game["board"])),
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

    def _check_record(self, record: Record) -> None:
        _check_board(record)
        _check_garland(record)
        _check_phase(record)
        _check_counters(record)


def _check_board(game: Record) -> None:
    """Check that n, par and start are those of the board."""
    demand(game["board"] >= 1, "board", "is at least 1")
    template = template_of(game["board"]) - 1
    demand(game["n"] == LENGTHS[template], "n", f"is {LENGTHS[template]} on this board")
    demand(game["par"] == PARS[template], "par", f"is {PARS[template]} on this board")
    start = START_GARLANDS[template]
    demand((game["start"] == start).all(), "start", f"is {start.tolist()} on this board")


def _check_garland(game: Record) -> None:
    """Check that the garland can be reached from the start in the moves used."""
    n, budget = int(game["n"]), int(game["par"]) + SPARE_MOVES
    garland = game["garland"]
    is_permutation = sorted(np.abs(garland[:n]).tolist()) == list(range(1, n + 1))
    demand(is_permutation, "garland", f"has each of 1 to {n} once, sun or moon")
    demand(not garland[n:].any(), "garland", f"is 0 behind place {n}")
    demand(0 <= game["moves_used"] <= budget, "moves_used", f"is 0 to {budget} on this board")
    needed = distance_between(game["start"][:n], garland[:n])
    demand(needed <= game["moves_used"], "moves_used", f"is at least {needed} for this garland")


def _check_phase(game: Record) -> None:
    """Check that phase, garland, moves, leaves and end reason fit together."""
    phase, leaves = int(game["phase"]), int(game["leaves"])
    demand(PLAYING <= phase <= ENDED, "phase", "is 0 playing, 1 cleared, 2 retry or 3 ended")
    reason = int(game["end_reason"])
    demand(reason in (0, BANKED, OUT_OF_LIVES), "end_reason", "is 0, 1 banked or 2 out-of-lives")
    demand((reason != 0) == (phase == ENDED), "end_reason", "is set exactly in phase 3 ended")
    fewest = 0 if reason == OUT_OF_LIVES else 1
    most = {RETRY: LEAVES - 1, ENDED: 0 if reason == OUT_OF_LIVES else LEAVES}.get(phase, LEAVES)
    demand(fewest <= leaves <= most, "leaves", f"is {fewest} to {most} here")
    on_target = bool(_is_target(game["garland"], game["n"]))
    spent = bool(game["moves_used"] == game["par"] + SPARE_MOVES)
    if phase == CLEARED:
        demand(on_target, "garland", "is the target in phase 1 cleared")
    elif phase == PLAYING or reason == OUT_OF_LIVES:
        demand(not on_target, "garland", "is not the target in this phase")
    if phase == PLAYING:
        demand(not spent, "moves_used", "is below the budget in phase 0 playing")
    elif phase == RETRY:
        demand(spent and not on_target, "moves_used", "is the whole budget in phase 2 retry")


def _check_counters(game: Record) -> None:
    """Check that cleared boards, award, score and turn can belong together."""
    cleared, score = int(game["cleared"]), int(game["score"])
    n, par, moves_used = int(game["n"]), int(game["par"]), int(game["moves_used"])
    won_here = bool(_is_target(game["garland"], n))
    most_cleared = int(game["board"]) - (0 if won_here else 1)
    demand(int(won_here) <= cleared <= most_cleared, "cleared", f"is 0 to {most_cleared} here")
    expected = award(n, par + SPARE_MOVES - moves_used) if won_here else 0
    demand(game["last_award"] == expected, "last_award", f"is {expected} here")
    least = cleared * award(3, 0)
    most = cleared * award(MAX_PENNANTS, SPARE_MOVES)
    demand(least <= score <= most, "score", f"is {least} to {most} after {cleared} clears")
    fewest_turns = moves_used + 2 * (cleared - int(won_here))  # a flip and a next for each
    demand(game["turn"] >= fewest_turns, "turn", f"is at least {fewest_turns} here")
