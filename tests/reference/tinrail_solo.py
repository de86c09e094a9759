"""Tinrail for one player, slow and obvious: the match, and a bot that replies."""

from __future__ import annotations

from typing import Any

from tests.reference.tinrail import TinrailReference
from tests.reference.tinrail_bots import bot_named


class TinrailSoloReference:
    """One seat of a match; an opponent answers in the other.

    Args:
        seed: taken modulo 2**32.
        opponent: "wise", "easy" or "random".
        seat: 0 moves first.
    """

    def __init__(self, seed: int = 0, opponent: str = "wise", seat: int = 0) -> None:
        self.match = TinrailReference(seed)
        self.seat, self.easy = seat, opponent == "easy"
        self.bot = bot_named(opponent, seed)
        self._reply()

    def _reply(self) -> None:
        if not self.match.ended and self.match.to_move != self.seat:
            reply = self.match.decode(self.bot.choose(self.match))
            assert self.match.play(reply) == "accepted"

    @property
    def score(self) -> int:
        return self.match.final_score(self.seat, self.easy)

    @property
    def ended(self) -> bool:
        return self.match.ended

    def legal_actions(self) -> list[dict[str, Any]]:
        return self.match.legal_actions()

    def play(self, action: object) -> str:
        name = self.match.play(action)
        if name == "accepted":
            self._reply()
        return name

    def view(self) -> dict[str, Any]:
        return self.match.view()
