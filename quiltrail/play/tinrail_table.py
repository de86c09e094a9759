"""Tinrail under the hands: choose a tile, turn it, lay it before your engine."""

from __future__ import annotations

from typing import ClassVar

from quiltrail.envs.tinrail import draw
from quiltrail.envs.tinrail.rules import NUM_ROTATIONS
from quiltrail.play.session import Session
from quiltrail.play.table import ENTER, Table
from quiltrail.render import Canvas


class TinrailTable(Table):
    """A tile is held over the cell that your engine faces."""

    keys: ClassVar[str] = "1 2 3 pick, R or arrows turn, Enter lay (or tap the tile, then the cell)"

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.place: int | None = None
        self.rotation = 0

    def paint(self, canvas: Canvas) -> None:
        """Draw the table and the held tile where it would lie."""
        super().paint(canvas)
        view, cell = self._view(), self._faced_cell()
        if self.place is None or cell is None:
            return
        tile = int(self.session.engine.state["hands"][0, view["toMove"], self.place])
        draw.draw_held(canvas, self.place, tile, self.rotation, cell)
        for one, notch in enumerate(view["engines"]):
            if notch is not None and notch["cell"] == cell:
                draw.draw_engine(canvas, one, cell, notch["port"])

    def put_back(self) -> None:
        """Put the tile back."""
        self.place, self.rotation = None, 0

    def down(self, x: float, y: float) -> None:
        """Pick a tile, turn the picked one, or lay it in the cell."""
        place = draw.hand_place_at(x, y)
        if place is not None and place == self.place:
            self._turn(1)
        elif place is not None:
            self._pick(place)
        elif draw.cell_at(x, y) == self._faced_cell():
            self._lay()

    def _press(self, key: str) -> None:
        if key in ("1", "2", "3"):
            self._pick(int(key) - 1)
        elif key == "escape":
            self.put_back()
        elif key in ("r", "right", "down"):
            self._turn(1)
        elif key in ("left", "up"):
            self._turn(-1)
        elif key in ENTER:
            self._lay()

    def _pick(self, place: int) -> None:
        if place < len(self._view()["hand"]):
            self.place, self.rotation, self.message = place, 0, ""

    def _turn(self, steps: int) -> None:
        self.rotation = (self.rotation + steps) % NUM_ROTATIONS

    def _lay(self) -> None:
        if self.place is not None:
            self.act({"type": "place", "tileIndex": self.place, "rotation": self.rotation})

    def _faced_cell(self) -> int | None:
        """Return the cell where the tile goes, None after the end."""
        view = self._view()
        if view["toMove"] is None:
            return None
        cell: int = view["engines"][view["toMove"]]["cell"]
        return cell
