"""Settings that come from outside: checked, and handed to constructors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, TypeVar

from quiltrail.core.errors import OptionError, shown, unknown_name_text

_Made = TypeVar("_Made")


def check_int(name: str, value: object, low: int, high: int | None = None) -> int:
    """Return a setting that is an int from ``low`` on, up to ``high`` if there is one.

    Raises:
        OptionError: if it is not.
    """
    if type(value) is int and low <= value and (high is None or value <= high):
        return value
    allowed = f"of at least {low}" if high is None else f"from {low} to {high}"
    raise OptionError(f"{name} is an int {allowed}, got {shown(value)}")


def build(what: str, constructor: Callable[..., _Made], *args: Any, **settings: Any) -> _Made:
    """Call a constructor; settings that it does not take are an `OptionError` naming those it does.

    Only the call itself is judged: errors from inside the constructor pass through.
    """
    parameters = signature(constructor).parameters
    try:
        signature(constructor).bind(*args, **settings)
    except TypeError as error:
        for name in settings:
            if name not in parameters:
                raise OptionError(
                    unknown_name_text(f"setting of {what}", name, list(parameters)[len(args) :])
                ) from None
        raise OptionError(f"settings of {what}: {error}") from None
    return constructor(*args, **settings)


def settings_of(
    constructor: Callable[..., Any], arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments that a constructor takes, and the others."""
    parameters = signature(constructor).parameters
    taken = {name: value for name, value in arguments.items() if name in parameters}
    return taken, {name: value for name, value in arguments.items() if name not in parameters}
