"""The window of ``quiltrail watch``."""

from __future__ import annotations

import time
from typing import Any

from quiltrail.core.extras import require
from quiltrail.envs.rendering import Look
from quiltrail.play.pace import HELP, Pace
from quiltrail.play.watched import Watched
from quiltrail.render.window import FRAMES_A_SECOND, Window


def watch_in_window(watched: Watched, pace: Pace, look: Look) -> None:
    """Show a game until the window is closed.

    Args:
        watched: the game.
        pace: how fast; keys change it.
        look: size and theme of the picture.

    Raises:
        MissingExtraError: if pygame is not installed.
    """
    require("render", "pygame")
    import pygame

    window = Window("", FRAMES_A_SECOND)
    picture = watched.picture(look)
    try:
        while not pace.stopped:
            window.title = f"{watched.summary()} - {pace.words()} - {HELP}"
            window.show(picture)
            for event in window.events():
                _take(pygame, event, pace)
            if not watched.session.over and pace.is_due(time.monotonic()):
                watched.step()
                picture = watched.picture(look)
    finally:
        window.close()


def _take(pygame: Any, event: Any, pace: Pace) -> None:
    if event.type == pygame.QUIT:
        pace.stopped = True
    elif event.type == pygame.KEYDOWN:
        pace.press(
            event.unicode if event.unicode in ("+", "=", "-") else pygame.key.name(event.key)
        )
