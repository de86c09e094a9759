"""Records of play that several test files look at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quiltrail.agents import RandomLegal
from quiltrail.agents.tinrail import EasyBot, WiseBot
from quiltrail.envs.tinrail.engine import TinrailEngine


@pytest.fixture(scope="session")
def tinrail_states() -> list[Any]:
    """Return the records after every placement of Easy, Wise and random matches."""
    found, matches = [], 60
    for agent in (EasyBot(both_seats=True), WiseBot(), RandomLegal(3)):
        engine = TinrailEngine(matches)
        engine.reset(np.arange(matches), np.arange(matches, dtype=np.uint64))
        while not engine.terminated.all():
            running = np.flatnonzero(~engine.terminated)
            engine.step(agent.act(engine)[running], running)
            found += [record.copy() for record in engine.state[running]]
    return found
