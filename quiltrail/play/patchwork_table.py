"""Patchwork under the hands: drag, tap-tap, or keys."""

from __future__ import annotations

from typing import ClassVar

from quiltrail.envs.patchwork import draw
from quiltrail.envs.patchwork.rules import NUM_SLOTS, SIDE, USED, cells_of
from quiltrail.envs.patchwork.tables import BOXES
from quiltrail.play.session import Session
from quiltrail.play.table import ENTER, Table, step_of
from quiltrail.render import Canvas


class PatchworkTable(Table):
    """A patch is held over the quilt by the top-left square of its box.

    Where the pointer is, is the middle of the patch; of an even number of rows or columns, the
    upper or left one of the two in the middle.
    """

    keys: ClassVar[str] = "1 2 3 pick, arrows move, Enter sew, Esc back (or drag, or tap twice)"
    plain_keys: ClassVar[dict[str, str]] = {"r": "revive", "f": "finish"}
    to_confirm: ClassVar[tuple[str, ...]] = ("finish",)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.slot: int | None = None
        self.anchor: tuple[int, int] | None = None
        self._dragged_from: int | None = None

    def paint(self, canvas: Canvas) -> None:
        """Draw the position; tint what the held patch would cover, outline what it completes."""
        engine = self.session.engine
        if self.slot is None:
            super().paint(canvas)
            if self._view()["phase"] == "stuck":
                self.message = "nothing fits: R takes three small patches, F F finishes"
            return
        action = self._action()
        fits = action is not None and action in engine.legal_indices(0)
        canvas.fill(canvas.theme.page)
        draw.paint(canvas, engine, 0, action if fits else None)
        draw.draw_held(canvas, self.slot, [] if fits else self._squares_under())

    def put_back(self) -> None:
        """Put the held patch back into the tray."""
        self.slot = self.anchor = self._dragged_from = None

    def down(self, x: float, y: float) -> None:
        """Pick a patch of the tray, or sew the held one where the quilt is tapped."""
        slot, square = draw.slot_at(x, y), draw.square_at(x, y)
        if slot is not None and not self.session.over:
            self._pick(slot)
            self._dragged_from = self.slot
        elif square is not None and self.slot is not None:
            self._hold_at(square)
            self._sew()

    def move(self, x: float, y: float) -> None:
        """Move the held patch along."""
        square = draw.square_at(x, y)
        if self.slot is not None and square is not None:
            self._hold_at(square)
        elif self._dragged_from is not None:
            self.anchor = None

    def up(self, x: float, y: float) -> None:
        """End a drag: sew over the quilt, stay in hand over the tray, else put it back."""
        if self._dragged_from is None:
            return
        square, slot = draw.square_at(x, y), draw.slot_at(x, y)
        stays = slot == self._dragged_from
        self._dragged_from = None
        if square is not None:
            self._hold_at(square)
            self._sew()
        elif not stays:
            self.put_back()

    def _press(self, key: str) -> None:
        step = step_of(key)
        if key in ("1", "2", "3"):
            self._pick(int(key) - 1)
            self._hold_at((SIDE // 2, SIDE // 2))
        elif key == "escape":
            self.put_back()
        elif key in ENTER:
            self._sew()
        elif step is not None and self.slot is not None and self.anchor is not None:
            height, width = BOXES[self._shape(self.slot)].tolist()
            row, col = self.anchor[0] + step[1], self.anchor[1] + step[0]
            self.anchor = (min(max(row, 0), SIDE - height), min(max(col, 0), SIDE - width))

    def _pick(self, slot: int) -> None:
        self.put_back()
        if slot < NUM_SLOTS and self._shape(slot) != USED:
            self.slot, self.message = slot, ""
        else:
            self.message = f"patch {slot + 1} is sewn already"

    def _hold_at(self, middle: tuple[int, int]) -> None:
        """Hold the patch so that its middle lies on a square."""
        if self.slot is not None:
            height, width = BOXES[self._shape(self.slot)].tolist()
            self.anchor = (middle[0] - (height - 1) // 2, middle[1] - (width - 1) // 2)

    def _sew(self) -> None:
        action = self._action()
        if action is not None:
            self.act(self.session.action_of(action))
        elif self.slot is not None and self.anchor is not None:
            self.message = "it would hang over the edge"

    def _action(self) -> int | None:
        if self.slot is None or self.anchor is None:
            return None
        row, col = self.anchor
        inside = 0 <= row < SIDE and 0 <= col < SIDE
        return (self.slot * SIDE + row) * SIDE + col if inside else None

    def _squares_under(self) -> list[tuple[int, int]]:
        """Return the squares of the quilt under the held patch."""
        if self.slot is None or self.anchor is None:
            return []
        row, col = self.anchor
        squares = [(row + r, col + c) for r, c in cells_of(self._shape(self.slot))]
        return [(r, c) for r, c in squares if 0 <= r < SIDE and 0 <= c < SIDE]

    def _shape(self, slot: int) -> int:
        return int(self.session.engine.state["tray"][0, slot])
