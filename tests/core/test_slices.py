"""Rows shared among threads: the same results, bit for bit, over all games."""

from __future__ import annotations

import multiprocessing
import os
import threading
from typing import Any

import numpy as np
import pytest

from quiltrail.agents import RandomLegal
from quiltrail.core import slices
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError
from quiltrail.envs import GameSpec, find_game
from tests.each import each_game

ROWS = 11


@pytest.fixture(autouse=True)
def _short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "LEAST_ROWS", 3)


def started(spec: GameSpec, threads: int) -> Engine:
    engine = spec.make_engine(ROWS)
    engine.threads = threads
    engine.reset(np.arange(ROWS), np.arange(70, 70 + ROWS, dtype=np.uint64))
    return engine


def assert_equal_arrays(one: Engine, other: Engine) -> None:
    for mine, theirs in zip(one._row_arrays(), other._row_arrays(), strict=True):
        assert mine.tobytes() == theirs.tobytes()


@each_game
@pytest.mark.parametrize("threads", [2, 3])
def test_any_number_of_threads_gives_the_same_bits(spec: GameSpec, threads: int) -> None:
    one, many = started(spec, 1), started(spec, threads)
    player, rng = RandomLegal(5), np.random.default_rng(5)
    for step in range(25):
        actions = player.act(one)
        wild = rng.integers(ROWS)
        actions[wild] = rng.integers(-1, one.num_actions + 1)
        rows = np.arange(step % 4, ROWS)  # all of them, and parts that leave uneven slices
        one.step(actions[rows], rows)
        many.step(actions[rows], rows)
        assert_equal_arrays(one, many)
    assert one.rollout(steps=9, seed=1).reward.tolist() == (
        many.rollout(steps=9, seed=1).reward.tolist()
    )
    assert_equal_arrays(one, many)


def test_slices_run_in_threads_of_their_own() -> None:
    where: list[tuple[int, int]] = []

    def kernel(rows: Any, doubled: Any, unfinished: Any) -> int:
        where.append((len(rows), threading.get_ident()))
        odd = rows[rows % 2 == 1]
        doubled[:] = 2 * rows
        unfinished[: len(odd)] = odd
        return len(odd)

    doubled = np.zeros(8, np.int64)
    rows = np.array([7, 1, 2, 3, 4, 5, 6, 8])
    assert slices.run_in_slices(kernel, 2, rows, doubled).tolist() == [7, 1, 3, 5]
    assert doubled.tolist() == (2 * rows).tolist()
    assert sorted(length for length, _ in where) == [4, 4]
    assert len({thread for _, thread in where}) == 2
    where.clear()
    slices.run_in_slices(kernel, 2, rows[:5], doubled[:5])
    assert where == [(5, threading.get_ident())]  # too few to share


def _play_two_threads(answers: Any) -> None:
    engine = started(find_game("sunpleat"), 2)
    engine.step(np.zeros(ROWS, np.int64))
    answers.put(engine.state.tobytes())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_starts_threads_of_its_own() -> None:
    engine = started(find_game("sunpleat"), 2)
    engine.step(np.zeros(ROWS, np.int64))
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=_play_two_threads, args=(answers,))
    child.start()
    assert answers.get(timeout=60) == engine.state.tobytes()
    child.join()


@pytest.mark.parametrize("threads", [0, -1, 1.0, True, "2"])
def test_a_wrong_number_of_threads_is_refused(threads: Any) -> None:
    engine = find_game("sunpleat").make_engine(2)
    with pytest.raises(OptionError, match="threads"):
        engine.threads = threads
    assert engine.threads == 1
