"""PufferLib's native environments, which show no masks."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from clock import Play
from reporting import PeerCase, report, sampled_play

#: Environment -> "module:class".
_ENVS = {
    "tetris": "pufferlib.ocean.tetris.tetris:Tetris",
    "connect4": "pufferlib.ocean.connect4.connect4:Connect4",
}


def _batch(name: str, num_envs: int) -> Play:
    """Return a play of random actions."""
    module, _, kind = _ENVS[name].partition(":")
    envs: Any = getattr(import_module(module), kind)(num_envs=num_envs)
    envs.reset(seed=0)

    def sample() -> list[Any]:
        return [envs.single_action_space.sample() for _ in range(num_envs)]

    return sampled_play(envs.step, sample, num_envs)


if __name__ == "__main__":
    report(
        PeerCase(name, "vector", size, False, lambda name=name, size=size: _batch(name, size))
        for name in _ENVS
        for size in (1, 1024, 4096)
    )
