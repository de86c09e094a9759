"""Doors of the engines and environments: actions, states, settings, reset options."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from quiltrail.agents import RandomLegal
from quiltrail.envs import GameSpec
from tests.fuzz.harness import Door
from tests.fuzz.mutation import edited, pick, value

_RESTART_SHARE = 0.02
_ANYTHING_SHARE = 0.1
_MOST_GAMES = 64


def whole(engine: Any, row: int = 0) -> tuple[bytes, ...]:
    """Return everything an engine knows of a row."""
    arrays = (engine.state, engine.derived, engine.legal, engine.mask, engine.terminated)
    seen = (part[row].tobytes() for part in engine.observation.values())
    return (*(array[row].tobytes() for array in arrays), *seen)


class ActionDoor(Door):
    """JSON actions, submitted to a running game."""

    name = "JSON actions"

    def __init__(self, spec: GameSpec) -> None:
        self.engine = spec.make_engine(1)
        self._row = np.array([0])

    def draw(self, rng: np.random.Generator) -> Any:
        """Return a legal action edited, another action's fields, or anything."""
        engine = self.engine
        if engine.terminated[0] or rng.random() < _RESTART_SHARE:
            engine.reset(self._row, rng.integers(2**32, size=1, dtype=np.uint64))
        if rng.random() < _ANYTHING_SHARE:
            return value(rng)
        legal = engine.legal_indices(0)
        index = (
            pick(rng, legal) if legal and rng.random() < 0.7 else rng.integers(engine.num_actions)
        )
        action = engine.codec.decode(int(index))
        return action if rng.random() < 0.2 else edited(rng, action)

    def feed(self, given: Any) -> bool:
        """Submit; a refusal has a reason and raises nothing."""
        verdict = self.engine.submit(0, given)
        if not verdict.reason:
            raise AssertionError("a verdict without a reason")
        return verdict.accepted

    def snapshot(self) -> Any:
        """Return the whole game."""
        return whole(self.engine)


class StateDoor(Door):
    """States, set in a single environment; what is accepted has to play on."""

    name = "states"
    normal = 400

    def __init__(self, spec: GameSpec) -> None:
        self.env: Any = gym.make(spec.id).unwrapped
        self.env.reset(seed=0)
        self._seeds = self._played(spec)
        self._player = RandomLegal(1)

    def _played(self, spec: GameSpec) -> list[dict[str, Any]]:
        engine = spec.make_engine(16)
        engine.reset(np.arange(16), np.arange(16, dtype=np.uint64))
        player = RandomLegal(7)
        states = []
        for _ in range(24):
            states += [engine.get_state(row) for row in range(16)]
            engine.step(player.act(engine))
        return states

    def draw(self, rng: np.random.Generator) -> Any:
        """Return a state of a game edited, whole or field by field."""
        if rng.random() < 0.02:
            return value(rng)
        state = pick(rng, self._seeds)
        if rng.random() < 0.3:
            state = {**state, "stream": [int(rng.integers(2**32)), 1], "elapsed": 3}
        if rng.random() < 0.3:  # fields of another position
            other = pick(rng, self._seeds)
            name = pick(rng, list(other))
            return {**state, name: other[name]}
        return edited(rng, state)

    def feed(self, given: Any) -> bool:
        """Set the state, read it back, play three steps."""
        env = self.env
        env.set_state(given)
        back = env.get_state()
        for name, got in given.items():
            if back[name] != got and list(back[name]) != list(got):
                raise AssertionError(f"{name} was set to {got!r} and reads {back[name]!r}")
        for _ in range(3):
            env.engine.step(self._player.act(env.engine))
        return True

    def snapshot(self) -> Any:
        """Return the whole game, its stream and steps."""
        return whole(self.env.engine), self.env.get_state()


class SettingsDoor(Door):
    """The keyword arguments of an engine."""

    name = "settings"
    normal = 150

    _NAMES = (
        "opponent", "seat", "reward", "revive", "one_board", "split", "start_level", "num_levels",
        "n", "pennants", "par", "patches", "difficulty", "width", "height", "flavour", "cut_outs",
    )  # fmt: skip

    def __init__(self, spec: GameSpec) -> None:
        self._spec = spec
        self._settings = dict(spec.make_engine(1).settings)

    def draw(self, rng: np.random.Generator) -> Any:
        """Return the number of games, and settings."""
        settings = edited(rng, self._settings)
        if not isinstance(settings, dict) or rng.random() < 0.2:
            settings = {pick(rng, self._NAMES): value(rng)}
        games = 1 if rng.random() < 0.8 else value(rng)
        if type(games) is int and games > _MOST_GAMES:
            games = 1  # a batch may be as large as its maker wants
        return games, {name: part for name, part in settings.items() if name.isidentifier()}

    def feed(self, given: Any) -> bool:
        """Make the engine and play a step."""
        games, settings = given
        engine = self._spec.make_engine(games, **settings)
        engine.step(RandomLegal(0).act(engine))
        return True


class OptionsDoor(Door):
    """Seeds and options of ``reset``, single and native batch."""

    name = "reset options"
    normal = 1_500

    _NAMES = ("game_seed", "state", "board", "quilt", "sewn", "level", "reset_mask", "x")

    def __init__(self, spec: GameSpec) -> None:
        self.env: Any = gym.make(spec.id).unwrapped
        self.batch: Any = gym.make_vec(spec.id, num_envs=2).unwrapped
        self.env.reset(seed=0)
        self.batch.reset(seed=0)
        self._state = self.env.get_state()

    def draw(self, rng: np.random.Generator) -> Any:
        """Return which environment, a seed, and options."""
        names = [pick(rng, self._NAMES) for _ in range(int(rng.integers(3)))]
        options = {name: self._option(rng, name) for name in names}
        seed = None if rng.random() < 0.5 else value(rng)
        return bool(rng.integers(2)), seed, options

    def _option(self, rng: np.random.Generator, name: str) -> Any:
        if name == "state" and rng.random() < 0.8:
            return edited(rng, self._state)
        if name == "reset_mask":
            return rng.random(int(rng.integers(1, 4))) < 0.5
        return int(rng.integers(1, 50)) if rng.random() < 0.5 else value(rng)

    def feed(self, given: Any) -> bool:
        """Reset."""
        is_batch, seed, options = given
        (self.batch if is_batch else self.env).reset(seed=seed, options=options)
        return True

    def snapshot(self) -> Any:
        """Return both environments' games and streams."""
        rows = [self.batch.get_state(row) for row in range(2)]
        return whole(self.env.engine), self.env.get_state(), rows


__all__ = ["ActionDoor", "OptionsDoor", "SettingsDoor", "StateDoor"]
