"""Signals of the training tests."""

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
