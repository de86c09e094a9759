"""The codec: flat action index <-> the published JSON action, and the refusals.

A game declares its JSON grammar once, as `ActionKind`s; strict validation, both directions of
the codec and the published JSON schema follow from that.

Refusals share one table over all games. `REFUSALS` maps each code to its name, `REASONS` to a
sentence that says what would have been allowed.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from math import prod
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.errors import ActionFormatError, ActionTypeError, shown

JsonAction = dict[str, Any]

_LARGEST_INT64 = int(np.iinfo(np.int64).max)


class RefusalCode(IntEnum):
    """Why an action was refused; 0 means it was not. Source: RULES, "All games"."""

    ACCEPTED = 0
    NOT_AN_OBJECT = 1
    UNKNOWN_TYPE = 2
    MISSING_FIELD = 3
    EXTRA_FIELD = 4
    BAD_VALUE = 5
    RUN_ENDED = 6
    WRONG_PHASE = 7
    NO_SUCH_PATCH = 8
    NOT_IN_TRAY = 9
    NO_SUCH_ORIENTATION = 10
    OUT_OF_BOUNDS = 11
    CUT_OUT = 12
    OVERLAP = 13
    NOT_PLACED = 14
    BOARD_EMPTY = 15
    COUNT_EXCEEDS_N = 16
    NO_SUCH_TILE = 17
    INDEX_OUT_OF_RANGE = 18


#: Refusal code -> published name, for example 16 -> "count-exceeds-n".
REFUSALS: Mapping[int, str] = MappingProxyType(
    {int(code): code.name.lower().replace("_", "-") for code in RefusalCode}
)

#: Refusal code -> one sentence that teaches; games add the particulars of the position.
REASONS: Mapping[int, str] = MappingProxyType(
    {
        0: "the action was played",
        1: "an action is a JSON object with a type",
        2: "the type is not one of this game's action types",
        3: "a required field is missing",
        4: "the action has a field that its type does not take",
        5: "a field has a value outside its allowed range",
        6: "the game has ended, so no action is legal any more",
        7: "this type of action is not allowed in the present phase",
        8: "this quilt has no patch of that name",
        9: "that patch is not in the tray",
        10: "that patch has fewer orientations",
        11: "a square would lie off the board",
        12: "a square would lie on a cut-out",
        13: "a square would lie on one that is covered already",
        14: "only a patch that lies on the board can be lifted",
        15: "there is nothing on the board to take back",
        16: "no more pennants can be flipped than the garland has",
        17: "the hand holds fewer tiles",
        18: "the action index lies outside the action space",
    }
)


@dataclass(frozen=True)
class ActionField:
    """One field of a JSON action: its name and its allowed values, in the order they count."""

    name: str
    values: tuple[int, ...] | tuple[str, ...]
    enumerated: bool = False  # publish integers as an enum, not as a range

    def holds(self, value: object) -> bool:
        """Return whether a value is allowed: exactly an int (no bool) or exactly a str."""
        return type(value) is type(self.values[0]) and value in self.values

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the field."""
        if isinstance(self.values[0], str):
            return {"type": "string", "enum": list(self.values)}
        if self.enumerated:
            return {"type": "integer", "enum": list(self.values)}
        return {"type": "integer", "minimum": self.values[0], "maximum": self.values[-1]}

    def describe(self) -> str:
        """Return the allowed values in words."""
        first, last = self.values[0], self.values[-1]
        if isinstance(first, str):
            return "one of " + ", ".join(map(str, self.values))
        return f"an integer from {first} to {last}"


