"""Games of one board after another: the source of the boards, and the engine that asks for them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from numpy.typing import NDArray

from quiltrail.core.array_types import Record, Rows, StateArray
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, shown


class BoardSource(ABC):
    """A sequence of boards for every game seed.

    Attributes:
        settings: what shapes the sequence, as JSON values.
        extra_fields: what the source keeps in a game's record beside the game's own fields.
    """

    settings: Mapping[str, Any]
    extra_fields: tuple[tuple[Any, ...], ...] = ()

    @abstractmethod
    def deal(self, state: StateArray, rows: Rows, *, fresh: bool) -> None:
        """Write the boards of some rows by their numbers, which are in the records.

        A fresh run may begin at any board; otherwise the record still holds the board before, and
        what the source keeps.
        """

    @abstractmethod
    def check_board(self, game: Record) -> None:
        """Raise `StateError` unless this source deals this board to its seed at its number."""

    def view_fields(self, game: Record) -> dict[str, Any]:
        """Return what the view tells about where this board comes from."""
        return {}


class BoardEngine(Engine):
    """B games of one board after another.

    Args:
        num_games: B.
        source: where boards come from.
        one_board: whether clearing a board ends the run, which then counts as won.
        settings: as in `Engine`; by default those of the source.
        layout: the other arguments of `Engine`.

    Raises:
        OptionError: if ``one_board`` is no bool.
    """

    usual_start: ClassVar[int] = 1
    source: BoardSource

    def __init__(
        self,
        num_games: int,
        source: BoardSource,
        *,
        one_board: bool,
        settings: Mapping[str, Any] | None,
        **layout: Any,
    ) -> None:
        if type(one_board) is not bool:
            raise OptionError(f"one_board is True or False, got {shown(one_board)}")
        self.source = source
        self.one_board = one_board
        super().__init__(
            num_games,
            settings=source.settings if settings is None else settings,
            judges_success=one_board,
            **layout,
        )

    def _start(self, rows: Rows, seeds: NDArray[Any], **start: NDArray[Any]) -> None:
        super()._start(rows, seeds, **start)
        self.source.deal(self.state, rows, fresh=True)

    def _go_on(self, rows: Rows) -> None:
        self.source.deal(self.state, rows, fresh=False)
