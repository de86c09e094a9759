"""Patchrook under the hands: pick, turn, flip, lay by the button."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from quiltrail.envs.patchrook import draw
from quiltrail.play.session import Session
from quiltrail.play.table import ENTER, Table, step_of
from quiltrail.render import Canvas

Cells = list[tuple[int, int]]


class PatchrookTable(Table):
    """A patch is held by its button, the leftmost square of its top row."""

    keys: ClassVar[str] = "1-6 pick, R turn, F flip, Enter place, L lift, X restart, N next, B bank"
    plain_keys: ClassVar[dict[str, str]] = {"x": "restart", "n": "next", "b": "bank"}
    to_confirm: ClassVar[tuple[str, ...]] = ("bank",)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.label: str | None = None
        self.orientation = 0
        self.at = (0, 0)
        self._dragging = False

    def paint(self, canvas: Canvas) -> None:
        """Draw the position and the held patch where it would lie."""
        super().paint(canvas)
        if self.label is not None:
            action = self._action()
            fits = action in self.session.engine.legal_actions(0)
            draw.draw_held(canvas, self._view(), action, fits)

    def put_back(self) -> None:
        """Put the held patch back into the tray."""
        self.label = None
        self._dragging = False

    def down(self, x: float, y: float) -> None:
        """Pick from the tray, place the held patch, or lift a placed one."""
        slot, square = draw.slot_at(x, y), draw.square_at(self._view(), x, y)
        if slot is not None and not self.session.over:
            self._pick(slot)
            self._dragging = self.label is not None
        elif square is not None and self.label is not None:
            self.at = square
            self.act(self._action())
        elif square is not None:
            self._lift_under(*square)

    def move(self, x: float, y: float) -> None:
        """Move the held patch, or the place that L lifts from, along."""
        square = draw.square_at(self._view(), x, y)
        if square is not None:
            self.at = square

    def up(self, x: float, y: float) -> None:
        """End a drag: place over the quilt, stay in hand over the tray, else put it back."""
        if not self._dragging:
            return
        self._dragging = False
        square = draw.square_at(self._view(), x, y)
        if square is not None:
            self.at = square
            self.act(self._action())
        elif draw.slot_at(x, y) is None:
            self.put_back()

    def _press(self, key: str) -> None:
        step = step_of(key)
        if key in ("1", "2", "3", "4", "5", "6"):
            self._pick(int(key) - 1)
        elif key == "escape":
            self.put_back()
        elif key == "l":
            self._lift_under(*self.at)
        elif self.label is None:
            return
        elif key == "r":
            self._turn(lambda x, y: (-y, x))
        elif key == "f":
            self._turn(lambda x, y: (-x, y))
        elif key in ENTER:
            self.act(self._action())
        elif step is not None:
            view = self._view()
            x, y = self.at[0] + step[0], self.at[1] + step[1]
            self.at = (min(max(x, 0), view["width"] - 1), min(max(y, 0), view["height"] - 1))

    def _pick(self, slot: int) -> None:
        view = self._view()
        self.put_back()
        if slot >= len(view["trayOrder"]):
            return
        label = view["trayOrder"][slot]
        if label not in view["tray"]:
            self.message = f"patch {label} lies on the quilt"
            return
        self.label, self.message = label, ""
        self.orientation = view["initialOrientations"][label]

    def _turn(self, turn: Callable[[int, int], tuple[int, int]]) -> None:
        """Hold the patch in the orientation that a turn of all its squares makes."""
        orientations = self._view()["patches"][self.label]["orientations"]
        wanted = normalized([turn(x, y) for x, y in orientations[self.orientation]])
        forms = [normalized([(x, y) for x, y in cells]) for cells in orientations]
        self.orientation = forms.index(wanted)

    def _lift_under(self, x: int, y: int) -> None:
        view = self._view()
        for label, placed in view["placements"].items():
            if (x, y) in draw.squares_under(view, label, placed):
                self.act({"type": "lift", "patchId": label})
                return

    def _action(self) -> dict[str, Any]:
        x, y = self.at
        place = {"orientation": self.orientation, "x": x, "y": y}
        return {"type": "place", "patchId": self.label, **place}


def normalized(cells: Cells) -> Cells:
    """Return squares moved to the corner, row by row."""
    left, top = min(x for x, _ in cells), min(y for _, y in cells)
    return sorted(((x - left, y - top) for x, y in cells), key=lambda cell: (cell[1], cell[0]))
