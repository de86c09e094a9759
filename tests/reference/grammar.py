"""Which actions a published grammar allows, and the order in which faults are named."""

from collections.abc import Collection, Mapping
from typing import Any

Grammar = Mapping[str, Mapping[str, Collection[Any]]]  # type -> field -> its values


def fault_of_shape(action: object, grammar: Grammar) -> str | None:
    """Name the first way in which an action breaks the grammar, or return None."""
    if not isinstance(action, dict):
        return "not-an-object"
    kind = action.get("type")
    if type(kind) is not str or kind not in grammar:
        return "unknown-type"
    fields = grammar[kind]
    if any(field not in action for field in fields):
        return "missing-field"
    if any(key != "type" and key not in fields for key in action):
        return "extra-field"
    if not all(_is_one_of(action[field], values) for field, values in fields.items()):
        return "bad-value"
    return None


def _is_one_of(value: object, choices: Collection[Any]) -> bool:
    """Tell whether value is a choice, of exactly its type: True and 1.0 are not 1."""
    return any(type(value) is type(choice) and value == choice for choice in choices)
