"""Matches of Tinrail between two players that see the engine, a batch at once."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.base import Agent
from quiltrail.agents.random_legal import RandomLegal
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, shown
from quiltrail.core.mulberry32 import SEED_RANGE, draws_at
from quiltrail.envs.tinrail.engine import TinrailEngine
from quiltrail.envs.tinrail.league import MatchResults, results_of
from quiltrail.envs.tinrail.rules import NUM_SEATS, UNDECIDED

_STREAM_WAVER = 0xD1B54A35  # game seed XOR this: when a player wavers; ours


class Wavering(Agent):
    """Plays as another player, but for a share of uniformly random legal actions.

    Args:
        player: who decides otherwise; it is asked on every turn.
        share: of random actions, 0 to 1.
        seed: of the random actions, and XORed into the stream that says when.

    Raises:
        OptionError: if the share is out of range.
    """

    games: ClassVar[tuple[str, ...]] = ("tinrail",)

    def __init__(self, player: Agent, share: float, seed: int = 0) -> None:
        if not 0 <= share <= 1:
            raise OptionError(f"share is a number from 0 to 1, got {shown(share)}")
        self._player = player
        self._share = share
        self._random = RandomLegal(seed)
        self._salt = np.uint64(_STREAM_WAVER ^ seed % SEED_RANGE)

    def act(self, engine: Engine) -> NDArray[np.int64]:
        """Return an action for every row; the k-th turn of a match takes the k-th draw."""
        streams = engine.game_seed.astype(np.uint64) ^ self._salt
        draws = draws_at(streams, engine.state["turn"].astype(np.int64) + 1)
        wavers = draws < np.uint64(self._share * SEED_RANGE)
        chosen = np.where(wavers, self._random.act(engine), self._player.act(engine))
        return chosen.astype(np.int64)


@dataclass(frozen=True)
class Meeting:
    """Matches of one player against another, from both seats on the same seeds.

    Attributes:
        as_first: how those ended in which it moved first.
        as_second: how those ended in which it moved second.
        milliseconds: CPU time of a decision of its own, on average.
        longest: CPU milliseconds of its slowest call, per decision of that call.
    """

    as_first: MatchResults
    as_second: MatchResults
    milliseconds: float
    longest: float

    @property
    def outcomes(self) -> NDArray[np.int64]:
        """+1, 0, -1 for the player, (2 M,)."""
        return np.concatenate([self.as_first.outcome, -self.as_second.outcome])

    @property
    def scores(self) -> NDArray[np.int64]:
        """The player's published scores, times 1.0, (2 M,)."""
        return np.concatenate([self.as_first.scores[:, 0], self.as_second.scores[:, 1]])


def meet(player: Agent, rival: Agent, seeds: NDArray[np.uint64]) -> Meeting:
    """Play every seed twice, the player first and the player second.

    Players choose without memory of other matches: any order of seeds gives the same results.

    Args:
        player: whose results and time are told.
        rival: plays the other seat.
        seeds: (M,) uint64 game seeds.

    Raises:
        OptionError: if one of them does not play Tinrail.
    """
    clock = _Clock()
    timed = _Timed(player, clock)
    as_first, as_second = play_agents(seeds, timed, rival), play_agents(seeds, rival, timed)
    return Meeting(as_first, as_second, clock.spent / max(1, clock.decisions), clock.longest)


def play_agents(seeds: NDArray[np.uint64], first: Agent, second: Agent) -> MatchResults:
    """Play one match for each seed to its end; see `meet`."""
    engine = TinrailEngine(len(seeds))
    for player in (first, second):
        player.check_game(engine)
    engine.reset(np.arange(len(seeds)), seeds)
    ply = 0
    while not engine.terminated.all():  # all running matches have placed as many tiles
        running = np.flatnonzero(~engine.terminated)
        actions = (first, second)[ply % NUM_SEATS].act(engine)
        engine.step(actions[running], running)
        ply += 1
    return results_of(engine)


@dataclass
class _Clock:
    """CPU milliseconds of decisions."""

    spent: float = 0.0
    decisions: int = 0
    longest: float = 0.0


class _Timed(Agent):
    """A player whose decisions are timed."""

    def __init__(self, player: Agent, clock: _Clock) -> None:
        self._player, self._clock = player, clock

    def act(self, engine: Engine) -> NDArray[np.int64]:
        decisions = int((engine.state["result"] == UNDECIDED).sum())
        start = time.process_time()
        actions = self._player.act(engine)
        spent = 1000 * (time.process_time() - start)
        self._clock.spent += spent
        self._clock.decisions += decisions
        self._clock.longest = max(self._clock.longest, spent / decisions)
        return actions
