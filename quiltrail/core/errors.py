"""The errors this package raises: each is ours and also the built-in that fits."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class QuiltrailError(Exception):
    """Base of every error this package raises on purpose."""


class InvalidSeedError(QuiltrailError, TypeError):
    """A seed that is not a Python int."""


class ActionTypeError(QuiltrailError, TypeError):
    """A flat action that is not an integer, or a batch of them of the wrong shape."""


class ActionFormatError(QuiltrailError, ValueError):
    """A JSON action outside the published grammar; ``code`` is its refusal code."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code

    def __reduce__(self) -> tuple[type[ActionFormatError], tuple[int, str]]:
        return type(self), (self.code, str(self))


class IllegalActionError(QuiltrailError, ValueError):
    """An illegal action in an environment made with ``on_refusal="raise"``."""


class ResetNeededError(QuiltrailError, AssertionError):
    """A step without a running episode where the caller has to reset first."""


class StateError(QuiltrailError, ValueError):
    """A saved state that is malformed or that no game can reach."""


class OptionError(QuiltrailError, ValueError):
    """A constructor argument or a reset option that is unknown or out of range."""


class RecordError(QuiltrailError, ValueError):
    """A record file that cannot be read or does not fit the game."""


class ConfigError(QuiltrailError, ValueError):
    """An experiment file or a command-line setting that is not allowed."""


class ModelMismatchError(QuiltrailError, ValueError):
    """A model that was trained on other spaces or is no model at all."""


class UnknownNameError(QuiltrailError, LookupError):
    """A name that is not in the list of allowed ones."""

    def __str__(self) -> str:
        return str(self.args[0])


class CheckFailedError(QuiltrailError, AssertionError):
    """An environment that does not do what a check of `quiltrail.testing` demands."""


class StorageError(QuiltrailError, OSError):
    """A file that cannot be written; what was saved before is still there."""


class InterruptedRunError(QuiltrailError):
    """A run or a sweep that was stopped and saved; the message says how to go on."""


class MissingExtraError(QuiltrailError, ImportError):
    """An optional dependency that is not installed."""


def demand(condition: bool, name: str, why: str) -> None:
    """Refuse a saved state unless a condition on one of its fields holds.

    Raises:
        StateError: "impossible state: field <name> <why>", where ``why`` says what is possible.
    """
    if not condition:
        raise StateError(f'impossible state: field "{name}" {why}')


def unknown_name(kind: str, got: object, allowed: Iterable[str]) -> UnknownNameError:
    """Return the error for an unknown name: what was got, near names, all names."""
    return UnknownNameError(unknown_name_text(kind, got, allowed))


def unknown_name_text(kind: str, got: object, allowed: Iterable[str]) -> str:
    """Return one sentence that says which names of this kind exist."""
    names = sorted(allowed)
    near = get_close_matches(shown(got).strip("'"), names, n=2, cutoff=0.6)
    hint = f" did you mean {' or '.join(near)}?" if near else ""
    return f"unknown {kind} {shown(got)};{hint} allowed: {', '.join(names) or 'none'}"


def on_one_line(text: object) -> str:
    """Return what another package says, such as its error, without its line breaks."""
    return " ".join(str(text).split())


def shown(value: object, limit: int = 160) -> str:
    """Return a value from outside as it stands in an error: its repr, cut where it is long."""
    try:
        text = repr(value)
    except Exception:  # a hostile repr, or an int of more digits than Python writes
        text = f"<{type(value).__name__}>"
    return text if len(text) <= limit else text[: limit - 3] + "..."
