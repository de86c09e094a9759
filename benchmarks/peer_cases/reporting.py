"""What the peers' scripts share: a play, their command line, a line of JSON for each case."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from clock import Effort, Play, Stopwatch, fastest


@dataclass(frozen=True)
class PeerCase:
    """One row of the comparison.

    Attributes:
        env: the environment's own id.
        face: how it is stepped.
        num_envs: games in a batch.
        masks: whether a step brings the legal actions along.
        make: makes the environment and returns what is to be timed.
    """

    env: str
    face: str
    num_envs: int
    masks: bool
    make: Callable[[], Play]


def sampled_play(step: Callable[[Any], Any], sample: Callable[[], Any], num_envs: int) -> Play:
    """Return a play that steps a batch with actions drawn outside the clock."""

    def play(watch: Stopwatch) -> int:
        actions = sample()
        with watch:
            step(actions)
        return num_envs

    return play


def report(cases: Iterable[PeerCase]) -> None:
    """Time the cases and print one JSON object a line; a case that fails says why."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--repeats", type=int, required=True)
    given = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):  # one core, whatever threads a package starts
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for case in cases:
        facts = {name: getattr(case, name) for name in ("env", "face", "num_envs", "masks")}
        try:
            timing = fastest(case.make(), Effort(given.seconds, given.repeats, warm_up=2))
        except Exception as error:  # whatever a foreign package raises is the answer here
            answer = {"failed": f"{type(error).__name__}: {error}".splitlines()[0]}
        else:
            answer = asdict(timing)
        print(json.dumps({**facts, **answer}), flush=True)
