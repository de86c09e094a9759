"""Golden replays: what every id says along one seeded game, as text that a person can read.

After a change of a game that is meant (and has a new version in its id), look at the difference and
keep it:

    python -m tests.conformance.golden [NAME ...]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pettingzoo

import quiltrail
from quiltrail.envs import AEC_ENVS, GAMES

FOLDER = Path(__file__).resolve().parents[1] / "golden"
SEED = 7
STEPS = 24
ILLEGAL_EVERY = 8
ENDINGS = ("bank", "restart", "finish")
COMMAND = "python -m tests.conformance.golden"


def replays() -> dict[str, Callable[[], Iterator[str]]]:
    """Return the replay of every registered id, by the name of its file."""
    single = {spec.short_name: lambda spec=spec: single_lines(spec.id) for spec in GAMES}
    aec = {f"{aec_id.split('/')[1]}_aec": lambda one=aec_id: aec_lines(one) for aec_id in AEC_ENVS}
    return {**single, **aec}


def path_of(name: str) -> Path:
    """Return where a replay is kept."""
    return FOLDER / f"{name}.txt"


def difference(kept: str, now: str) -> str:
    """Return the first line that differs, "" if none does."""
    old, new = kept.splitlines(), now.splitlines()
    for at in range(max(len(old), len(new))):
        before = old[at] if at < len(old) else "<end of file>"
        after = new[at] if at < len(new) else "<end of replay>"
        if before != after:
            return f"line {at + 1}\n  kept: {before}\n  now:  {after}"
    return ""


def single_lines(env_id: str) -> Iterator[str]:
    """Yield the lines of a single environment's replay."""
    env = gym.make(env_id)
    rng = np.random.default_rng(SEED)
    observation, info = env.reset(seed=SEED)
    yield f"id: {env_id}"
    yield f"seed: {SEED}"
    shown: dict[str, str] = {}
    for step in range(STEPS):
        yield f"\n# {step}"
        yield from _position_lines(env, observation, info, shown)
        action = _choose(env, step, rng)
        yield f"action: {action} {json.dumps(env.unwrapped.codec.decode(action))}"
        observation, reward, terminated, truncated, info = env.step(action)
        yield f"reward: {reward}  terminated: {terminated}  truncated: {truncated}"
        if terminated or truncated:
            break
    yield "\n# end"
    yield from _position_lines(env, observation, info, shown)
    yield f"state: {json.dumps(env.unwrapped.get_state(), sort_keys=True)}"


def _position_lines(env: Any, observation: Any, info: Any, shown: dict[str, str]) -> Iterator[str]:
    view = {name: json.dumps(value) for name, value in env.unwrapped.view().items()}
    del view["legalActions"]  # the line "legal" says it
    yield from _changed(view, shown)
    told = {name: value for name, value in info.items() if name != "action_mask"}
    yield f"info: {json.dumps(told, sort_keys=True)}"
    yield f"legal: {_indices(info['action_mask'])}"
    fields = {f"observation {name}": _digits(values) for name, values in observation.items()}
    yield from _changed(fields, shown)


def _changed(fields: dict[str, str], shown: dict[str, str]) -> Iterator[str]:
    """Yield the fields that are not as they were last shown."""
    for name in sorted(fields):
        if shown.get(name) != fields[name]:
            shown[name] = fields[name]
            yield f"{name}: {fields[name]}"


def _digits(values: np.ndarray) -> str:
    rows = values.reshape(-1, values.shape[-1]).tolist()
    return " ".join("".join("-" if one == -1 else f"{one}" for one in row) for row in rows)


def _indices(mask: np.ndarray) -> str:
    """Return the ones of a mask as ranges: 0-3 7 9-10."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask, [0]])))
    spans = [(first, last - 1) for first, last in edges.reshape(-1, 2).tolist()]
    return " ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in spans)


def _choose(env: Any, step: int, rng: np.random.Generator) -> int:
    """Return a random legal action that ends nothing, now and then an illegal one."""
    game = env.unwrapped
    legal = game.action_masks()
    illegal = np.flatnonzero(~legal)
    if step % ILLEGAL_EVERY == ILLEGAL_EVERY - 1 and len(illegal):
        return int(rng.choice(illegal))
    allowed = np.flatnonzero(legal)
    going_on = [one for one in allowed if game.codec.decode(one)["type"] not in ENDINGS]
    return int(rng.choice(going_on or allowed))


def aec_lines(aec_id: str) -> Iterator[str]:
    """Yield the lines of a turn-based environment's replay, to the removal of all agents."""
    env = pettingzoo.make("aec", aec_id)
    rng = np.random.default_rng(SEED)
    env.reset(seed=SEED)
    yield f"id: {aec_id}"
    yield f"seed: {SEED}"
    ply = 0
    while env.agents:
        observation, reward, terminated, truncated, info = env.last()
        over = terminated or truncated
        mask = observation["action_mask"]
        action = None if over else int(rng.choice(np.flatnonzero(mask)))
        yield f"\n# {ply} {env.agent_selection}"
        yield f"view: {json.dumps(env.unwrapped.view(), sort_keys=True)}"
        yield f"observation: {_digits(observation['observation'])}"
        yield f"legal: {_indices(mask)}"
        yield f"return: {reward}  terminated: {terminated}  truncated: {truncated}"
        yield f"info: {json.dumps(info, sort_keys=True)}"
        yield f"action: {action}"
        env.step(action)
        ply += 1


def main() -> None:
    """Write the replays of the named games, or of all."""
    assert quiltrail.__version__
    wanted = set(sys.argv[1:])
    FOLDER.mkdir(exist_ok=True)
    for name, lines in replays().items():
        if not wanted or name in wanted:
            path_of(name).write_text("\n".join(lines()) + "\n", encoding="utf-8")
            print(path_of(name))


if __name__ == "__main__":
    main()
