"""Signals of the training tests, and shorter chunks of learning."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _interrupts_arrive() -> Iterator[None]:
    """Undo an ignored SIGINT, which a suite started in the background inherits and hands on."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def short_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let learners that count moves stop after fewer of them."""
    for learner in ("afterstate", "puzzle"):
        monkeypatch.setattr(f"quiltrail.train.{learner}.learner._CHUNK", 1600)
