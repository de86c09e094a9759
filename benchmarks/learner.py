"""Frames a CPU second of MaskablePPO: stock over DummyVecEnv, stock over our batch, and ours.

All three learn with equal hyperparameters, in two settings: those of SB3 (8 environments,
minibatches of 64, 10 epochs) and those of a wide batch (64 environments, minibatches of 1,024,
4 epochs). ``n_steps`` is short, so that a round is; it changes nothing about the work a frame
takes. Variants take turns, so that drifts of the machine meet all of them; the best round counts.
CPU seconds of one thread.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from quiltrail.train.lean_ppo import LeanMaskablePPO
from quiltrail.train.vec_env import EngineVecEnv

_GAMES = ("Sunpleat", "Patchwork", "Tinrail", "Patchrook")
_SETTINGS: dict[str, tuple[int, dict[str, Any]]] = {
    "SB3's defaults": (8, {"n_steps": 256}),
    "wide batch": (
        64,
        {
            "n_steps": 32,
            "batch_size": 1024,
            "n_epochs": 4,
            "policy_kwargs": {"net_arch": [128, 128]},
        },
    ),
}
_PHASES = ("environment", "masks", "policy", "update", "rest")


class _Stopwatch:
    """Adds up the CPU seconds of a model's phases."""

    def __init__(self, model: Any) -> None:
        self.seconds = dict.fromkeys(_PHASES, 0.0)
        env = model.env
        self._watch(env, "step", "environment")
        self._watch(env, "env_method", "masks")
        self._watch(model.policy, "forward", "policy")
        self._watch(model, "train", "update")

    def _watch(self, owner: Any, name: str, phase: str) -> None:
        method: Callable[..., Any] = getattr(owner, name)

        def timed(*arguments: Any, **more: Any) -> Any:
            start = time.process_time()
            result = method(*arguments, **more)
            self.seconds[phase] += time.process_time() - start
            return result

        setattr(owner, name, timed)


def _dummy(game: str, count: int) -> VecEnv:
    return DummyVecEnv([lambda: gym.make(f"quiltrail/{game}-v0") for _ in range(count)])


def _native(game: str, count: int) -> VecEnv:
    return EngineVecEnv(f"quiltrail/{game}-v0", count)


_VARIANTS: dict[str, tuple[type[MaskablePPO], Callable[[str, int], VecEnv]]] = {
    "stock, DummyVecEnv": (MaskablePPO, _dummy),
    "stock, native batch": (MaskablePPO, _native),
    "lean, native batch": (LeanMaskablePPO, _native),
}


def _measure(game: str, setting: str, rounds: int) -> dict[str, tuple[float, dict[str, float]]]:
    """Return for each variant its frames a CPU second, and the shares of its phases."""
    count, arguments = _SETTINGS[setting]
    models, watches, best = {}, {}, dict.fromkeys(_VARIANTS, 0.0)
    for name, (algorithm, make_env) in _VARIANTS.items():
        env = make_env(game, count)
        model = algorithm("MultiInputPolicy", env, seed=0, device="cpu", **arguments)
        model.learn(count * arguments["n_steps"])  # compiles and warms up
        models[name], watches[name] = model, _Stopwatch(model)
    frames = count * arguments["n_steps"]
    spent = dict.fromkeys(_VARIANTS, 0.0)
    for _ in range(rounds):
        for name, model in models.items():
            start = time.process_time()
            model.learn(frames, reset_num_timesteps=False)
            seconds = time.process_time() - start
            spent[name] += seconds
            best[name] = max(best[name], frames / seconds)
    for name, watch in watches.items():
        watch.seconds["rest"] = spent[name] - sum(watch.seconds.values())
    return {
        name: (best[name], {phase: part / spent[name] for phase, part in watch.seconds.items()})
        for name, watch in watches.items()
    }


def main() -> None:
    """Print a table of frames a CPU second, and where they go."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", nargs="+", default=_GAMES, choices=_GAMES)
    parser.add_argument("--settings", nargs="+", default=list(_SETTINGS), choices=_SETTINGS)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    print("| game | setting | variant | frames/s | ratio |", " | ".join(_PHASES), "|")
    print("|---|---|---|---|---|" + "---|" * len(_PHASES))
    for setting in options.settings:
        for game in options.games:
            results = _measure(game, setting, options.rounds)
            (first, _), *_ = results.values()
            for name, (speed, shares) in results.items():
                parts = " | ".join(f"{share:.0%}" for share in shares.values())
                row = f"| {game} | {setting} | {name} | {speed:,.0f} | {speed / first:.1f} |"
                print(row, parts, "|", flush=True)


if __name__ == "__main__":
    main()
