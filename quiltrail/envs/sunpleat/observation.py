"""What an agent sees of Sunpleat: the garland, its start, the budget, leaves and phase."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Record
from quiltrail.core.jit import compiled
from quiltrail.core.observation import ObservationField
from quiltrail.core.row_kernels import Setup
from quiltrail.envs.sunpleat import rules
from quiltrail.envs.sunpleat.rules import ENDED, LEAVES


def observation_fields(pennants: int, most_moves: int) -> tuple[ObservationField, ...]:
    """Return the observation's layout for so many pennants and the largest budget."""
    one_hot = (pennants, 2 * pennants)
    return (
        ObservationField(
            "garland",
            one_hot,
            1,
            "one-hot per place: column v - 1 for sun v, "
            f"{pennants} + v - 1 for moon v; zeros behind the last",
        ),
        ObservationField(
            "start",
            one_hot,
            1,
            "the garland this board starts with, coded alike; it also tells which board comes next",
        ),
        ObservationField("n", (pennants,), 1, "ones for the first n places"),
        ObservationField(
            "moves", (most_moves + 1,), 1, f"one-hot of the remaining moves, 0 to {most_moves}"
        ),
        ObservationField("leaves", (LEAVES,), 1, "ones for the leaves left"),
        ObservationField(
            "phase", (len(rules.PHASES),), 1, "one-hot: playing, cleared, retry, ended"
        ),
    )


@compiled
def _write_one_hot(garland: NDArray[np.int8], planes: NDArray[np.int8]) -> None:
    pennants = len(garland)
    for place in range(pennants):
        for column in range(2 * pennants):
            planes[place, column] = 0
        value = garland[place]
        if value > 0:
            planes[place, value - 1] = 1
        elif value < 0:
            planes[place, pennants - value - 1] = 1


@compiled
def see(game: Record, derived: Record, legal: Record, setup: Setup, seen: Record) -> None:
    """Write what an action changes."""
    _write_one_hot(game["garland"], seen["garland"])
    moves_left = game["par"] + setup[0] - game["moves_used"]
    for moves in range(len(seen["moves"])):
        seen["moves"][moves] = moves == moves_left
    for leaf in range(LEAVES):
        seen["leaves"][leaf] = leaf < game["leaves"]
    for phase in range(ENDED + 1):
        seen["phase"][phase] = phase == game["phase"]


@compiled
def see_anew(game: Record, derived: Record, legal: Record, setup: Setup, seen: Record) -> None:
    """Write what stays as long as a board does, and what an action changes."""
    _write_one_hot(game["start"], seen["start"])
    for place in range(len(game["garland"])):
        seen["n"][place] = place < game["n"]
    see(game, derived, legal, setup, seen)
