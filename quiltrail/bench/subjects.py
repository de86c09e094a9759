"""What is timed: every environment id, the batch for self-play and the turn-based environments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import gymnasium as gym

from quiltrail.agents.base import Agent
from quiltrail.agents.random_legal import RandomLegal
from quiltrail.bench.clock import Effort, Play, Stopwatch
from quiltrail.core.engine import Engine
from quiltrail.core.errors import unknown_name
from quiltrail.core.extras import object_at
from quiltrail.core.legality import WORD_BITS, word_count
from quiltrail.envs import AEC_ENVS, GAMES
from quiltrail.envs.vector import GameVectorEnv
from quiltrail.train.vec_env import EngineVecEnv

#: Which door of a game is timed. "vector" hands out fresh arrays (the default) and
#: "vector, live" the engine's own (``copy=False``).
Face = Literal["single", "vector", "vector, live", "SB3", "AEC", "AEC, raw"]

#: Vector environments without an id: name -> "module:class".
_SELF_PLAY = {"Tinrail self-play": "quiltrail.envs.tinrail.selfplay:TinrailSelfPlayVectorEnv"}
_IDS = {spec.name: spec.id for spec in GAMES}
_AEC = {f"{aec_id.rpartition('/')[2]} (AEC)": path for aec_id, path in AEC_ENVS.items()}
SUBJECTS: tuple[str, ...] = (*_IDS, *_SELF_PLAY, *_AEC)

_BATCH_WARM_UP = 20
_SINGLE_STEPS = 4000
_MATCHES = 300
_ENDING_TYPES = ("bank", "finish")


@dataclass(frozen=True)
class Layout:
    """Bytes of a row: what a step hands out, and the state behind it."""

    observation: int
    mask: int
    state: int

    @classmethod
    def of(cls, engine: Engine) -> Layout:
        """Return the layout of an engine's rows."""
        seen = sum(one.num_bytes for one in engine.fields)
        legal = word_count(engine.num_actions) * WORD_BITS // 8
        return cls(seen, engine.num_actions, engine.state.dtype.itemsize + legal)


@dataclass(frozen=True)
class Case:
    """One row of the benchmark: a subject through one of its faces.

    Attributes:
        subject: one of `SUBJECTS`.
        face: how it is stepped.
        num_envs: B.
        threads: that share a step.
    """

    subject: str
    face: Face
    num_envs: int = 1
    threads: int = 1

    @property
    def warm_up(self) -> int:
        """Calls of the play that go before the measurement."""
        return _BATCH_WARM_UP if self.face in ("vector", "vector, live", "SB3") else 1

    def play(self) -> Play:
        """Make the environment and return what is to be timed."""
        return _PLAYS[self.face](self)

    def effort(self, seconds: float, repeats: int) -> Effort:
        """Return how long to measure it."""
        return Effort(seconds, repeats, self.warm_up)


def cases_of(subject: str, batches: Iterable[int], threads: Iterable[int]) -> list[Case]:
    """Return all cases of a subject, its batches from small to large."""
    if subject in _AEC:
        return [Case(subject, "AEC"), Case(subject, "AEC, raw")]
    found = [] if subject in _SELF_PLAY else [Case(subject, "single")]
    for num_envs in sorted(batches):
        found += [Case(subject, "vector, live", num_envs, count) for count in sorted(threads)]
        found.append(Case(subject, "vector", num_envs))
        if subject not in _SELF_PLAY:
            found.append(Case(subject, "SB3", num_envs))
    return found


def find_subject(name: str) -> str:
    """Return a subject by its name in any case, or by its environment id.

    Raises:
        UnknownNameError: if there is none; it lists them.
    """
    for subject in SUBJECTS:
        if name.lower() == subject.lower() or name == _IDS.get(subject):
            return subject
    raise unknown_name("subject", name, SUBJECTS)


def layout_of(subject: str) -> Layout:
    """Return the bytes of a row; of turn-based environments, of the agent that is to move."""
    if subject in _AEC:
        return Layout.of(object_at(_AEC[subject])().unwrapped.engine)
    return Layout.of(_make_batch(Case(subject, "vector")).engine)


