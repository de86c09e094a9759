"""What Patchwork shows: planes, abacuses and phases against the view."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiltrail.agents import RandomLegal
from quiltrail.envs.patchwork.deal import big_weight
from quiltrail.envs.patchwork.engine import PatchworkEngine
from quiltrail.envs.patchwork.observation import beads


def _abacus(count: int, digits: int) -> list[list[int]]:
    text = f"{min(count, 10**digits - 1):0{digits}}"[::-1]
    return [[int(bead < int(digit)) for bead in range(9)] for digit in text]


@given(st.integers(0, 200_000), st.sampled_from([2, 5]))
def test_an_abacus_shows_the_decimal_digits(count: int, digits: int) -> None:
    bits = int(beads(count, digits))
    shown = [[bits >> (9 * row + bead) & 1 for bead in range(9)] for row in range(digits)]
    assert shown == _abacus(count, digits)


@pytest.mark.parametrize("revive", [False, True])
def test_the_observation_shows_quilt_tray_counters_and_phase(revive: bool) -> None:
    engine, agent = PatchworkEngine(32, revive=revive), RandomLegal(1)
    engine.reset(np.arange(32), np.arange(32, dtype=np.uint64), sewn=np.arange(32) * 371)
    seen: set[str] = set()
    for _ in range(60):
        engine.step(agent.act(engine))
        for row in range(32):
            view, observation = engine.view(row), engine.observation_of(row)
            quilt = [[int(mark == "#") for mark in line] for line in view["quilt"]]
            assert observation["quilt"].tolist() == quilt
            windows = observation["tray"].reshape(3, 5, 5)
            cells = [[] if patch is None else patch["cells"] for patch in view["tray"]]
            assert [np.argwhere(window).tolist() for window in windows] == cells
            assert observation["streak"].tolist() == _abacus(view["streak"], 2)
            assert observation["sewn"].tolist() == _abacus(view["patchesSewn"], 5)
            phases = ["playing", "stuck", "ended"]
            assert observation["phase"].tolist() == [int(view["phase"] == one) for one in phases]
            can_revive = revive and engine.state["revive"][row] == 0 and not engine.terminated[row]
            assert observation["revive"].tolist() == [int(can_revive)]
            seen.add(view["phase"])
    assert seen == {"playing", "ended"} | ({"stuck"} if revive else set())


def test_the_weight_of_big_shapes_is_linear_in_the_abacus() -> None:
    for sewn in (0, 99, 100, 842, 1_000, 15_400, 99_999):
        rows = np.array(_abacus(sewn, 5)).sum(axis=1)
        assert big_weight(sewn) == 1 + rows[2] + 10 * rows[3] + 100 * rows[4]
