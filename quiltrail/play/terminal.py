"""Single keys from a terminal; a pipe or a system without termios has none."""

from __future__ import annotations

import os
import select
import sys
from importlib import import_module
from typing import Any, Self

_NAMES = {" ": "space", "\x1b": "escape", "\x1b[C": "right", "\x1b[D": "left", "\x03": "q"}
_LONGEST = 8  # bytes of an arrow key and more

#: Moves the cursor home and clears the screen below it.
CLEAR = "\x1b[H\x1b[J"


class Keys:
    """Reads keys without waiting for Enter, as a context; the terminal is as before after it."""

    def __init__(self) -> None:
        self._before: Any = None
        self._termios: Any = None

    @property
    def live(self) -> bool:
        """Whether keys can be read."""
        return self._before is not None

    def __enter__(self) -> Self:
        try:
            self._termios = import_module("termios")
            self._before = self._termios.tcgetattr(sys.stdin.fileno())
            import_module("tty").setcbreak(sys.stdin.fileno())
        except (ImportError, OSError, ValueError):
            self._before = None
        except Exception as error:  # termios.error has no common base
            if type(error).__name__ != "error":
                raise
            self._before = None
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            file = sys.stdin.fileno()
            self._termios.tcsetattr(file, self._termios.TCSADRAIN, self._before)

    def read(self, seconds: float) -> str | None:
        """Return the name of a key, waiting so long for one; None without one."""
        if not self.live or not select.select([sys.stdin], [], [], seconds)[0]:
            return None

        text = os.read(sys.stdin.fileno(), _LONGEST).decode(errors="ignore")
        return _NAMES.get(text, text[:1])
