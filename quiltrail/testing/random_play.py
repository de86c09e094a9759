"""Random play for checks: mostly legal, sometimes anything, the same for the same generator."""

from __future__ import annotations

import hashlib
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

_ILLEGAL_SHARE = 0.05


def _mask_of(info: dict[str, Any], env: Any) -> NDArray[np.bool_] | None:
    """Return the legal actions an environment tells: in its info, by method, or not at all."""
    told: NDArray[np.bool_]
    if "action_mask" in info:
        told = np.asarray(info["action_mask"]) != 0
        return told
    if env.has_wrapper_attr("action_masks"):
        told = np.asarray(env.get_wrapper_attr("action_masks")()) != 0
        return told
    return None


def random_action(
    env: gym.Env[Any, Any],
    info: dict[str, Any],
    rng: np.random.Generator,
    illegal_share: float = _ILLEGAL_SHARE,
) -> Any:
    """Return a random legal action; now and then, or where there is no mask, any action."""
    space: Any = env.action_space
    mask = _mask_of(info, env)
    if mask is None or rng.random() < illegal_share:
        return int(space.start + rng.integers(space.n)) if hasattr(space, "n") else space.sample()
    return int(rng.choice(np.flatnonzero(mask)))


def random_actions(
    env: Any, infos: dict[str, Any], rng: np.random.Generator, illegal_share: float = _ILLEGAL_SHARE
) -> NDArray[np.int64]:
    """Return one action for each row of a vector environment with Discrete actions, likewise."""
    count = int(env.single_action_space.n)
    anything: NDArray[np.int64] = rng.integers(count, size=env.num_envs)
    masks = infos.get("action_mask")
    if masks is None:
        return anything
    masks = np.where(np.any(masks, axis=1, keepdims=True), masks, 1)  # rows not spoken of
    legal = (rng.random(masks.shape) * masks).argmax(axis=1)  # each legal one alike, no loop
    wild = rng.random(env.num_envs) < illegal_share
    chosen: NDArray[np.int64] = np.where(wild, anything, legal)
    return chosen


def play(
    env: gym.Env[Any, Any],
    info: dict[str, Any],
    steps: int,
    rng: np.random.Generator,
    illegal_share: float = _ILLEGAL_SHARE,
) -> list[Any]:
    """Return everything an environment says over some random steps, resets inside.

    ``info`` is what the environment told last.
    """
    said: list[Any] = []
    for _ in range(steps):
        said.append(env.step(random_action(env, info, rng, illegal_share)))
        info = said[-1][4]
        if said[-1][2] or said[-1][3]:
            said.append(env.reset())
            info = said[-1][1]
    return said


def trajectory_digest(env: gym.Env[Any, Any], seed: int = 17, steps: int = 120) -> str:
    """Return a hash of everything an environment says along seeded legal play.

    Equal digests in two processes mean equal games: compare them under other settings of Python,
    numba or the machine. The order of the keys of a dict does not count, types do.
    """
    rng = np.random.default_rng(seed)
    total = hashlib.sha256()
    first = env.reset(seed=seed)
    _take(total, [first, *play(env, first[1], steps, rng, illegal_share=0.0)])
    return total.hexdigest()


def _take(total: Any, value: Any) -> None:
    if isinstance(value, dict):
        for name in sorted(value):
            total.update(name.encode())
            _take(total, value[name])
    elif isinstance(value, (tuple, list)):
        for one in value:
            _take(total, one)
    elif isinstance(value, np.ndarray):
        total.update(f"{value.dtype}{value.shape}".encode() + value.tobytes())
    else:
        total.update(repr(value).encode())
