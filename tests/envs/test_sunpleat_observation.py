"""What Sunpleat shows: garlands, budget, leaves and phase against the view."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from quiltrail.agents import RandomLegal
from quiltrail.agents.sunpleat import SunpleatSolver
from quiltrail.envs.sunpleat.engine import SunpleatEngine
from quiltrail.envs.sunpleat.levels import SunpleatLevelsEngine

NUM_GAMES = 16
PHASES = ["playing", "cleared", "retry", "ended"]


def _one_hot(garland: list[int], places: int) -> list[list[int]]:
    """Return a row for each place: first a column for each sun, then one for each moon."""
    columns = [*range(1, places + 1), *range(-1, -places - 1, -1)]
    garland = garland + [0] * (places - len(garland))
    return [[int(pennant == column) for column in columns] for pennant in garland]


@pytest.mark.parametrize(
    "make_engine",
    [SunpleatEngine, lambda count: SunpleatLevelsEngine(count, n=7)],
    ids=["official", "levels"],
)
def test_the_observation_shows_garlands_budget_leaves_and_phase(
    make_engine: Callable[[int], SunpleatEngine],
) -> None:
    engine = make_engine(NUM_GAMES)
    engine.reset(np.arange(NUM_GAMES), np.arange(NUM_GAMES, dtype=np.uint64))
    places = engine.observation["n"].shape[1]
    restart_and_bank = (engine.num_actions - 2, engine.num_actions - 1)
    solver, wanderer = SunpleatSolver(), RandomLegal(1, forbid=restart_and_bank)
    starts: list[list[int]] = [[] for _ in range(NUM_GAMES)]
    phases: set[str] = set()
    for _ in range(60):
        for row in range(NUM_GAMES):
            view, seen = engine.view(row), engine.observation_of(row)
            if view["movesUsed"] == 0:
                starts[row] = view["garland"]
            assert seen["garland"].tolist() == _one_hot(view["garland"], places)
            assert seen["start"].tolist() == _one_hot(starts[row], places)
            assert seen["n"].tolist() == [int(place < view["n"]) for place in range(places)]
            assert np.flatnonzero(seen["moves"]).tolist() == [view["remainingMoves"]]
            assert seen["leaves"].tolist() == [int(leaf < view["leaves"]) for leaf in range(3)]
            assert seen["phase"].tolist() == [int(view["phase"] == phase) for phase in PHASES]
            phases.add(view["phase"])
        even = np.arange(NUM_GAMES) % 2 == 0
        engine.step(np.where(even, solver.act(engine), wanderer.act(engine)))
    assert phases == set(PHASES)
