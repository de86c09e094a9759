"""The codec: both directions, the published schema, strict validation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiltrail.core.actions import (
    REASONS,
    REFUSALS,
    ActionCodec,
    ActionField,
    ActionKind,
    as_index,
    as_indices,
    clamp_index,
)
from quiltrail.core.errors import ActionFormatError, ActionTypeError
from quiltrail.envs import GAMES

PLACE = ActionKind(
    "place",
    0,
    (
        ActionField("patchId", ("A", "B")),
        ActionField("x", (0, 1, 2)),
        ActionField("y", (0, 1)),
    ),
    digits=("patchId", "y", "x"),
)
CODEC = ActionCodec(PLACE, ActionKind("bank", 12))


@pytest.mark.parametrize("spec", GAMES, ids=lambda spec: spec.id)
def test_every_index_of_every_game_decodes_and_encodes_back(spec: Any) -> None:
    codec = spec.make_engine(1).codec
    decoded = [codec.decode(index) for index in range(codec.num_actions)]
    assert [codec.encode(action) for action in decoded] == list(range(codec.num_actions))


def test_digits_count_from_the_most_significant() -> None:
    assert CODEC.decode(0) == {"type": "place", "patchId": "A", "x": 0, "y": 0}
    assert CODEC.decode(1) == {"type": "place", "patchId": "A", "x": 1, "y": 0}
    assert CODEC.decode(3) == {"type": "place", "patchId": "A", "x": 0, "y": 1}
    assert CODEC.decode(11) == {"type": "place", "patchId": "B", "x": 2, "y": 1}
    assert CODEC.decode(12) == {"type": "bank"}
    assert list(CODEC.decode(0)) == ["type", "patchId", "x", "y"]


@pytest.mark.parametrize(
    ("action", "name"),
    [
        (None, "not-an-object"),
        ([("type", "bank")], "not-an-object"),
        ("bank", "not-an-object"),
        ({}, "unknown-type"),
        ({"type": ["bank"]}, "unknown-type"),
        ({"type": "Bank"}, "unknown-type"),
        ({"type": "place", "patchId": "A", "x": 0}, "missing-field"),
        ({"type": "place", "patchId": "A", "x": 0, "z": 0}, "missing-field"),
        ({"type": "bank", "x": 0}, "extra-field"),
        ({"type": "bank", 3: 0}, "extra-field"),
        ({"type": "place", "patchId": "a", "x": 0, "y": 0}, "bad-value"),
        ({"type": "place", "patchId": "A", "x": True, "y": 0}, "bad-value"),
        ({"type": "place", "patchId": "A", "x": 1.0, "y": 0}, "bad-value"),
        ({"type": "place", "patchId": "A", "x": np.int64(1), "y": 0}, "bad-value"),
        ({"type": "place", "patchId": "A", "x": "1", "y": 0}, "bad-value"),
        ({"type": "place", "patchId": "A", "x": 10**400, "y": 0}, "bad-value"),
    ],
)
def test_malformed_actions_are_refused_by_name(action: object, name: str) -> None:
    with pytest.raises(ActionFormatError) as caught:
        CODEC.encode(action)
    assert REFUSALS[caught.value.code] == name
    assert len(str(caught.value)) < 200


def test_extra_keys_are_ignored_where_the_grammar_allows_them() -> None:
    open_codec = ActionCodec(PLACE, extra_keys=True)
    action = {"type": "place", "patchId": "B", "x": 2, "y": 1, "note": "mine"}
    assert open_codec.encode(action) == 11
    assert "additionalProperties" not in open_codec.schema


def test_the_schema_is_the_published_grammar() -> None:
    assert CODEC.schema["oneOf"][1] == {
        "type": "object",
        "properties": {"type": {"const": "bank"}},
        "required": ["type"],
        "additionalProperties": False,
    }
    place = CODEC.schema["oneOf"][0]["properties"]
    assert place["patchId"] == {"type": "string", "enum": ["A", "B"]}
    assert place["x"] == {"type": "integer", "minimum": 0, "maximum": 2}


@pytest.mark.parametrize("index", [-1, 13, 10**30])
def test_an_index_outside_the_space_decodes_to_a_teaching_error(index: int) -> None:
    with pytest.raises(ActionFormatError, match="outside 0 to 12"):
        CODEC.decode(index)


@pytest.mark.parametrize("action", [3, np.int8(3), np.int64(3), np.array(3)])
def test_any_integer_is_a_flat_action(action: Any) -> None:
    assert as_index(action) == 3


@pytest.mark.parametrize("action", [1.0, "1", None, True, np.bool_(True), [1], np.array([1, 2])])
def test_anything_else_is_not(action: object) -> None:
    with pytest.raises(ActionTypeError, match="integer index"):
        as_index(action)


@given(st.integers(-(2**70), 2**70))
def test_clamping_keeps_range_and_out_of_range_apart(index: int) -> None:
    clamped = clamp_index(index)
    assert -1 <= clamped < 2**63
    assert (clamped == index) or index < 0 or index >= 2**63 - 1


@pytest.mark.parametrize("actions", [[0.0, 1.0], [0], [[0, 1]], ["0", "1"], [True, False], None, 3])
def test_a_batch_of_another_shape_or_type_is_refused(actions: object) -> None:
    with pytest.raises(ActionTypeError, match="2 integers"):
        as_indices(actions, 2)


def test_a_huge_unsigned_action_stays_out_of_range() -> None:
    batch = as_indices(np.array([2**64 - 1, 1], np.uint64), 2)
    assert batch.tolist() == [2**63 - 1, 1]


def test_the_tables_of_refusals_are_complete() -> None:
    assert list(REFUSALS) == list(REASONS) == list(range(19))
    assert REFUSALS[0] == "accepted"
    assert REFUSALS[16] == "count-exceeds-n"
