"""How fast a game is shown: pause, single steps, speed."""

from __future__ import annotations

SLOWEST, FASTEST = 1 / 4, 64.0
HELP = "space pause, n or right step, + - speed, q quit"


class Pace:
    """Decides when the next step is due.

    Attributes:
        speed: steps a second.
        paused: whether only single steps are made.
        stopped: whether the viewer has asked to stop.

    Args:
        speed: steps a second at the start.
        paused: whether it starts paused.
    """

    def __init__(self, speed: float, *, paused: bool = False) -> None:
        self.speed = min(max(speed, SLOWEST), FASTEST)
        self.paused = paused
        self.stopped = False
        self._wanted = 0
        self._last = 0.0

    def press(self, key: str) -> None:
        """Take a key: space, n or right, +, -, q or escape; others do nothing."""
        if key in ("space", " "):
            self.paused = not self.paused
        elif key in ("n", "right"):
            self.paused = True
            self._wanted += 1
        elif key in ("+", "="):
            self.speed = min(2 * self.speed, FASTEST)
        elif key == "-":
            self.speed = max(self.speed / 2, SLOWEST)
        elif key in ("q", "escape"):
            self.stopped = True

    def is_due(self, now: float) -> bool:
        """Return whether to make a step now, and count it as made; ``now`` is in seconds."""
        if self._wanted:
            self._wanted -= 1
        elif self.paused or now - self._last < 1 / self.speed:
            return False
        self._last = now
        return True

    def words(self) -> str:
        """Return speed or pause in words."""
        return "paused" if self.paused else f"{self.speed:g} steps/s"
