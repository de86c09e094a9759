"""TD(lambda) on the afterstates of Tinrail's matches, as kernels.

The value of an afterstate is the chance that its placer wins, a draw counting one half. Players
place greedily by it, with a share of random safe placements. In a match of P placements with
afterstates a_0 .. a_(P-1), each seen by its own placer, the return is

    G_(P-1) = the result,   G_t = 1 - ((1 - lambda) V(a_(t+1)) + lambda G_(t+1))

since the next placer is the other side; behind a random placement it is 1 - V of the best one in
its place. Afterstates that end a match are known and not learned.

Source: Sutton, Barto, "Reinforcement learning", 2nd edition, sections 6.8 and 12.3 (afterstates,
lambda-returns) and 12.10 (cutting traces at exploratory actions); Tesauro, "Temporal difference
learning and TD-Gammon", CACM 1995.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.tinrail_network import (
    WIN_LOGIT,
    Network,
    Room,
    chance_of,
    logit_of,
    rate_placements,
)
from quiltrail.agents.tinrail_views import MOST_ACTIVE
from quiltrail.core.array_types import Record, StateArray
from quiltrail.core.jit import compiled
from quiltrail.core.mulberry32 import SEED_RANGE, advance, below, mix
from quiltrail.envs.tinrail.match import deal, outcome_of, place
from quiltrail.envs.tinrail.rails import rebuild
from quiltrail.envs.tinrail.rules import NUM_SEATS, NUM_TILES, UNDECIDED

LEARNER = 0  # its place among the networks; snapshots lie behind
_NONE = -1


class Settings(NamedTuple):
    """What decides how matches are played and judged.

    Attributes:
        epsilon: share of random placements.
        decay: lambda.
    """

    epsilon: float
    decay: float


class Samples(NamedTuple):
    """Afterstates to learn from, room for N of them.

    Attributes:
        active: (N, `MOST_ACTIVE`) int16, their active entries.
        counts: (N,) int64, how many there are.
        targets: (N,) float64, their returns, 0 to 1.
    """

    active: NDArray[np.int16]
    counts: NDArray[np.int64]
    targets: NDArray[np.float64]


class Course(NamedTuple):
    """One match, placement by placement.

    Attributes:
        sample: (36,) int64, where its afterstate lies among the samples, -1 for none.
        value: (36,) float64, of the best placement by the learner's network.
        explored: (36,) bool, whether another one was played.
    """

    sample: NDArray[np.int64]
    value: NDArray[np.float64]
    explored: NDArray[np.bool_]


def room_for_samples(matches: int) -> Samples:
    """Return room for the afterstates of some matches."""
    most = NUM_TILES * matches
    return Samples(
        np.zeros((most, MOST_ACTIVE), np.int16), np.zeros(most, np.int64), np.zeros(most)
    )


def room_for_course() -> Course:
    """Return room for one match."""
    most = NUM_TILES + 1
    return Course(np.zeros(most, np.int64), np.zeros(most), np.zeros(most, np.bool_))


@compiled
def _stray(room: Room, count: int, best: int, cursor: np.uint64) -> tuple[int, np.uint64]:
    """Return a random placement that does not lose at once, if there is one; and the cursor."""
    safe = 0
    for nth in range(count):
        safe += room.logits[nth] > -WIN_LOGIT
    if safe == 0:
        return best, cursor
    cursor = advance(cursor)
    left = below(mix(cursor), safe)
    for nth in range(count):
        if room.logits[nth] > -WIN_LOGIT:
            if left == 0:
                return nth, cursor
            left -= 1
    return best, cursor


@compiled
def _note(
    network: Network, who: int, room: Room, nth: int, best: int, samples: Samples, count: int
) -> tuple[int, float]:
    """Keep a placement's afterstate if the learner made it; return the count and the value.

    The value is the learner's: of its best placement, or of the one that a snapshot has made.
    """
    size = room.counts[nth]
    if who != LEARNER:
        if size == 0:
            return count, chance_of(room.logits[nth])
        return count, chance_of(logit_of(network, LEARNER, room.active[nth, :size], room.hidden))
    if size > 0:
        samples.active[count] = room.active[nth]
        samples.counts[count] = size
        count += 1
    return count, chance_of(room.logits[best])


@compiled
def judge(result: float, length: int, decay: float, course: Course, samples: Samples) -> None:
    """Write the returns of a match's samples; ``result`` is the last placer's, 0 to 1."""
    back = result
    for at in range(length - 1, -1, -1):
        if course.sample[at] != _NONE:
            samples.targets[course.sample[at]] = back
        if course.explored[at]:
            back = course.value[at]
        elif at < length - 1:
            back = decay * back + (1.0 - decay) * course.value[at]
        back = 1.0 - back


@compiled
def _play_match(
    network: Network,
    sides: NDArray[np.int64],
    settings: Settings,
    game: Record,
    track: Record,
    cursor: np.uint64,
    samples: Samples,
    count: int,
    course: Course,
    room: Room,
) -> tuple[np.uint64, int]:
    """Play a match that has been dealt; return the cursor and the number of samples behind.

    ``sides`` (2,) says which network plays which seat. What snapshots place is not learned from.
    """
    length = 0
    while game["result"] == UNDECIDED:
        who = int(sides[game["to_move"]])
        num_placements, best = rate_placements(network, who, game, track, room)
        nth = best
        cursor = advance(cursor)
        if float(np.int64(mix(cursor))) < settings.epsilon * SEED_RANGE:
            nth, cursor = _stray(room, num_placements, best, cursor)
        behind, value = _note(network, who, room, nth, best, samples, count)
        course.sample[length] = count if behind > count else _NONE
        course.value[length] = value
        course.explored[length] = nth != best and who == LEARNER
        count = behind
        place(game, track, int(room.placements[nth]))
        length += 1
    outcome = outcome_of(int(game["result"]), int(game["to_move"]))
    judge((1.0 + outcome) / 2.0, length, settings.decay, course, samples)
    return cursor, count


@compiled
def play_matches(
    network: Network,
    rivals: NDArray[np.int64],
    settings: Settings,
    state: StateArray,
    rails: StateArray,
    cursor: np.uint64,
    samples: Samples,
    course: Course,
    room: Room,
) -> tuple[np.uint64, int]:
    """Play one match against each of ``rivals`` (M,), in turn from both seats.

    Args:
        network: the learner's network, then those of the snapshots.
        rivals: which network plays the other seat, `LEARNER` for self-play.
        settings: how.
        state: (1,) records of the engine, room for a match.
        rails: (1,) its rails.
        cursor: of the stream that deals and random placements come from.
        samples: written from the start.
        course: room for one match.
        room: room for one decision.

    Returns:
        The cursor behind, and the number of samples.
    """
    deck, sides = np.zeros(NUM_TILES, np.int8), np.zeros(NUM_SEATS, np.int64)
    count = 0
    game, track = state[0], rails[0]
    for match in range(rivals.shape[0]):
        cursor = advance(cursor)
        game["seed"] = mix(cursor)
        deal(game, deck)
        rebuild(track, game["table"])
        sides[match % NUM_SEATS] = LEARNER
        sides[1 - match % NUM_SEATS] = rivals[match]
        cursor, count = _play_match(
            network, sides, settings, game, track, cursor, samples, count, course, room
        )
    return cursor, count
