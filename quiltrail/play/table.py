"""A table: one game under somebody's hands, told in keys and points, with no window in it.

Points are in the picture's units (see `quiltrail.render`), keys have pygame's names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib.util import find_spec
from typing import Any, ClassVar

from quiltrail.core.actions import JsonAction
from quiltrail.core.errors import OptionError
from quiltrail.core.extras import object_at
from quiltrail.envs import GameSpec
from quiltrail.envs.rendering import paint_on
from quiltrail.play.session import Session
from quiltrail.render import Canvas

ENTER = ("return", "enter")
_ARROWS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


class Table(ABC):
    """What a hand can do in a game.

    Subclasses know one game each: that of the folder ``sunpleat`` is ``SunpleatTable`` in
    ``sunpleat_table.py``.

    Attributes:
        message: what the last action said, "" for nothing.
        keys: one line that says what keys do.
        plain_keys: key -> action type, for actions without values.
        to_confirm: action types whose key has to be pressed twice.
    """

    keys: ClassVar[str]
    plain_keys: ClassVar[dict[str, str]] = {}
    to_confirm: ClassVar[tuple[str, ...]] = ()

    def __init__(self, session: Session) -> None:
        self.session = session
        self.message = ""
        self._asked = ""

    def paint(self, canvas: Canvas) -> None:
        """Draw the position and what the hand holds."""
        paint_on(canvas, self.session.engine, 0)

    def press(self, key: str) -> None:
        """Take a key."""
        if self.session.over:
            if key in ENTER:
                self.session.begin(self.session.seed + 1)
                self.clear()
            return
        name = self.plain_keys.get(key)
        if name is None:
            self._asked = ""
            self._press(key)
        elif name in self.to_confirm and self._asked != name:
            self._asked, self.message = name, f"press {key.upper()} again to {name}"
        else:
            self.act({"type": name})

    def act(self, action: JsonAction) -> bool:
        """Play an action and return whether it was accepted; if not, the message says why."""
        verdict = self.session.submit(action)
        reward = self.session.reward
        self.message = "" if verdict.accepted else verdict.reason
        if verdict.accepted and reward:
            self.message = f"{reward:+g} points"
        self._asked = ""
        if verdict.accepted:
            self.put_back()
        return verdict.accepted

    def clear(self) -> None:
        """Forget hand and message, for a new game."""
        self.message = self._asked = ""
        self.put_back()

    @abstractmethod
    def put_back(self) -> None:
        """Empty the hand."""

    @abstractmethod
    def down(self, x: float, y: float) -> None:
        """Take a press of the mouse button, or a finger."""

    def move(self, x: float, y: float) -> None:  # noqa: B027  (some games do not look at it)
        """Take a movement of the pointer."""

    def up(self, x: float, y: float) -> None:  # noqa: B027  (some games do not drag)
        """Take a release of the mouse button, or a finger."""

    @abstractmethod
    def _press(self, key: str) -> None:
        """Take a key that is not one of `plain_keys`, while the game goes on."""

    def _view(self) -> dict[str, Any]:
        return self.session.engine.view(0)


def step_of(key: str) -> tuple[int, int] | None:
    """Return the step (right, down) of an arrow key."""
    return _ARROWS.get(key)


def make_table(session: Session) -> Table:
    """Return the table of a session's game.

    Raises:
        OptionError: if the game has none.
    """
    if not has_table(session.spec):
        raise OptionError(f"{session.spec.id} has no window of its own; play it with --text")
    path = f"{_module_of(session.spec)}:{session.spec.folder.title()}Table"
    table: Table = object_at(path)(session)
    return table


def has_table(spec: GameSpec) -> bool:
    """Return whether a game has a table."""
    return find_spec(_module_of(spec)) is not None


def _module_of(spec: GameSpec) -> str:
    return f"{__package__}.{spec.folder}_table"
