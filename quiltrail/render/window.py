"""A window on the screen for pictures; Gymnasium's "human" mode has its own."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.extras import require

FRAMES_A_SECOND = 60  # of a window that answers to hands


class Window:
    """Shows one picture after another; it opens with the first.

    A copy, by pickle or deepcopy, starts closed.

    Args:
        title: of the window; one set later comes with the next picture.
        fps: pictures a second at most; `show` waits so long.
    """

    def __init__(self, title: str, fps: int) -> None:
        self.title = title
        self.fps = fps
        self._pygame: Any = None  # an extra: found when the window opens
        self._screen: Any = None
        self._clock: Any = None

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Show a picture, (height, width, 3) uint8.

        Raises:
            MissingExtraError: if pygame is not installed.
        """
        if self._screen is None:
            self._open(width=picture.shape[1], height=picture.shape[0])
        pygame = self._pygame
        pygame.display.set_caption(self.title)
        surface = pygame.surfarray.make_surface(np.swapaxes(picture, 0, 1))
        self._screen.blit(surface, (0, 0))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(self.fps)

    def events(self) -> list[Any]:
        """Return pygame's events since the last call, none while the window is closed."""
        return [] if self._screen is None else list(self._pygame.event.get())

    def close(self) -> None:
        """Close the window; the next picture opens it again."""
        if self._screen is not None:
            self._pygame.display.quit()
            self._screen = None

    def _open(self, width: int, height: int) -> None:
        require("render", "pygame")
        self._pygame = import_module("pygame")
        self._pygame.display.init()
        self._screen = self._pygame.display.set_mode((width, height))
        self._clock = self._pygame.time.Clock()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return type(self)(self.title, self.fps)

    def __reduce__(self) -> tuple[type[Self], tuple[str, int]]:
        return type(self), (self.title, self.fps)
