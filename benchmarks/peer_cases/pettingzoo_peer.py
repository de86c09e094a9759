"""PettingZoo's classic board games, in its own loop: ``last()`` and ``step()`` of each turn."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

from clock import Play, Stopwatch
from reporting import PeerCase, report

#: Environment -> recorded matches, fewer where they are long.
_MATCHES = {"connect_four_v3": 40, "chess_v6": 1}
_MOST_TURNS = 200


def _loop(name: str, face: str) -> Play:
    """Return a play that replays random legal matches."""
    module = import_module(f"pettingzoo.classic.{name}")
    env: Any = (module.env if face == "AEC" else module.raw_env)()
    recorded = [_record(env, seed) for seed in range(_MATCHES[name])]

    def play(watch: Stopwatch) -> int:
        with watch:
            for seed, actions in enumerate(recorded):
                env.reset(seed=seed)
                for action in actions:
                    env.last()
                    env.step(action)
        return sum(map(len, recorded))

    return play


def _record(env: Any, seed: int) -> list[int]:
    env.reset(seed=seed)
    chance = random.Random(seed)
    actions: list[int] = []
    while len(actions) < _MOST_TURNS and not any(env.terminations.values()):
        legal = env.observe(env.agent_selection)["action_mask"].nonzero()[0].tolist()
        actions.append(chance.choice(legal))
        env.step(actions[-1])
    return actions


if __name__ == "__main__":
    report(
        PeerCase(name, face, 1, True, lambda name=name, face=face: _loop(name, face))
        for name in _MATCHES
        for face in ("AEC", "AEC, raw")
    )