@dataclass(frozen=True)
class ActionKind:
    """One type of action: ``first`` is the flat index of its first action.

    ``fields`` are in published order; ``digits`` names them from the most to the least
    significant in the flat index (by default the same order).
    """

    type: str
    first: int
    fields: tuple[ActionField, ...] = ()
    digits: tuple[str, ...] = ()
    _by_digit: tuple[ActionField, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        by_name = {one.name: one for one in self.fields}
        names = self.digits or tuple(by_name)
        object.__setattr__(self, "_by_digit", tuple(by_name[name] for name in names))

    @property
    def size(self) -> int:
        """Return how many flat actions are of this kind."""
        return prod(len(one.values) for one in self.fields)

    def encode(self, action: Mapping[str, Any]) -> int:
        """Return the flat index of a valid JSON action of this kind."""
        offset = 0
        for one in self._by_digit:
            offset = offset * len(one.values) + one.values.index(action[one.name])
        return self.first + offset

    def decode(self, index: int) -> JsonAction:
        """Return the JSON action of a flat index of this kind."""
        offset = index - self.first
        values: dict[str, Any] = {}
        for one in reversed(self._by_digit):
            offset, digit = divmod(offset, len(one.values))
            values[one.name] = one.values[digit]
        return {"type": self.type, **{one.name: values[one.name] for one in self.fields}}

    def schema(self, *, closed: bool) -> dict[str, Any]:
        """Return the JSON schema of this kind; closed means that no further key is allowed."""
        properties: dict[str, Any] = {"type": {"const": self.type}}
        properties |= {one.name: one.schema() for one in self.fields}
        schema = {"type": "object", "properties": properties, "required": list(properties)}
        return schema | ({"additionalProperties": False} if closed else {})


class ActionCodec:
    """A game's flat numbering and its JSON grammar, in both directions.

    Args:
        kinds: the action types; together they number 0 .. num_actions - 1 without a gap.
        extra_keys: whether further keys are ignored (Tinrail) or refused (every other game).
    """

    def __init__(self, *kinds: ActionKind, extra_keys: bool = False) -> None:
        self.kinds = tuple(sorted(kinds, key=lambda kind: kind.first))
        self.extra_keys = extra_keys
        self.num_actions = sum(kind.size for kind in self.kinds)
        self._by_type = {kind.type: kind for kind in self.kinds}
        self._decoded: dict[int, JsonAction] = {}  # grows as indices are asked for

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # it never changes

    @property
    def schema(self) -> dict[str, Any]:
        """Return the published JSON schema of an action (a fresh dict)."""
        closed = not self.extra_keys
        schemas = [kind.schema(closed=closed) for kind in self.kinds]
        return schemas[0] if len(schemas) == 1 else {"type": "object", "oneOf": schemas}

    def kind_of(self, index: int) -> ActionKind:
        """Return the kind of a flat index inside the space."""
        return next(kind for kind in reversed(self.kinds) if index >= kind.first)

    def decode(self, index: int) -> JsonAction:
        """Return the JSON action of a flat index, as a fresh dict.

        Raises:
            ActionTypeError: if the index is not an integer.
            ActionFormatError: if it lies outside 0 .. num_actions - 1.
        """
        flat = as_index(index)
        if not 0 <= flat < self.num_actions:
            raise ActionFormatError(
                RefusalCode.INDEX_OUT_OF_RANGE,
                f"action index {flat} lies outside 0 to {self.num_actions - 1}",
            )
        if flat not in self._decoded:
            self._decoded[flat] = self.kind_of(flat).decode(flat)
        return dict(self._decoded[flat])

    def encode(self, action: object) -> int:
        """Return the flat index of a JSON action, validated strictly.

        Raises:
            ActionFormatError: if it is not in the grammar; ``code`` is the refusal code. Checked
                in this order: an object, its type, missing fields, extra fields, values.
        """
        if not isinstance(action, dict):
            raise ActionFormatError(
                RefusalCode.NOT_AN_OBJECT,
                f"{REASONS[1]}, got {shown(action)}; types: {', '.join(self._by_type)}",
            )
        kind = self._kind_named(action.get("type"))
        names = ["type", *(one.name for one in kind.fields)]
        takes = f'"{kind.type}" takes exactly {", ".join(names)}'
        for name in names:
            if name not in action:
                raise ActionFormatError(RefusalCode.MISSING_FIELD, f'"{name}" is missing: {takes}')
        extra = [key for key in action if key not in names]
        if extra and not self.extra_keys:
            raise ActionFormatError(
                RefusalCode.EXTRA_FIELD, f"{shown(extra[0])} is not a field here: {takes}"
            )
        for one in kind.fields:
            if not one.holds(action[one.name]):
                raise ActionFormatError(
                    RefusalCode.BAD_VALUE,
                    f'"{one.name}" is {one.describe()}, got {shown(action[one.name])}',
                )
        return kind.encode(action)

    def _kind_named(self, name: object) -> ActionKind:
        if type(name) is str and name in self._by_type:
            return self._by_type[name]
        raise ActionFormatError(
            RefusalCode.UNKNOWN_TYPE,
            f"the type is one of {', '.join(self._by_type)}, got {shown(name)}",
        )


def as_index(action: object) -> int:
    """Return a single flat action as a Python int, in or out of range.

    Raises:
        ActionTypeError: if it is not an integer (bool and float are not).
    """
    if isinstance(action, (bool, np.bool_)):
        raise ActionTypeError(f"an action is an integer index, got {shown(action)}")
    try:
        return operator.index(action)  # type: ignore[arg-type]  # any object may come in
    except TypeError:
        raise ActionTypeError(
            f"an action is an integer index, got {type(action).__name__} {shown(action)}"
        ) from None


def as_indices(actions: object, num_games: int) -> NDArray[np.int64]:
    """Return a batch of flat actions as int64 (B,), in or out of range.

    Raises:
        ActionTypeError: if they are not B integers.
    """
    array = np.asarray(actions)
    if array.shape != (num_games,) or array.dtype.kind not in "iu":
        raise ActionTypeError(
            f"actions are {num_games} integers, shape ({num_games},); "
            f"got shape {array.shape} of {array.dtype}"
        )
    if array.dtype == np.uint64:
        array = np.minimum(array, np.uint64(_LARGEST_INT64))
    return np.ascontiguousarray(array, dtype=np.int64)


def clamp_index(index: int) -> int:
    """Return an index that fits 64 bits and is out of range if and only if the given one is."""
    if -1 <= index <= _LARGEST_INT64:
        return index
    return -1 if index < 0 else _LARGEST_INT64
