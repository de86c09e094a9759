"""No corrupt state reaches a kernel, whichever way it comes."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest

from quiltrail.agents import RandomLegal
from quiltrail.core.engine import Engine
from quiltrail.core.errors import QuiltrailError, StateError
from quiltrail.envs import GameSpec
from tests.each import each_game
from tests.fuzz.mutation import edited

#: Way in -> (environment, state) for it.
WAYS: dict[str, Callable[[Any, Any], object]] = {
    "set_state": lambda env, state: env["single"].set_state(state),
    "reset option": lambda env, state: env["single"].reset(options={"state": state}),
    "batch's set_state": lambda env, state: env["batch"].set_state(1, state),
    "batch's reset option": lambda env, state: env["batch"].reset(options={"state": [state] * 2}),
    "engine's set_state": lambda env, state: env["batch"].engine.set_state(0, state),
}


def environments(spec: GameSpec) -> dict[str, Any]:
    made: dict[str, Any] = {
        "single": gym.make(spec.id).unwrapped,
        "batch": gym.make_vec(spec.id, num_envs=2).unwrapped,
    }
    for env in made.values():
        env.reset(seed=3)
    return made


def watch(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return a list that takes every state which is handed to an engine's kernels."""
    reached: list[dict[str, Any]] = []
    restore = engine.restore

    def noted(rows: Any, records: Any) -> None:
        restore(rows, records)
        reached.extend(engine.get_state(int(row)) for row in rows)

    monkeypatch.setattr(engine, "restore", noted)
    return reached


@pytest.mark.parametrize("way", WAYS)
@each_game
def test_a_refused_state_reaches_no_kernel_and_an_accepted_one_is_possible(
    spec: GameSpec, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    envs = environments(spec)
    seeds = [envs["single"].get_state()]
    for _ in range(6):
        envs["single"].engine.step(RandomLegal(2).act(envs["single"].engine))
        seeds.append(envs["single"].get_state())
    reached = [watch(env.engine, monkeypatch) for env in envs.values()]
    rng = np.random.default_rng(4)
    refused = 0
    for number in range(60):
        before = [len(one) for one in reached]
        try:
            WAYS[way](envs, edited(rng, seeds[number % len(seeds)]))
        except QuiltrailError:
            refused += 1
            assert [len(one) for one in reached] == before
    assert refused > 20
    for state in (one for states in reached for one in states):
        envs["single"].engine.parse_state(state)


def test_a_match_of_two_refuses_corrupt_states_before_its_kernels() -> None:
    env: Any = pettingzoo.make("aec", "quiltrail/tinrail-v0")
    env.reset(seed=1)
    state = env.unwrapped.get_state()
    rng, refused = np.random.default_rng(5), 0
    for _ in range(40):
        before = env.unwrapped.get_state()
        try:
            env.unwrapped.set_state(edited(rng, state))
        except QuiltrailError:
            refused += 1
            assert env.unwrapped.get_state() == before
    assert refused > 10


@each_game
def test_records_of_a_file_are_checked_bit_by_bit(spec: GameSpec) -> None:
    """Every flipped bit of a record is either noticed or gives a state that a game can be in."""
    engine = spec.make_engine(1)
    engine.checked_records(engine.state)
    rng = np.random.default_rng(6)
    noticed = 0
    for bit in rng.choice(8 * engine.state.dtype.itemsize, 200).tolist():
        data = bytearray(engine.state.tobytes())
        data[bit // 8] ^= 1 << bit % 8
        record = np.frombuffer(bytes(data), engine.state.dtype)
        try:
            engine.checked_records(record)
        except StateError:
            noticed += 1
        else:
            engine.restore(np.array([0]), [record[0]])
            engine.step(RandomLegal(0).act(engine))
            engine.reset(np.array([0]), np.array([0], np.uint64))
    assert noticed > 60
    with pytest.raises(StateError, match="another layout"):
        engine.checked_records(np.zeros(1, [("x", np.int64)]))


@each_game
def test_records_of_a_file_get_the_aligned_layout_that_kernels_know(spec: GameSpec) -> None:
    engine = spec.make_engine(2)
    file = io.BytesIO()
    np.save(file, engine.state)
    file.seek(0)
    loaded = np.load(file)
    assert not loaded.dtype.isalignedstruct
    for record in engine.checked_records(loaded):
        assert record.dtype.isalignedstruct
