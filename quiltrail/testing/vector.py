"""Checks of a native vector environment against the single environment it batches."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from quiltrail.testing.random_play import random_actions
from quiltrail.testing.same import assert_same, check

#: Makes a native vector environment: (num_envs, autoreset mode) -> environment.
NativeFactory = Callable[[int, AutoresetMode], gym.vector.VectorEnv[Any, Any, Any]]
ScalarFactory = Callable[[], gym.Env[Any, Any]]

_ALL_MODES = tuple(AutoresetMode)


def check_vector_env(
    native: NativeFactory,
    scalar_factory: ScalarFactory,
    *,
    modes: Sequence[AutoresetMode] = _ALL_MODES,
    steps: int = 200,
    seed: int = 40,
) -> None:
    """Check a native vector environment against the single one.

    Runs `check_lane_parity` in every mode, `check_batch_size`, `check_partial_reset` and
    `check_fresh_arrays`. Gymnasium and SB3 have no such checker. Actions are Discrete; masks are
    used where infos tell them. Both factories make environments with the same time limit; a short
    one (about 20 steps) makes sure that many episodes end within ``steps``.

    Args:
        native: makes the vector environment, with so many rows and in this autoreset mode.
        scalar_factory: makes the single environment of one row.
        modes: the autoreset modes it supports.
        steps: steps of each comparison.
        seed: of actions and games.

    Raises:
        CheckFailedError: a sentence that names the first place that differs.
    """
    for mode in modes:
        check_lane_parity(native, scalar_factory, mode, steps=steps, seed=seed)
    check_batch_size(native, modes[0], steps=steps, seed=seed)
    check_partial_reset(native, modes[-1], seed=seed)
    check_fresh_arrays(native, modes[0], seed=seed)


def check_lane_parity(
    native: NativeFactory,
    scalar_factory: ScalarFactory,
    mode: AutoresetMode,
    *,
    num_envs: int = 5,
    steps: int = 200,
    seed: int = 40,
) -> None:
    """Check that a batch says what `SyncVectorEnv` says, the layout of its infos included."""
    ours = native(num_envs, mode)
    theirs = SyncVectorEnv([scalar_factory] * num_envs, autoreset_mode=mode)
    check(
        ours.metadata.get("autoreset_mode") == mode,
        f"metadata tell autoreset_mode {ours.metadata.get('autoreset_mode')}, not {mode}",
    )
    rng = np.random.default_rng(seed)
    said = ours.reset(seed=seed)
    assert_same(said, theirs.reset(seed=seed), f"{mode.value}, reset")
    infos = said[1]
    for step in range(steps):
        actions = random_actions(ours, infos, rng)
        told = ours.step(actions)
        assert_same(told, theirs.step(actions), f"{mode.value}, step {step}")
        infos, ended = told[4], told[2] | told[3]
        if mode is AutoresetMode.DISABLED and ended.any():
            options = {"reset_mask": ended}
            said = ours.reset(options=options)
            check(list(options) == ["reset_mask"], "reset changes the dict of options it was given")
            again = theirs.reset(options=dict(options))
            assert_same(said, again, f"{mode.value}, reset of ended rows after step {step}")
            infos = said[1]
    theirs.close()
    ours.close()


def check_batch_size(
    native: NativeFactory, mode: AutoresetMode, *, steps: int = 150, seed: int = 100
) -> None:
    """Check that a row does not depend on how many there are."""
    many, one = native(6, mode), native(1, mode)
    row = 4  # neither the first nor the last
    rng = np.random.default_rng(seed)
    _, infos = many.reset(seed=seed)
    one.reset(seed=seed + row)
    for step in range(steps):
        actions = random_actions(many, infos, rng)
        big, small = many.step(actions), one.step(actions[row : row + 1])
        infos = big[4]
        assert_same(_of(big[:4], row), _of(small[:4], 0), f"row {row} of 6 and 1, step {step}")
        _reset_ended(many, big)
        _reset_ended(one, small)


def check_partial_reset(native: NativeFactory, mode: AutoresetMode, *, seed: int = 7) -> None:
    """Check that resetting one row, each of each batch of 2 to 5, leaves the others alone.

    Their observations, random streams and step counters: they go on as in a batch without the
    reset, through their own next episodes. (With "Disabled", ended rows are reset in both.)
    """
    for num_envs in range(2, 6):
        for row in range(num_envs):
            _check_one_reset(native(num_envs, mode), native(num_envs, mode), row, seed)


def _check_one_reset(env: Any, twin: Any, row: int, seed: int) -> None:
    others = np.arange(env.num_envs) != row
    rng = np.random.default_rng(seed)
    _, infos = env.reset(seed=seed)
    twin.reset(seed=seed)
    for step in range(30):
        actions = random_actions(env, infos, rng)
        ours, theirs = env.step(actions), twin.step(actions)
        infos = ours[4]
        where = f"row {row} of {env.num_envs} was reset; step {step}"
        assert_same(_of(ours[:4], others), _of(theirs[:4], others), where)
        _reset_ended(env, ours, ~others if step == 3 else None)
        _reset_ended(twin, theirs)


def _reset_ended(env: Any, said: Any, more: Any = None) -> None:
    """Reset what has ended, where that is the caller's work, and the rows ``more``."""
    rows = np.zeros(env.num_envs, np.bool_) if more is None else more.copy()
    if env.metadata["autoreset_mode"] is AutoresetMode.DISABLED:
        rows |= said[2] | said[3]
    if rows.any():
        mask = rows.copy()
        env.reset(options={"reset_mask": mask})
        check(bool((mask == rows).all()), "reset changes the reset_mask it was given")


def _of(said: Any, rows: Any) -> Any:
    """Return what a batch said of one row, or of those that a mask (B,) marks."""
    if isinstance(said, dict):
        return {name: _of(part, rows) for name, part in said.items()}
    if isinstance(said, tuple):
        return tuple(_of(part, rows) for part in said)
    return said[rows]


def check_fresh_arrays(native: NativeFactory, mode: AutoresetMode, *, seed: int = 3) -> None:
    """Check that nothing returned is written into by a later step."""
    env = native(4, mode)
    rng = np.random.default_rng(seed)
    said = [env.reset(seed=seed)]
    infos: Any = said[0][1]
    kept = [copy.deepcopy(said[0])]
    for _ in range(3):
        told: Any = env.step(random_actions(env, infos, rng, illegal_share=0.0))
        infos = told[4]
        said.append(told)
        kept.append(copy.deepcopy(told))
        _reset_ended(env, told)
    assert_same(said, kept, "what was returned, later: ")
