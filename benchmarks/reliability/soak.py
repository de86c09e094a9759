"""Play long in the batch engines with invariants on, and sample memory.

    python -m benchmarks.reliability.soak [--steps 100000000] [--games NAME ..] [--num-envs 4096]

Every id's native batch is stepped with uniform legal play that seldom banks and, in one row of a
hundred, any flat action at all, inside the space or not. Checked in all rows: at every step that
the rewards of an episode sum to its score and that no reward comes with a refusal; at every
``--every``-th step the identities of `invariants` and the masks, and one row's whole state with
the check that saved states pass. A failed identity is counted, printed, and makes the exit code 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from benchmarks.reliability.invariants import CHECKS, check_mask
from benchmarks.reliability.memory import MemorySamples
from benchmarks.reliability.results import add_to_part
from quiltrail.bench.subjects import never_banks
from quiltrail.core.engine import Engine
from quiltrail.core.errors import StateError
from quiltrail.envs import GAMES, GameSpec, find_game

_WILD_SHARE = 0.01
_BANK_SHARE = 0.002


class Soak:
    """One batch under way.

    Args:
        spec: the environment id.
        num_envs: B.
        every: batch steps from one full check to the next.
    """

    def __init__(self, spec: GameSpec, num_envs: int, every: int) -> None:
        env: Any = gym.make_vec(spec.id, num_envs=num_envs, copy=False)
        env.reset(seed=0)
        self.env = env
        self.engine: Engine = env.unwrapped.engine
        self.every = every
        self.batch_steps = 0
        self.episodes = 0
        self.full_checks = 0
        self.faults: Counter[str] = Counter()
        self._rng = np.random.default_rng(0)
        self._player = never_banks(self.engine)
        self._check = CHECKS.get(spec.folder)
        self._sums = np.zeros(num_envs)
        self._ended = np.zeros(num_envs, np.bool_)

    def step(self) -> None:
        """Play one step in every row and check it."""
        is_full = self.batch_steps % self.every == 0
        before = self.engine.state.copy() if is_full else None
        actions = self._actions()
        played = ~self._ended
        _, reward, terminated, truncated, infos = self.env.step(actions)
        self._sums = np.where(played, self._sums + reward, 0.0)
        self._count("score_is_the_sum_of_rewards", self._sums != infos["score"])
        self._count("refusals_pay_nothing", (infos["refusal"] != 0) & (reward != 0))
        if before is not None:
            self._check_fully(before, actions, np.flatnonzero(played))
        self._ended = terminated | truncated
        self.episodes += int(self._ended.sum())
        self.batch_steps += 1

    def _actions(self) -> NDArray[np.int64]:
        actions = self._player.act(self.engine)
        count = self.engine.num_actions
        wild = self._rng.random(len(actions)) < _WILD_SHARE
        actions[wild] = self._rng.integers(-3, count + 3, int(wild.sum()))
        banking = self._rng.random(len(actions)) < _BANK_SHARE
        actions[banking] = count - 1
        return actions

    def _check_fully(
        self, before: NDArray[np.void], actions: NDArray[np.int64], played: NDArray[np.int64]
    ) -> None:
        self.full_checks += len(played)
        if self._check is not None:
            for name, rows in self._check(before, self.engine, actions, played).items():
                self.faults[name] += len(rows)
        self.faults["mask_is_the_legal_set"] += not check_mask(self.engine)
        row = int(self._rng.integers(self.engine.num_games))
        try:
            self.engine.parse_state(self.engine.get_state(row))
        except StateError as error:
            print(f"row {row}: {error}", flush=True)
            self.faults["states_can_be_saved_and_read"] += 1

    def _count(self, name: str, broken: NDArray[np.bool_]) -> None:
        self.faults[name] += int(broken.sum())


def soak(spec: GameSpec, steps: int, num_envs: int, every: int) -> dict[str, Any]:
    """Play so many steps; return what was seen."""
    run = Soak(spec, num_envs, every)
    samples = MemorySamples()
    began = time.process_time()
    while run.batch_steps * num_envs < steps:
        run.step()
        samples.take()
    return {
        "steps": run.batch_steps * num_envs,
        "rows": num_envs,
        "episodes": run.episodes,
        "fully_checked_steps": run.full_checks,
        "faults": {name: count for name, count in run.faults.items() if count},
        "identities": sorted(run.faults),
        "cpu_seconds": round(time.process_time() - began),
        "memory": samples.summary(),
    }


def main() -> int:
    """Soak some ids, write docs/reliability/soak.json; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="+", default=[spec.id for spec in GAMES])
    parser.add_argument("--steps", type=int, default=100_000_000)
    parser.add_argument("--num-envs", type=int, default=4096)
    parser.add_argument("--every", type=int, default=4)
    arguments = parser.parse_args()
    failed = 0
    for name in arguments.games:
        spec = find_game(name)
        found = soak(spec, arguments.steps, arguments.num_envs, arguments.every)
        print(spec.id, found, flush=True)
        add_to_part("soak", spec.id, found)
        failed += bool(found["faults"])
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
