"""The Sunpleat players that go by a learned number of flips."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from quiltrail.agents.sunpleat_learned import (
    Garlands,
    SunpleatBeam,
    SunpleatGreedy,
    at_target,
    count_gaps,
    flipped,
)
from quiltrail.core.errors import OptionError
from quiltrail.envs.sunpleat.levels import SunpleatLevelsEngine
from quiltrail.envs.sunpleat.par import distances
from quiltrail.train.evaluate import evaluate

LEVELS = {"n": 5, "one_board": True, "split": "test"}


def exact(garlands: Garlands) -> NDArray[np.float64]:
    return distances(garlands, np.full(len(garlands), garlands.shape[1])).astype(np.float64)


def nothing(garlands: Garlands) -> NDArray[np.float64]:
    return np.zeros(len(garlands))


def test_flips_turn_the_first_pennants_and_their_faces() -> None:
    assert flipped(np.array([[3, -1, 2]], np.int8)).tolist() == [
        [[-3, -1, 2], [1, -3, 2], [-2, 1, -3]]
    ]
    assert at_target(np.array([[1, 2, 3], [1, -2, 3]])).tolist() == [True, False]


def test_gaps_are_counted_to_the_place_behind_and_are_never_more_than_the_flips() -> None:
    garlands = np.array([[1, 2, 3], [3, 1, 2], [-2, -1, 3], [-3, -2, -1]], np.int8)
    assert count_gaps(garlands).tolist() == [0, 2, 1, 1]
    rng = np.random.default_rng(5)
    drawn = np.array([rng.permutation(5) + 1 for _ in range(300)], np.int8)
    drawn *= rng.choice(np.array([-1, 1], np.int8), drawn.shape)
    assert (count_gaps(drawn) <= exact(drawn)).all()


@pytest.mark.parametrize("player", [SunpleatGreedy(exact), SunpleatBeam(exact, width=1)])
def test_exact_distances_clear_every_garland_at_par(player: SunpleatGreedy) -> None:
    found = evaluate(player, "sunpleatlevels", range(200), settings=LEVELS)
    engine = SunpleatLevelsEngine(200, n=5, one_board=True, split="test")
    engine.reset(np.arange(200), np.arange(200, dtype=np.uint64))
    assert found.lengths == engine.state["par"].tolist()
    assert found.in_budget == [True] * 200


def test_a_beam_that_keeps_all_needs_no_idea() -> None:
    found = evaluate(SunpleatBeam(nothing, 4000), "sunpleatlevels", range(5), settings=LEVELS)
    engine = SunpleatLevelsEngine(5, n=5, one_board=True, split="test")
    engine.reset(np.arange(5), np.arange(5, dtype=np.uint64))
    assert found.lengths == engine.state["par"].tolist()


def test_a_beam_without_a_way_to_the_target_flips_on_and_retries() -> None:
    found = evaluate(
        SunpleatBeam(nothing, 1), "sunpleatlevels", range(20), settings=LEVELS | {"distance": 9}
    )
    assert found.refusals == 0
    assert not all(found.successes or [])


def test_next_follows_a_clear_where_boards_go_on() -> None:
    settings = {"n": 4, "slack": 0}
    found = evaluate(
        SunpleatGreedy(exact), "sunpleatlevels", [0], settings=settings, max_episode_steps=40
    )
    assert found.refusals == 0
    assert found.scores[0] > 2 * 200
    assert found.successes is None
    assert found.in_budget is None


@pytest.mark.parametrize("width", [0, True, 2.0])
def test_a_width_that_is_none_is_refused(width: int) -> None:
    with pytest.raises(OptionError, match="beam width"):
        SunpleatBeam(nothing, width)
