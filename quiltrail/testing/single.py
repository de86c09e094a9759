"""Checks of one environment: masks, determinism, snapshots."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np

from quiltrail.testing.random_play import play, random_action
from quiltrail.testing.same import arrays_in, assert_same, check

Env = gym.Env[Any, Any]

_BUFFERS = 60  # arrays of a trajectory that are compared pair by pair


def check_masks(env: Env, *, steps: int = 300, seed: int = 5) -> None:
    """Check that masks are right wherever an environment tells them, along random play.

    ``info["action_mask"]`` is int8 of zeros and ones, at reset too, never without an action while
    the game goes on; it equals ``action_masks()``, which equals the list of ``legal_actions()``
    where there are such methods; legal actions are accepted; illegal ones, where infos tell a
    ``refusal``, are refused and change neither mask nor observation. A mask once handed out
    never changes.

    Raises:
        CheckFailedError: a sentence that says which of this does not hold, and at which step.
    """
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    kept: list[tuple[Any, Any]] = []
    for step in range(steps):
        _check_told(env, info, f"step {step}")
        kept.append((info["action_mask"], info["action_mask"].copy()))
        observation, info = _check_illegal(env, observation, info, rng, f"step {step}")
        if info is None:
            observation, info = env.reset()
            continue
        action = random_action(env, info, rng, illegal_share=0.0)
        observation, _, terminated, truncated, info = env.step(action)
        check(info.get("refusal", 0) == 0, f"step {step}: legal action {action} was refused")
        if terminated:
            check(not _listed(env), f"step {step}: legal actions are listed after the end")
        if terminated or truncated:
            observation, info = env.reset()
    for at, (mask, before) in enumerate(kept):
        assert_same(mask, before, f"mask handed out at step {at}, at the end")


def _check_told(env: Env, info: dict[str, Any], where: str) -> None:
    space: Any = env.action_space
    mask = info["action_mask"]
    check(
        isinstance(mask, np.ndarray) and (mask.dtype, mask.shape) == (np.int8, (space.n,)),
        f"{where}: info['action_mask'] is int8 ({space.n},), got {mask!r}",
    )
    check(bool(np.isin(mask, (0, 1)).all()), f"{where}: the mask holds zeros and ones")
    check(bool(mask.any()), f"{where}: the mask is empty while the game goes on")
    if env.has_wrapper_attr("action_masks"):
        told = env.get_wrapper_attr("action_masks")()
        check(told.dtype == np.bool_, f"{where}: action_masks() is bool, got {told.dtype}")
        assert_same(told, mask != 0, f"{where}: action_masks() and info")
    listed = _listed(env)
    if listed is not None:
        base: Any = env.unwrapped
        assert_same(listed, sorted(listed), f"{where}: the legal list is ascending")
        own = np.flatnonzero(base.action_masks()).tolist()
        assert_same(listed, own, f"{where}: legal list and unwrapped.action_masks()")


def _listed(env: Env) -> list[int] | None:
    """Return the legal list as flat actions, None where there is no list."""
    base: Any = env.unwrapped
    if not hasattr(base, "legal_actions") or not hasattr(base, "codec"):
        return None
    return [base.codec.encode(action) for action in base.legal_actions()]


def _check_illegal(
    env: Env, observation: Any, info: dict[str, Any], rng: np.random.Generator, where: str
) -> tuple[Any, Any]:
    """Play an illegal action; return what is seen after it, (None, None) if the episode is over."""
    mask = info["action_mask"]
    illegal = np.flatnonzero(mask == 0)
    if not len(illegal) or "refusal" not in info:
        return observation, info
    action = int(rng.choice(illegal))
    again, _, terminated, truncated, after = env.step(action)
    if after["refusal"]:  # a wrapper may hide actions that the game still takes
        assert_same(again, observation, f"{where}: observation after illegal action {action}")
        assert_same(after["action_mask"], mask, f"{where}: mask after illegal action {action}")
    over = terminated or truncated
    return (None, None) if over else (again, after)


def check_determinism(env: Env, *, steps: int = 500, seed: int = 7) -> None:
    """Check that seed and actions decide everything, resets without a seed included.

    Two runs from the same seed, 0 among them, say the same in every detail over ``steps`` steps
    and the resets between them; next games differ from each other where infos tell a
    ``game_seed``; what was returned is never written into again, and shares no memory.

    Raises:
        CheckFailedError: a sentence that names the first place that differs.
    """
    for one in (seed, 0):
        first, second = (_run(env, one, steps, np.random.default_rng(one)) for _ in range(2))
        check(len(first) > steps, f"seed {one}: {len(first) - 1} steps were made, not {steps}")
        assert_same(first, second, f"two runs of seed {one}: ")
    said = [env.reset(seed=seed)] + [env.reset() for _ in range(3)]
    if "game_seed" in said[0][1]:
        games = [info["game_seed"] for _, info in said]
        check(len(set(games)) == len(games), f"resets without a seed repeat a game: {games}")
    _check_fresh(env, seed)


def _run(env: Env, seed: int, steps: int, rng: np.random.Generator) -> list[Any]:
    first = env.reset(seed=seed)
    return [first, *play(env, first[1], steps, rng)]


def _check_fresh(env: Env, seed: int) -> None:
    rng = np.random.default_rng(seed)
    said = _run(env, seed, 50, rng)
    kept = copy.deepcopy(said)
    play(env, said[-1][-1], 20, rng)
    assert_same(said, kept, "what was returned, later: ")
    arrays = arrays_in(said)[:_BUFFERS]
    for at, one in enumerate(arrays):
        shared = any(np.shares_memory(one, other) for other in arrays[at + 1 :])
        check(not shared, f"array {at} of {one.shape} shares memory with a later one")


def check_snapshots(env: Env, *, steps: int = 200, seed: int = 21) -> None:
    """Check that every copy of a running game goes on exactly as the game itself.

    Copies by pickle and deepcopy, after a picture was drawn where there is a render mode; and,
    where the environment has ``get_state`` and ``set_state``, by a state that went through JSON
    text, into a copy that plays another game.

    Raises:
        CheckFailedError: a sentence that names the copy and the first place that differs.
    """
    said = _run(env, seed, 25, np.random.default_rng(4))
    if env.render_mode is not None:
        env.render()
    info = said[-1][-1]
    for name, game, clone in _clones(env):
        original, twin = copy.deepcopy(game), clone()
        told = play(original, info, steps, np.random.default_rng(6))
        again = play(twin, info, steps, np.random.default_rng(6))
        assert_same(told, again, f"game and its copy by {name}: ")


def _clones(env: Env) -> Iterator[tuple[str, Env, Callable[[], Env]]]:
    """Yield ways to copy, what is copied, and a function that does it."""
    yield "pickle", env, lambda: pickle.loads(pickle.dumps(env))
    yield "deepcopy", env, lambda: copy.deepcopy(env)
    game = env.unwrapped  # what wrappers know, such as a time limit, is no part of its state
    if hasattr(game, "get_state"):
        yield "set_state", game, lambda: _restored(game)


def _restored(game: Any) -> Any:
    twin = copy.deepcopy(game)
    twin.reset(seed=99)
    twin.set_state(json.loads(json.dumps(game.get_state())))
    check(twin.get_state() == game.get_state(), "set_state changes the state it was given")
    return twin
