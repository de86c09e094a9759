"""Ray's workers as fast as everybody else's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _equal_shares() -> Iterator[None]:
    """Take Ray's niceness of 15 off its workers: on a busy machine they would take for ever."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_worker_niceness", "0")
        yield
