"""Demand that a state which no game can be in is refused by the field that shows it."""

from __future__ import annotations

import pytest

from quiltrail.core.engine import Engine
from quiltrail.core.errors import StateError


def assert_refused_by_field(
    engine: Engine, field: str, value: object, named: str | None = None
) -> None:
    """Change one field of row 0's state and demand a refusal that names it and leaves no trace.

    Args:
        engine: its row 0 is in a possible state.
        field: what to change.
        value: what to change it to.
        named: a pattern of the names that will do, where a change shows in another field first.
    """
    before = engine.get_state(0)
    with pytest.raises(StateError, match=f'"({named or field})"'):
        engine.set_state(0, {**before, field: value})
    assert engine.get_state(0) == before