def never_banks(engine: Engine) -> RandomLegal:
    """Return a uniform legal player that ends no run of its own will, so that games grow long."""
    kinds = [engine.codec.decode(action)["type"] for action in range(engine.num_actions)]
    return RandomLegal(forbid=tuple(a for a, kind in enumerate(kinds) if kind in _ENDING_TYPES))


def _make_batch(case: Case) -> Any:
    settings: dict[str, Any] = {"copy": case.face == "vector"}
    if case.threads > 1:
        settings["threads"] = case.threads
    if case.subject in _SELF_PLAY:
        return object_at(_SELF_PLAY[case.subject])(case.num_envs, **settings)
    return gym.make_vec(_IDS[case.subject], num_envs=case.num_envs, **settings).unwrapped


def _batch_play(case: Case) -> Play:
    env = _make_batch(case)
    return batch_play(env, never_banks(env.engine))


def batch_play(env: GameVectorEnv, player: Agent) -> Play:
    """Return a play that steps a native batch; steps that only reset a row are not counted."""
    env.reset(seed=0)

    def play(watch: Stopwatch) -> int:
        actions = player.act(env.engine)
        counted = env.num_envs - int(env.ended_episodes().sum())
        with watch:
            env.step(actions)
        return counted

    return play


def _sb3_play(case: Case) -> Play:
    """Step SB3's batch and ask for its masks, as MaskablePPO does."""
    env = EngineVecEnv(_IDS[case.subject], case.num_envs)
    env.seed(0)
    env.reset()
    player = never_banks(env.engine)

    def play(watch: Stopwatch) -> int:
        actions = player.act(env.engine)
        with watch:
            env.step(actions)
            env.action_masks()
        return case.num_envs

    return play


def _single_play(case: Case) -> Play:
    """Replay recorded actions in one environment of gym.make, resets included."""
    env: Any = gym.make(_IDS[case.subject])
    player = never_banks(env.unwrapped.engine)
    recorded: list[int] = []

    def episodes(next_action: Callable[[int], int]) -> None:
        env.reset(seed=0)
        for number in range(_SINGLE_STEPS):
            _, _, terminated, truncated, _ = env.step(next_action(number))
            if terminated or truncated:
                env.reset()

    def choose(_: int) -> int:
        recorded.append(int(player.act(env.unwrapped.engine)[0]))
        return recorded[-1]

    episodes(choose)

    def play(watch: Stopwatch) -> int:
        with watch:
            episodes(recorded.__getitem__)
        return _SINGLE_STEPS

    return play


def _aec_play(case: Case) -> Play:
    """Replay recorded matches in PettingZoo's own loop, ``last()`` and ``step()`` of each turn."""
    module = _AEC[case.subject].partition(":")[0]
    name = "raw_env" if case.face == "AEC, raw" else "env"
    env: Any = object_at(f"{module}:{name}")()
    player = RandomLegal()
    recorded = [_record_match(env, player, seed) for seed in range(_MATCHES)]

    def play(watch: Stopwatch) -> int:
        with watch:
            for seed, actions in enumerate(recorded):
                _replay_match(env, seed, actions)
        return sum(map(len, recorded))

    return play


def _record_match(env: Any, player: RandomLegal, seed: int) -> list[int]:
    env.reset(seed=seed)
    actions = []
    while not any(env.terminations.values()):
        actions.append(int(player.act(env.unwrapped.engine)[0]))
        env.step(actions[-1])
    return actions


def _replay_match(env: Any, seed: int, actions: list[int]) -> None:
    env.reset(seed=seed)
    turns = iter(actions)
    for _ in env.agent_iter():
        _, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else next(turns))


_PLAYS: dict[str, Callable[[Case], Play]] = {
    "single": _single_play,
    "vector": _batch_play,
    "vector, live": _batch_play,
    "SB3": _sb3_play,
    "AEC": _aec_play,
    "AEC, raw": _aec_play,
}
