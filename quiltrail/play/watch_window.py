"""The window of ``quiltrail watch``."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from quiltrail.core.extras import require
from quiltrail.envs.rendering import Look
from quiltrail.play.pace import HELP, Pace
from quiltrail.play.watched import Watched

_FRAMES_A_SECOND = 60


def watch_in_window(watched: Watched, pace: Pace, look: Look, *, stay: bool = True) -> None:
    """Show a game until it is over and the window is closed.

    Args:
        watched: the game.
        pace: how fast; keys change it.
        look: size and theme of the picture.
        stay: whether the window stays open at the end of the game.

    Raises:
        MissingExtraError: if pygame is not installed.
    """
    require("render", "pygame")
    import pygame

    pygame.display.init()
    try:
        picture = watched.picture(look)
        screen = pygame.display.set_mode((picture.shape[1], picture.shape[0]))
        clock = pygame.time.Clock()
        while not pace.stopped and (stay or not watched.session.over):
            for event in pygame.event.get():
                _take(pygame, event, pace)
            if not watched.session.over and pace.is_due(time.monotonic()):
                watched.step()
                picture = watched.picture(look)
            pygame.display.set_caption(f"{watched.summary()} - {pace.words()} - {HELP}")
            screen.blit(pygame.surfarray.make_surface(np.swapaxes(picture, 0, 1)), (0, 0))
            pygame.display.flip()
            clock.tick(_FRAMES_A_SECOND)
    finally:
        pygame.display.quit()


def _take(pygame: Any, event: Any, pace: Pace) -> None:
    if event.type == pygame.QUIT:
        pace.stopped = True
    elif event.type == pygame.KEYDOWN:
        pace.press(
            event.unicode if event.unicode in ("+", "=", "-") else pygame.key.name(event.key)
        )
