"""Watching a player: what it does, what it thinks, how it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents import Agent
from quiltrail.core.engine import Engine
from quiltrail.envs.rendering import Look, ansi, rgb_array
from quiltrail.play.foot import with_foot
from quiltrail.play.session import Session, in_words
from quiltrail.render import Canvas, theme_named

#: A policy's most probable actions: engine -> (flat action, probability) pairs.
Thoughts = Callable[[Engine], list[tuple[int, float]]]

_FOOT_UNITS = 24.0
_LINE, _FIRST_LINE, _MARGIN = 5.6, 4.2, 4.0
_BAR_LEFT, _BAR_RIGHT = 55.0, 84.0


@dataclass(frozen=True)
class Reference:
    """A player of whom the score on the same seed is known."""

    name: str
    score: float


class Watched:
    """A session that a player plays, and what is to be said about it.

    Args:
        session: the game.
        player: who plays it.
        thoughts: asked before every action, if there are any.
        reference: whom the score is compared with.
    """

    def __init__(
        self,
        session: Session,
        player: Agent,
        thoughts: Thoughts | None = None,
        reference: Reference | None = None,
    ) -> None:
        player.check_game(session.engine)
        self.session = session
        self.reference = reference
        self.last = "start"
        self.options: list[tuple[str, float]] = []
        self._player = player
        self._thoughts = thoughts
        self._think()

    def step(self) -> None:
        """Let the player act once."""
        session = self.session
        action = int(self._player.act(session.engine)[0])
        session.play(action)
        reward = f", {session.reward:+g}" if session.reward else ""
        refused = ", refused" if session.refusal else ""
        self.last = f"{in_words(session.action_of(action))}{reward}{refused}"
        self._think()

    def _think(self) -> None:
        self.options = []
        if self._thoughts is not None and not self.session.over:
            decode = self.session.action_of
            pairs = self._thoughts(self.session.engine)
            self.options = [(in_words(decode(action)), share) for action, share in pairs]

    def standing(self) -> str:
        """Return the score, and the reference's on the same seed."""
        words = f"score {self.session.score:,}"
        if self.reference is None:
            return words
        words += f" of {self.reference.name}'s {self.reference.score:,.0f}"
        if self.reference.score > 0:
            words += f" ({self.session.score / self.reference.score:.1%})"
        return words

    def text(self) -> str:
        """Return everything for a terminal."""
        lines = [ansi(self.session.engine, 0).rstrip("\n"), "", self.summary(), self.standing()]
        lines += [f"  {share:6.1%}  {words}" for words, share in self.options]
        return "\n".join(lines) + "\n"

    def summary(self) -> str:
        """Return which step this is and what was done last."""
        return f"step {len(self.session.record.actions)}: {self.last}"

    def picture(self, look: Look) -> NDArray[np.uint8]:
        """Return the position with a foot that says the rest, (rows, columns, 3) uint8."""
        board = rgb_array(self.session.engine, 0, look)
        return with_foot(board, self._paint_foot, _FOOT_UNITS, theme_named(look.theme))

    def _paint_foot(self, canvas: Canvas) -> None:
        theme = canvas.theme
        room = canvas.width - 2 * _MARGIN
        y = _FIRST_LINE
        canvas.fitted_text(self.standing(), _MARGIN, y, 2.8, room, theme.ink, align="left")
        for words, share in self.options:
            y += _LINE
            canvas.fitted_text(words, _MARGIN, y, 2.6, 48, theme.ink, align="left")
            wide = _BAR_RIGHT - _BAR_LEFT
            canvas.rect(_BAR_LEFT, y - 1.3, wide, 2.6, theme.well, radius=0.8)
            canvas.rect(_BAR_LEFT, y - 1.3, max(wide * share, 0.4), 2.6, theme.accent, radius=0.8)
            right = canvas.width - _MARGIN
            canvas.text(f"{share:.1%}", right, y, 2.6, theme.muted, align="right")
        if not self.options:
            y += _LINE
            canvas.fitted_text(self.summary(), _MARGIN, y, 2.6, room, theme.muted, align="left")
