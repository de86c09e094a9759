"""The long run's checks find nothing in real play, and find what is broken on purpose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.reliability.invariants import CHECKS
from benchmarks.reliability.memory import MemorySamples
from benchmarks.reliability.soak import Soak, soak
from quiltrail.envs import GameSpec, find_game
from tests.each import each_game


@each_game
def test_play_breaks_no_identity(spec: GameSpec) -> None:
    found = soak(spec, steps=64 * 120, num_envs=64, every=1)
    assert found["faults"] == {}
    assert found["fully_checked_steps"] > 64 * 60
    assert len(found["identities"]) >= (6 if spec.folder in CHECKS else 3)


BROKEN: dict[str, tuple[str, Any, str]] = {
    "Patchrook": ("usable", 1, "patches_have_the_quilts_area"),
    "Patchwork": ("quilt", 1 << 3, "area_is_before_plus_patch_less_units"),
    "Sunpleat": ("garland", 1, "garland_is_a_permutation"),
    "Tinrail": ("pile", 2, "each_tile_is_in_one_place"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_engine_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    field, noise, identity = BROKEN[name]
    run = Soak(find_game(name.lower()), 32, 1)
    step = run.env.step

    def broken_step(actions: Any) -> Any:
        outcome = step(actions)
        part = run.engine.state[field]
        part[...] = part ^ np.asarray(noise, part.dtype)
        return outcome

    monkeypatch.setattr(run.env, "step", broken_step)
    run.step()
    assert run.faults[identity] > 0


def test_a_score_that_is_not_the_sum_of_rewards_is_noticed() -> None:
    run = Soak(find_game("patchwork"), 32, 1000)
    run.step()
    run.engine.state["score"] += 1
    run.step()
    assert run.faults["score_is_the_sum_of_rewards"] == 32


def test_memory_that_grows_is_not_flat() -> None:
    flat, growing = MemorySamples(0.0), MemorySamples(0.0)
    for megabyte in range(200):
        for samples, value in ((flat, 300.0), (growing, 300.0 + megabyte)):
            samples.seconds.append(float(megabyte))
            samples.megabytes.append(value)
    assert flat.summary()["flat"]
    assert not growing.summary()["flat"]
    assert growing.summary()["growth_mb"] == 162.0
