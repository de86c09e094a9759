"""Rollouts inside compiled code play what a loop over steps plays, over all games."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quiltrail.agents import RandomLegal
from quiltrail.core.engine import Engine
from quiltrail.core.errors import InvalidSeedError, OptionError
from quiltrail.envs import GameSpec, find_game
from tests.each import each_game

ROWS = 6


def started(spec: GameSpec, **settings: Any) -> Engine:
    engine = spec.make_engine(ROWS, **settings)
    engine.reset(np.arange(ROWS), np.arange(20, 20 + ROWS, dtype=np.uint64))
    return engine


def endings(engine: Engine) -> tuple[int, ...]:
    """Return the actions that end a run of the player's own will."""
    kinds = [engine.codec.decode(action)["type"] for action in range(engine.num_actions)]
    return tuple(action for action, kind in enumerate(kinds) if kind in ("bank", "finish"))


def loop(
    engine: Engine, steps: int, seed: int, forbid: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Play on step by step; return each row's summed reward and number of steps."""
    player = RandomLegal(seed, forbid=forbid)
    total, played = np.zeros(ROWS), np.zeros(ROWS, np.int64)
    for _ in range(steps):
        running = np.flatnonzero(~engine.terminated)
        engine.step(player.act(engine)[running], running)
        total[running] += engine.reward[running]
        played[running] += 1
    return total, played


def assert_agrees(one: Engine, other: Engine, steps: int, forbid: tuple[int, ...] = ()) -> None:
    """Check a rollout of one engine against a loop over the other, its equal."""
    rollout = one.rollout(steps=steps, seed=4, forbid=forbid)
    total, played = loop(other, steps, 4, forbid)
    assert rollout.reward.tolist() == total.tolist() == one.reward.tolist()
    assert rollout.steps.tolist() == played.tolist()
    assert rollout.score.tolist() == other.score.tolist()
    assert rollout.terminated.tolist() == other.terminated.tolist()
    assert one.state.tobytes() == other.state.tobytes()
    assert one.legal.tobytes() == other.legal.tobytes()
    assert one.mask.tobytes() == other.mask.tobytes()
    assert one.words.tobytes() == other.words.tobytes()
    if one.success is not None and other.success is not None:
        assert one.success.tolist() == other.success.tolist()


@each_game
def test_a_rollout_plays_what_a_loop_plays(spec: GameSpec) -> None:
    one, other = started(spec), started(spec)
    for steps in (0, 1, 7, 60):  # each goes on from the one before, to the end of most games
        assert_agrees(one, other, steps)


@each_game
def test_forbidden_actions_are_played_only_where_nothing_else_is_legal(spec: GameSpec) -> None:
    one, other = started(spec), started(spec)
    assert_agrees(one, other, 50, endings(one))


@pytest.mark.parametrize(
    "settings",
    [
        {"opponent": None, "reward": "outcome"},
        {"opponent": "easy", "seat": "random"},
        {"opponent": lambda observations, masks: masks.argmax(axis=1), "seat": "random"},
    ],
    ids=["both seats", "bot", "policy"],
)
def test_opponents_reply_within_a_rollout(settings: dict[str, Any]) -> None:
    spec = find_game("tinrail")
    one, other = started(spec, **settings), started(spec, **settings)
    assert_agrees(one, other, 4)
    assert_agrees(one, other, 40)
    assert one.terminated.all()


@each_game
def test_a_rollout_of_a_branch_or_from_a_snapshot_repeats_itself(spec: GameSpec) -> None:
    engine = started(spec)
    engine.rollout(steps=3, seed=1)
    before = [engine.get_state(row) for row in range(ROWS)]
    tried = engine.branch(np.array([2, 2, 5])).rollout(steps=12, seed=8)
    assert [engine.get_state(row) for row in range(ROWS)] == before
    first = engine.rollout(steps=12, seed=8)
    for row in range(ROWS):
        engine.set_state(row, before[row])
    assert engine.rollout(steps=12, seed=8).score.tolist() == first.score.tolist()
    assert len(tried.score) == 3


@each_game
def test_a_rollout_of_some_rows_leaves_the_others(spec: GameSpec) -> None:
    some, every = started(spec), started(spec)
    kept = some.get_state(1)
    rolled = some.rollout(steps=8, seed=2, rows=np.array([4, 0]))
    whole = every.rollout(steps=8, seed=2)
    assert rolled.score.tolist() == whole.score[[4, 0]].tolist()
    assert some.get_state(1) == kept


def test_wrong_arguments_are_refused() -> None:
    engine = started(find_game("sunpleat"))
    with pytest.raises(OptionError, match="random"):
        engine.rollout(steps=1, policy="rnadom")
    for steps in (-1, 1.0, True):
        with pytest.raises(OptionError, match="steps"):
            engine.rollout(steps=steps)  # type: ignore[arg-type]
    with pytest.raises(InvalidSeedError):
        engine.rollout(steps=1, seed=1.5)  # type: ignore[arg-type]
