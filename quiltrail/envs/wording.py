"""Games in words: what a player who reads needs to know, and what it sees.

Each game folder has a ``text.py`` with ``WORDING``, a `Wording`, and ``observe(engine, row)``, the
observation as text; the engine class names it in ``wording``. This is the one place where the text
of an observation is made: protocol, wrappers and pages take it from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any

from quiltrail.core.engine import Engine


@dataclass(frozen=True)
class Wording:
    """What a game is, for readers.

    Attributes:
        title: the game's name.
        goal: what to reach.
        scoring: how points are made.
        rules: everything else, the meaning of the observation included.
        credit: who published the rules, and what is this package's own.
        choices: settings that a stranger may choose, each with its allowed values, the default
            first; no other setting is ever taken from outside.
    """

    title: str
    goal: str
    scoring: str
    rules: str
    credit: str
    choices: Mapping[str, tuple[str | int | bool, ...]] = field(default_factory=dict)


def observe(engine: Engine, row: int) -> str:
    """Return what a player of a row sees, as text: all that its rules publish, nothing hidden."""
    text: str = _module_of(engine).observe(engine, row)
    return text


def wording_of(engine: Engine) -> Wording:
    """Return a game in words."""
    wording: Wording = _module_of(engine).WORDING
    return wording


def specification(engine: Engine) -> dict[str, Any]:
    """Return goal, scoring, rules and the JSON schema of an action, as JSON values."""
    words = wording_of(engine)
    return {
        "game": engine.game,
        "title": words.title,
        "goal": words.goal,
        "scoring": words.scoring,
        "rules": words.rules,
        "credit": words.credit,
        "settings": dict(engine.settings),
        "actionSchema": engine.codec.schema,
    }


def cells_text(cells: Iterable[Sequence[int]]) -> str:
    """Return pairs of numbers as "[0,1] [1,1]"."""
    return " ".join(f"[{first},{second}]" for first, second in cells)


def _module_of(engine: Engine) -> ModuleType:
    return import_module(engine.wording)
