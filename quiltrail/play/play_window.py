"""The window of ``quiltrail play``: pygame's events go to a table, its picture to the screen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.extras import require
from quiltrail.envs.rendering import Look
from quiltrail.play.best import BestScores
from quiltrail.play.foot import with_foot
from quiltrail.play.session import Session
from quiltrail.play.table import Table, make_table
from quiltrail.render import PICTURE_UNITS, Canvas, raster, theme_named
from quiltrail.render.window import FRAMES_A_SECOND, Window

_FOOT_UNITS = 12.0
_LEFT_BUTTON = 1


class GameWindow:
    """One game on the screen.

    Args:
        session: the game.
        best: where best scores are kept.
        look: width and theme.
    """

    def __init__(self, session: Session, best: BestScores, look: Look) -> None:
        self.session = session
        self.table: Table = make_table(session)
        self.closed = False
        self._best = best
        self._look = look
        self._noted = False

    def take(self, pygame: Any, event: Any) -> bool:
        """Take an event; return whether the picture may have changed."""
        if event.type == pygame.QUIT:
            self.closed = True
        elif event.type == pygame.KEYDOWN:
            self.table.press(pygame.key.name(event.key))
        elif event.type == pygame.MOUSEMOTION:
            self.table.move(*self._units(event.pos))
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == _LEFT_BUTTON:
            self.table.down(*self._units(event.pos))
        elif event.type == pygame.MOUSEBUTTONUP and event.button == _LEFT_BUTTON:
            self.table.up(*self._units(event.pos))
        else:
            return False
        self._note_score()
        return True

    def picture(self) -> NDArray[np.uint8]:
        """Return what the window shows, (rows, columns, 3) uint8."""
        theme = theme_named(self._look.theme)
        board = raster(self.table.paint, size=self._look.size, theme=theme)
        return with_foot(board, self._paint_foot, _FOOT_UNITS, theme)

    def _units(self, point: tuple[int, int]) -> tuple[float, float]:
        scale = PICTURE_UNITS / self._look.size
        return point[0] * scale, point[1] * scale

    def _note_score(self) -> None:
        """Keep the score of a game that is over, once."""
        session = self.session
        if session.over and not self._noted:
            settings = session.engine.settings
            self._best.add(session.spec.id, settings, session.score, session.seed)
        self._noted = session.over

    def _paint_foot(self, canvas: Canvas) -> None:
        theme, session = canvas.theme, self.session
        best = self._best.best(session.spec.id, session.engine.settings)
        words = self.table.message
        if session.over:
            words = f"over, score {session.score:,}; Enter starts another game"
        canvas.fitted_text(words, 4, 3.8, 2.4, 68, theme.ink, align="left", bold=True)
        if best is not None:
            canvas.fitted_text(f"best {best:,}", 96, 3.8, 2.4, 22, theme.muted, align="right")
        canvas.fitted_text(self.table.keys, 4, 8.4, 2.0, 92, theme.muted, align="left")


def play_in_window(session: Session, best: BestScores, look: Look) -> None:
    """Play until the window is closed.

    Raises:
        MissingExtraError: if pygame is not installed.
        OptionError: if the game has no window.
    """
    require("render", "pygame")
    import pygame

    game = GameWindow(session, best, look)
    window = Window(session.spec.name, FRAMES_A_SECOND)
    picture = game.picture()
    try:
        while not game.closed:
            window.show(picture)
            changes = [game.take(pygame, event) for event in window.events()]
            if any(changes):
                picture = game.picture()
    finally:
        window.close()
