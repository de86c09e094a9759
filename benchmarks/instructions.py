"""A fixed script whose instructions `benchmarks.against` counts; it prints the names of its parts.

It plays recorded actions: every id's native batch and its single environment, and turn-based
matches. Each part is played once to compile and record, then once between two marks, which
valgrind's callgrind knows by the C function that they call. It imports only what any revision has.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym

from quiltrail.agents.random_legal import RandomLegal
from quiltrail.envs import GAMES, tinrail_v0

#: The C library's function that marks the begin and the end of a part; Python calls it by `_mark`.
MARKER = "getppid"
_mark = os.getppid

_NUM_ENVS = 512
_BATCH_STEPS = 30
_SINGLE_STEPS = 300
_MATCHES = 20

#: Plays the part and returns its number of steps.
Part = Callable[[], int]


def _batch_part(env_id: str) -> Part:
    """Return a part that plays a native batch with live buffers, resets of ended rows included."""
    env: Any = gym.make_vec(env_id, num_envs=_NUM_ENVS, copy=False).unwrapped
    player = RandomLegal()
    env.reset(seed=0)
    recorded = []
    for _ in range(_BATCH_STEPS):
        recorded.append(player.act(env.engine))
        env.step(recorded[-1])

    def part() -> int:
        env.reset(seed=0)
        for actions in recorded:
            env.step(actions)
        return _NUM_ENVS * _BATCH_STEPS

    return part


def _single_part(env_id: str) -> Part:
    """Return a part that plays one environment of gym.make, resets included."""
    env: Any = gym.make(env_id)
    player = RandomLegal()
    recorded: list[int] = []

    def play(choose: Callable[[int], int]) -> int:
        env.reset(seed=0)
        for number in range(_SINGLE_STEPS):
            _, _, terminated, truncated, _ = env.step(choose(number))
            if terminated or truncated:
                env.reset()
        return _SINGLE_STEPS

    def record(_: int) -> int:
        recorded.append(int(player.act(env.unwrapped.engine)[0]))
        return recorded[-1]

    play(record)
    return lambda: play(recorded.__getitem__)


def _aec_part() -> Part:
    """Return a part that plays turn-based matches, each by the first legal action."""
    env: Any = tinrail_v0.env()

    def part() -> int:
        steps = 0
        for seed in range(_MATCHES):
            env.reset(seed=seed)
            for _ in env.agent_iter():
                observation, _, terminated, truncated, _ = env.last()
                over = terminated or truncated
                env.step(None if over else int(observation["action_mask"].argmax()))
                steps += not over
        return steps

    part()
    return part


def _parts() -> Iterator[tuple[str, Part]]:
    """Yield the parts by name."""
    for spec in GAMES:
        yield f"{spec.name}, batch", _batch_part(spec.id)
        yield f"{spec.name}, single", _single_part(spec.id)
    yield "Tinrail, AEC", _aec_part()


def main() -> None:
    """Play every part between two marks; print the numbers of steps by name as JSON."""
    steps = {}
    for name, part in _parts():
        part()
        _mark()
        steps[name] = part()
        _mark()
    print(json.dumps(steps))


if __name__ == "__main__":
    main()
