"""One harness for every door that takes data from outside.

The rule: an input is accepted, or refused with one clear error of our own; a refused input changes
nothing; nothing crashes, hangs or takes memory without bound.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from quiltrail.core.errors import QuiltrailError

_LONGEST_SENTENCE = 2_000  # characters
_MOST_SECONDS = 20.0  # of CPU for one input
_MOST_KEPT = 20


class Door(ABC):
    """A public way in.

    Attributes:
        name: what the table calls it.
        normal: inputs in the normal suite; fewer than 10,000 where one takes milliseconds.
    """

    name: ClassVar[str]
    normal: ClassVar[int] = 10_000

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> Any:
        """Return an input: a valid one edited, now and then anything at all."""

    @abstractmethod
    def feed(self, given: Any) -> bool:
        """Hand an input in; return whether it was accepted, or raise the refusal."""

    def snapshot(self) -> Any:
        """Return everything that a refused input has to leave as it is."""
        return None


@dataclass
class Report:
    """What became of a door's inputs."""

    door: str
    inputs: int = 0
    accepted: int = 0
    slowest: float = 0.0
    faults: list[str] = field(default_factory=list)
    num_faults: int = 0

    def add_fault(self, what: str, given: Any) -> None:
        """Keep a fault with its input; the first few in full."""
        self.num_faults += 1
        if len(self.faults) < _MOST_KEPT:
            self.faults.append(f"{what}\n  input: {_shown(given)}")

    def to_json(self) -> dict[str, Any]:
        """Return the numbers."""
        return {
            "inputs": self.inputs,
            "accepted": self.accepted,
            "slowest_seconds": round(self.slowest, 3),
            "losses": self.num_faults,
        }


def fuzz(door: Door, seed: int, count: int, *, seconds: float | None = None) -> Report:
    """Hand so many inputs in, or as many as fit into so many seconds of CPU."""
    rng = np.random.default_rng(seed)
    report = Report(door.name)
    began = time.process_time()
    while report.inputs < count and (seconds is None or time.process_time() - began < seconds):
        attempt(door, door.draw(rng), report)
    return report


def attempt(door: Door, given: Any, report: Report) -> None:
    """Hand one input in and judge what happens."""
    report.inputs += 1
    before = door.snapshot()
    began = time.process_time()
    try:
        accepted = door.feed(given)
    except QuiltrailError as error:
        accepted = False
        _judge_sentence(str(error), given, report)
    except Exception as error:  # whatever else comes out is a fault
        accepted = False
        report.add_fault(f"{type(error).__name__}: {error}", given)
    took = time.process_time() - began
    report.slowest = max(report.slowest, took)
    if took > _MOST_SECONDS:
        report.add_fault(f"took {took:.1f} s", given)
    if accepted:
        report.accepted += 1
    elif door.snapshot() != before:
        report.add_fault("refused, but something changed", given)


def _judge_sentence(said: str, given: Any, report: Report) -> None:
    if not said.strip():
        report.add_fault("refused without a word", given)
    elif len(said) > _LONGEST_SENTENCE:
        report.add_fault(f"a refusal of {len(said):,} characters: {said[:80]}", given)


def _shown(given: Any) -> str:
    try:
        return repr(given)[:3_000]
    except ValueError:  # an int of more digits than repr writes
        return f"<{type(given).__name__} that repr refuses>"
