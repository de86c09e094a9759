"""Every door under random and edited inputs; the long run is benchmarks.reliability.fuzz."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("sb3_contrib")

from tests.fuzz.doors import DOORS
from tests.fuzz.harness import Door, Report, attempt, fuzz


@pytest.mark.parametrize("name", DOORS)
def test_a_door_accepts_or_refuses_in_a_sentence_and_changes_nothing(name: str) -> None:
    door = DOORS[name]()
    report = fuzz(door, seed=0, count=door.normal)
    assert report.inputs == door.normal
    assert report.faults == []


class LeakyDoor(Door):
    """Breaks the rule in one way."""

    name = "leaky"

    def __init__(self) -> None:
        self.changed = 0

    def draw(self, rng: Any) -> Any:
        raise NotImplementedError

    def feed(self, given: Any) -> bool:
        if given == "crash":
            raise KeyError(given)
        self.changed += given == "change"
        return given == "accept"

    def snapshot(self) -> Any:
        return self.changed


@pytest.mark.parametrize(
    ("given", "fault"), [("crash", "KeyError"), ("change", "something changed"), ("accept", "")]
)
def test_the_harness_notices_what_breaks_the_rule(given: str, fault: str) -> None:
    report = Report("leaky")
    attempt(LeakyDoor(), given, report)
    assert [fault in one for one in report.faults] == [True] * report.num_faults
    assert report.num_faults == (fault != "")
