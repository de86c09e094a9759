"""What a player is: it looks at an engine's games and names one action for each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError


class Agent(ABC):
    """A player that does not learn.

    ``games`` names the engines it can play; empty means every game.
    """

    games: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def act(self, engine: Engine) -> NDArray[np.int64]:
        """Return a legal action for every row, (B,) int64; 0 where the game has ended."""

    def check_game(self, engine: Engine) -> None:
        """Raise `OptionError` unless this player can play that game."""
        if self.games and engine.game not in self.games:
            raise OptionError(
                f"{type(self).__name__} plays {', '.join(self.games)}, not {engine.game}"
            )
