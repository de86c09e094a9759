"""What is named by a string: optional dependencies, entries of tables, callables of the user."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from quiltrail.core.errors import MissingExtraError, OptionError, shown


def require(extra: str, *modules: str) -> None:
    """Import the modules, or say which extra brings them.

    Raises:
        MissingExtraError: if one of the modules is not installed.
    """
    for module in modules:
        try:
            import_module(module)
        except ModuleNotFoundError as error:
            if error.name is None or not module.startswith(error.name):
                raise
            raise MissingExtraError(
                f"this needs {error.name}, which is not installed; "
                f"install it with: pip install 'quiltrail[{extra}]'",
                name=error.name,
            ) from error


def object_at(path: str) -> Any:
    """Return what "module:attribute" names in one of our tables; errors pass through."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)


def callable_of(kind: str, given: object) -> Callable[..., Any]:
    """Return a callable of the user, given as such or as "module:attribute".

    Raises:
        OptionError: if it is neither.
    """
    if isinstance(given, str):
        return callable_named(kind, given)
    if not callable(given):
        raise OptionError(f'a {kind} is a callable or "module:attribute", got {shown(given)}')
    return given


def callable_named(kind: str, path: str) -> Callable[..., Any]:
    """Return the callable that "module:attribute" names.

    Args:
        kind: what it is to be, for the error's sentence.
        path: the module's import path, a colon, the attribute.

    Raises:
        OptionError: if there is none.
    """
    try:
        found: Callable[..., Any] = object_at(path)
    except (ImportError, AttributeError, ValueError) as error:
        raise OptionError(f'there is no {kind} "{path}" ("module:attribute"): {error}') from error
    if not callable(found):
        raise OptionError(f'the {kind} "{path}" is not callable')
    return found
