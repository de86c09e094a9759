"""The beginning of every game has as many lines of play as it had, and as the referees count."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import pytest

from quiltrail.envs import GAMES, GameSpec, find_game
from tests.conformance.perft import (
    COMMAND,
    PATH,
    SEEDS,
    counts,
    game,
    line,
    reference_counts,
    start_of,
)
from tests.envs.test_tinrail_solo import SoloReference
from tests.reference.patchrook import PatchrookReference
from tests.reference.patchwork import PatchworkReference
from tests.reference.sunpleat import SunpleatReference

#: The independent referees; variants of a game that have none are held by the kept counts.
REFEREES: dict[str, Callable[[int], Any]] = {
    "patchrook": PatchrookReference,
    "patchwork": PatchworkReference,
    "sunpleat": SunpleatReference,
    "tinrail": SoloReference,
}


@pytest.mark.parametrize("spec", GAMES, ids=lambda spec: spec.id)
def test_the_legal_tree_has_as_many_nodes_as_it_had(spec: GameSpec) -> None:
    kept = [one for one in PATH.read_text().splitlines() if one.startswith(f"{spec.id} ")]
    assert kept, f"{spec.id} has no counts; write them: {COMMAND}"
    assert kept == [line(spec, seed) for seed in SEEDS]


@pytest.mark.parametrize("name", list(REFEREES))
def test_the_referees_count_the_same_legal_tree(name: str) -> None:
    for seed in SEEDS:
        known = signature(REFEREES[name]).parameters
        engine = game(find_game(name), seed, known)
        referee = REFEREES[name](seed, **start_of(engine, seed, known))
        assert counts(engine, 2) == reference_counts(referee, 2)
