"""Sunpleat under the hands: choose how many pennants, see, flip."""

from __future__ import annotations

from typing import ClassVar

from quiltrail.envs.sunpleat import draw
from quiltrail.play.session import Session
from quiltrail.play.table import ENTER, Table, step_of
from quiltrail.render import Canvas

_MOST = 10


class SunpleatTable(Table):
    """The hand holds a number of pennants, counted from the left; holding them is free."""

    keys: ClassVar[str] = "1-9 or arrows choose, Enter flip, N next, T try again, X restart, B bank"
    plain_keys: ClassVar[dict[str, str]] = {
        "n": "next",
        "t": "retry",
        "x": "restart",
        "b": "bank",
    }
    to_confirm: ClassVar[tuple[str, ...]] = ("restart", "bank")

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.count = 0

    def paint(self, canvas: Canvas) -> None:
        """Draw the garland; outline the chosen pennants and show what they would become."""
        super().paint(canvas)
        view = self._view()
        if self.count and view["phase"] == "playing":
            draw.draw_held(canvas, view["garland"], self.count)

    def put_back(self) -> None:
        """Choose nothing."""
        self.count = 0

    def down(self, x: float, y: float) -> None:
        """Flip up to the pennant that is tapped."""
        self.move(x, y)
        self._flip()

    def move(self, x: float, y: float) -> None:
        """Choose up to the pennant under the pointer."""
        place = draw.place_at(self._n(), x, y)
        self.count = 0 if place is None else place + 1

    def _press(self, key: str) -> None:
        step = step_of(key)
        if key.isdigit():
            self._choose(int(key) or _MOST)
        elif step is not None:
            self._choose(self.count + step[0])
        elif key == "escape":
            self.put_back()
        elif key in ENTER:
            self._flip()

    def _choose(self, count: int) -> None:
        self.count = min(max(count, 0), self._n())

    def _flip(self) -> None:
        if self.count and not self.session.over:
            self.act({"type": "flip", "count": self.count})

    def _n(self) -> int:
        return len(self._view()["garland"])
