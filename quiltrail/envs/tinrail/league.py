"""Matches between policies, thousands at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Rows, StateArray
from quiltrail.core.errors import OptionError
from quiltrail.core.jit import compiled
from quiltrail.envs.tinrail.engine import TinrailEngine
from quiltrail.envs.tinrail.gbot import RANDOM, choose_rows
from quiltrail.envs.tinrail.match import score_of, tiles_survived
from quiltrail.envs.tinrail.opponents import (
    POLICY,
    League,
    Opponent,
    OpponentLike,
    spread_opponents,
)
from quiltrail.envs.tinrail.position import BOTH_SEATS
from quiltrail.envs.tinrail.rules import DRAW, NUM_SEATS, WIN_FIRST


@dataclass(frozen=True)
class MatchResults:
    """How M matches ended.

    Attributes:
        outcome: (M,) int64 of the first player: +1 won, 0 drawn, -1 lost.
        placements: (M,) int64, how many tiles were placed.
        scores: (M, 2) int64, the published score of both players, times 1.0.
    """

    outcome: NDArray[np.int64]
    placements: NDArray[np.int64]
    scores: NDArray[np.int64]


@compiled
def _score_rows(state: StateArray, scores: NDArray[np.int64]) -> None:
    for row in range(state.shape[0]):
        game = state[row]
        for seat in range(NUM_SEATS):
            survived = tiles_survived(game, seat)
            scores[row, seat] = score_of(game["result"], seat, survived, False)


def play_matches(
    seeds: NDArray[np.uint64],
    first: OpponentLike | Sequence[OpponentLike],
    second: OpponentLike | Sequence[OpponentLike],
) -> MatchResults:
    """Play one match for each seed to its end.

    A bot that draws takes its stream of the match's seed, one draw for each decision of its own. In
    a match of a bot against itself one bot decides for both seats.

    Args:
        seeds: (M,) uint64 game seeds.
        first: who plays the first seat: a bot's name, a policy, "module:attribute", or one of
            these for each match.
        second: who plays the second seat.

    Raises:
        OptionError: if one is no opponent.
        IllegalActionError: if a policy returns an action that is not legal.
    """
    num_matches = len(seeds)
    league = League()
    sides = [league.indices_of(spread_opponents(one, num_matches)) for one in (first, second)]
    if any((side == BOTH_SEATS).any() for side in sides):
        raise OptionError("both seats of every match need a player, got None")
    engine = TinrailEngine(num_matches)
    engine.reset(np.arange(num_matches), seeds)
    actions = np.zeros(num_matches, np.int64)
    ply = 0
    while not engine.terminated.all():  # all running matches have placed as many tiles
        running = np.flatnonzero(~engine.terminated)
        movers = sides[ply % NUM_SEATS][running]
        alone = sides[0][running] == sides[1][running]
        for index, twice in {(int(a), bool(b)) for a, b in zip(movers, alone, strict=True)}:
            rows = running[(movers == index) & (alone == twice)]
            _decide(engine, league.members[index], rows, 1 if twice else NUM_SEATS, actions)
        engine.step(actions[running], running)
        ply += 1
    return results_of(engine)


def _decide(
    engine: TinrailEngine,
    player: Opponent,
    rows: Rows,
    turns_apart: int,
    actions: NDArray[np.int64],
) -> None:
    """Write a player's actions in its rows."""
    if player.bot == POLICY:
        seats = engine.state["to_move"][rows].astype(np.int64)
        actions[rows] = player.ask(engine.observe_for(rows, seats), engine.mask[rows])
        return
    # Easy and random would draw alike from one stream.
    salt = np.uint64(player.bot == RANDOM)
    choose_rows(engine.state, engine.derived, rows, player.bot, turns_apart, salt, actions)


def results_of(engine: TinrailEngine) -> MatchResults:
    """Return how the matches of an engine have ended; all of them have."""
    result = engine.state["result"]
    outcome = np.where(result == DRAW, 0, np.where(result == WIN_FIRST, 1, -1))
    scores = np.zeros((engine.num_games, NUM_SEATS), np.int64)
    _score_rows(engine.state, scores)
    return MatchResults(outcome, engine.state["turn"].copy(), scores)
