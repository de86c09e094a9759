"""The engine: a batch of B games of one kind, in numpy arrays.

An engine owns one structured array ``state`` of B records (``state["score"]`` is the (B,) array of
that field, so it reads as a struct of arrays; one record array costs a kernel call a third of what
ten arrays cost, and a row is cloned by one assignment). A step is one kernel, one pass over the
rows: judge the action by the legal set, play it, find the new legal set, expand it to the mask,
write the observation. Everything lies in arrays made once; adapters copy out.

A game writes a subclass with its record type, its observation fields and the kernels; rows, JSON,
snapshots, cloning and refusals live here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from quiltrail.core import legality
from quiltrail.core.actions import (
    REASONS,
    REFUSALS,
    ActionCodec,
    JsonAction,
    RefusalCode,
    clamp_index,
)
from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import Record, Rows, StateArray
from quiltrail.core.errors import ActionFormatError, StateError
from quiltrail.core.observation import ObservationField
from quiltrail.core.play import BatchPlay
from quiltrail.core.snapshot import STATE_FORMAT, fill_record
from quiltrail.core.symmetry import Symmetry

_LARGEST_START = 2**31 - 1  # sums over the boards before it stay far from overflow


@dataclass(frozen=True)
class Verdict:
    """What became of a submitted JSON action."""

    code: int
    reason: str

    @property
    def accepted(self) -> bool:
        """Whether the action was played."""
        return self.code == RefusalCode.ACCEPTED

    @property
    def name(self) -> str:
        """The published name of the refusal, or "accepted"."""
        return REFUSALS[self.code]


class Engine(BatchPlay, ABC):
    """A batch of B games. Every row always holds a valid game; new engines hold game seed 0.

    Its arrays are those of `quiltrail.core.arrays.BatchArrays`.

    Args:
        num_games: B, at least 1.
        state_dtype: the record type; it has ``seed`` (u4), ``score`` (i8) and ``turn`` (i8).
        fields: the observation's layout.
        codec: the action numbering and JSON grammar.
        derived_dtype: the record type of ``derived``, if the game has any use for it.
        settings: the keyword arguments that shape the rules, as JSON values.
        judges_success: whether an ended game counts as won or lost with these settings, if not
            always (the class's ``judges_success``).
    """

    game: ClassVar[str]
    #: Whether an ended game counts as won or lost, so that ``success`` is an array.
    judges_success: ClassVar[bool] = False
    #: The reset option that chooses where a game starts, if there is one, beside ``game_seed`` and
    #: ``state``.
    start_options: ClassVar[tuple[str, ...]] = ()
    #: The module that draws this game: one function (engine, row) for each render mode.
    drawing: ClassVar[str]
    #: The module that puts this game into words; see `quiltrail.envs.wording`.
    wording: ClassVar[str]
    #: The module that tells what each action leads to, if the game has one: ``fields(engine)`` of
    #: A rows each, named ``after_*``; ``SPARED``, the observation fields that they can stand in
    #: for; and ``look_ahead(engine)``, the fields of all games as a structured array (B,).
    afterstates: ClassVar[str | None] = None

    def __init__(
        self,
        num_games: int,
        *,
        state_dtype: np.dtype[np.void],
        fields: Sequence[ObservationField],
        codec: ActionCodec,
        derived_dtype: np.dtype[np.void] | None = None,
        settings: Mapping[str, Any] | None = None,
        judges_success: bool = False,
    ) -> None:
        super().__init__(
            num_games,
            state_dtype=state_dtype,
            derived_dtype=derived_dtype or np.dtype([]),
            fields=fields,
            num_actions=codec.num_actions,
            judges_success=self.judges_success or judges_success,
        )
        self.codec = codec
        self.settings = dict(settings or {})
        self.reset(self._all_rows, np.zeros(num_games, np.uint64))

    # What a game writes.

    @abstractmethod
    def _view(self, row: int) -> dict[str, Any]:
        """Return what the publisher's observation publishes, without ``legalActions``."""

    @abstractmethod
    def _check_record(self, record: Record) -> None:
        """Raise `StateError`, naming the field, unless a game can be in this state."""

    def _particulars(self, row: int, action: int, code: int) -> str:
        """Return what is special about a refusal here, or an empty string."""
        return ""

    def symmetry(self) -> Symmetry | None:
        """Return the game's symmetry, if it has one."""
        return None

    def check_start(self, name: str, value: object) -> int:
        """Return a start option as an int.

        Raises:
            OptionError: if the value is not allowed; games override this for their own ranges.
        """
        return check_int(f'option "{name}"', value, 1, _LARGEST_START)

    # Actions and positions as JSON.

    def submit(self, row: int, action: object) -> Verdict:
        """Play a JSON action in one row; anything may come in, nothing raises."""
        try:
            index = self.codec.encode(action)
        except ActionFormatError as error:
            return Verdict(error.code, str(error))
        self.step(np.array([index]), np.array([row]))
        code = int(self.refusal[row])
        return Verdict(code, self.explain(row, index, code))

    def explain(self, row: int, action: int, code: int) -> str:
        """Return a sentence that says why ``action`` got ``code`` in this position."""
        if code == RefusalCode.ACCEPTED:
            return REASONS[code]
        inside = 0 <= action < self.num_actions
        particulars = self._particulars(row, action, code) if inside else f"index {action}"
        legal = legality.indices(self.legal[row])
        kinds = dict.fromkeys(self.codec.kind_of(index).type for index in legal)
        allowed = f"legal now: {', '.join(kinds)}" if kinds else "no action is legal now"
        return f"{REASONS[code]}{f' ({particulars})' if particulars else ''}; {allowed}"

    def refusal_of(self, row: int, action: int) -> int:
        """Return the code that a flat action would get, without playing it."""
        probe = self.branch(np.array([row]))
        probe.step(np.array([clamp_index(action)]))
        return int(probe.refusal[0])

    def legal_indices(self, row: int) -> list[int]:
        """Return the legal flat actions of a row, ascending."""
        return legality.indices(self.legal[row])

    def legal_actions(self, row: int) -> list[JsonAction]:
        """Return the exact published legal list of a row, ascending by action index."""
        return [self.codec.decode(index) for index in self.legal_indices(row)]

    def view(self, row: int) -> dict[str, Any]:
        """Return what the publisher's observation publishes, in its own field names."""
        return {**self._view(row), "legalActions": self.legal_actions(row)}

    def position(self, row: int) -> dict[str, Any]:
        """Return the view without its legal list, which is most of its cost."""
        return self._view(row)

    # Snapshots.

    def get_state(self, row: int) -> dict[str, Any]:
        """Return the complete state of a row as JSON values, hidden parts included."""
        record = self.state[row]
        names: tuple[str, ...] = self.state.dtype.names or ()
        return {
            "game": self.game,
            "format": STATE_FORMAT,
            "settings": deepcopy(self.settings),
            **{name: record[name].tolist() for name in names},
        }

    def set_state(self, row: int, state: Mapping[str, Any]) -> None:
        """Continue exactly from a state of `get_state`.

        Raises:
            StateError: if it is malformed or impossible; the row is untouched then.
        """
        self.restore(np.array([row]), [self.parse_state(state)])

    def parse_state(self, state: object) -> Record:
        """Return the record of a state, fully checked.

        A record that this method returned before is taken as it is.

        Raises:
            StateError: a sentence that names the field that is wrong.
        """
        if isinstance(state, np.void) and state.dtype == self.state.dtype:
            return state
        scratch = np.zeros(1, self.state.dtype)
        fill_record(scratch[0], state, self.game, self.settings)
        self._check_record(scratch[0])
        return scratch[0]

    def checked_records(self, records: StateArray) -> list[Record]:
        """Return records (R,) that come from a file, fully checked, for `restore`.

        Raises:
            StateError: if their layout is another one, or a game cannot be in such a state.
        """
        dtype = self.state.dtype
        if records.dtype != dtype:
            raise StateError(f"records of {self.game} have another layout in this version")
        # A file forgets that the fields were aligned. numpy calls such records equal all the same,
        # numba compiles every kernel anew for them.
        own = records.view(dtype)
        for record in own:
            self._check_record(record)
        return list(own)

    def restore(self, rows: Rows, records: Sequence[Record]) -> None:
        """Write records of `parse_state` into rows."""
        for row, record in zip(rows, records, strict=True):
            self.state[row] = record
        self._settle(rows)
