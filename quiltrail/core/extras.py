"""Optional dependencies: ask for one by the extra that brings it."""

from __future__ import annotations

from importlib import import_module

from quiltrail.core.errors import MissingExtraError


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
