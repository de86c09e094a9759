"""What every engine does with rows: cloning, branching, copying, snapshots; over all games."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from quiltrail.agents import RandomLegal
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, StateError
from quiltrail.envs import GameSpec
from tests.each import each_game


def played(spec: GameSpec, rows: int = 4, steps: int = 12) -> Engine:
    """Return an engine whose rows stand in different positions."""
    engine = spec.make_engine(rows)
    engine.reset(np.arange(rows), np.arange(50, 50 + rows, dtype=np.uint64))
    player = RandomLegal(3)
    for step in range(steps):
        engine.step(player.act(engine)[step % rows :], np.arange(step % rows, rows))
    return engine


def everything(engine: Engine, row: int) -> dict[str, Any]:
    """Return all that a row shows."""
    return {
        "state": engine.get_state(row),
        "view": engine.view(row),
        "mask": engine.mask[row].tolist(),
        "observation": {name: part[row].tolist() for name, part in engine.observation.items()},
        "ended": bool(engine.terminated[row]),
    }


@each_game
def test_clones_are_whole_games_and_go_their_own_way(spec: GameSpec) -> None:
    engine = played(spec)
    source, kept = everything(engine, 0), everything(engine, 3)
    engine.clone_rows(np.array([0, 0]), np.array([1, 2]))
    assert everything(engine, 1) == everything(engine, 2) == source
    engine.reset(np.array([0]), np.array([9], np.uint64))
    assert everything(engine, 1) == source
    assert everything(engine, 3) == kept


@each_game
def test_rows_can_swap_in_one_clone(spec: GameSpec) -> None:
    engine = played(spec)
    first, last = everything(engine, 0), everything(engine, 3)
    engine.clone_rows(np.array([3, 0]), np.array([0, 3]))
    assert (everything(engine, 0), everything(engine, 3)) == (last, first)


@each_game
def test_a_branch_holds_copies_of_the_chosen_rows(spec: GameSpec) -> None:
    engine = played(spec)
    before = [everything(engine, row) for row in range(4)]
    branch = engine.branch(np.array([2, 2, 0]))
    assert branch.num_games == 3
    assert [everything(branch, row) for row in range(3)] == [before[2], before[2], before[0]]
    branch.step(RandomLegal(1).act(branch))
    assert [everything(engine, row) for row in range(4)] == before


@each_game
@pytest.mark.parametrize(
    "twin_of",
    [copy.deepcopy, lambda engine: pickle.loads(pickle.dumps(engine)), lambda one: one.copy()],
    ids=["deepcopy", "pickle", "copy"],
)
def test_a_copied_batch_continues_identically(spec: GameSpec, twin_of: Any) -> None:
    engine = played(spec)
    twin = twin_of(engine)
    player, mirror = RandomLegal(5), RandomLegal(5)
    for _ in range(20):
        engine.step(player.act(engine))
        twin.step(mirror.act(twin))
    for row in range(4):
        assert everything(twin, row) == everything(engine, row)


@each_game
def test_a_step_of_some_rows_leaves_the_others(spec: GameSpec) -> None:
    engine = played(spec)
    kept = everything(engine, 1)
    actions = RandomLegal(8).act(engine)
    engine.step(actions[[0, 3]], np.array([0, 3]))
    assert everything(engine, 1) == kept


@each_game
def test_a_bad_state_leaves_the_row_as_it_was(spec: GameSpec) -> None:
    engine = played(spec)
    state, before = engine.get_state(0), everything(engine, 1)
    for wrong in (
        None,
        [],
        {},
        {**state, "format": 0},
        {**state, "game": "chess"},
        {**state, "settings": {"no": 1}},
        {**state, "score": 2**63},
        {**state, "turn": "3"},
    ):
        with pytest.raises(StateError):
            engine.set_state(1, wrong)  # type: ignore[arg-type]
    assert everything(engine, 1) == before


@each_game
def test_states_are_json_of_plain_types(spec: GameSpec) -> None:
    def plain(value: Any) -> bool:
        if isinstance(value, dict):
            return all(type(key) is str and plain(part) for key, part in value.items())
        if isinstance(value, list):
            return all(map(plain, value))
        return value is None or type(value) in (int, str, bool, float)

    engine = played(spec)
    assert plain(engine.get_state(0))
    assert plain(engine.view(0))


@each_game
def test_a_refusal_can_be_foretold_without_playing(spec: GameSpec) -> None:
    engine = played(spec)
    before = everything(engine, 0)
    for action in range(-1, min(engine.num_actions, 40) + 1):
        code = engine.refusal_of(0, action)
        assert (code == 0) == (action in engine.legal_indices(0))
        assert engine.explain(0, action, code)
    assert everything(engine, 0) == before


@each_game
@pytest.mark.parametrize("count", [0, -1, 1.0, "2", True, None])
def test_a_batch_has_at_least_one_game(spec: GameSpec, count: Any) -> None:
    with pytest.raises(OptionError, match="number of games"):
        spec.make_engine(count)


@each_game
def test_an_unknown_setting_is_refused(spec: GameSpec) -> None:
    with pytest.raises(OptionError, match="flavour"):
        spec.make_engine(1, flavour="mint")
