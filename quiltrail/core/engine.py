"""The engine: a batch of B games of one kind, in numpy arrays.

An engine owns one structured array ``state`` of B records (``state["score"]`` is the (B,) array of
that field, so it reads as a struct of arrays; one record array costs a kernel call a third of what
ten arrays cost, and a row is cloned by one assignment). A step runs five kernels over the rows:
judge the actions by the legal sets, advance the rules, find the new legal sets, expand them to
masks, write the observations. Everything lies in arrays made once; adapters copy out.

A game writes a subclass with its record type, its observation fields and the kernels; rows, JSON,
snapshots, cloning and refusals live here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from quiltrail.core import legality
from quiltrail.core.actions import (
    REASONS,
    REFUSALS,
    ActionCodec,
    JsonAction,
    RefusalCode,
    clamp_index,
)
from quiltrail.core.errors import (
    ActionFormatError,
    OptionError,
    StateError,
    shown,
    unknown_name_text,
)
from quiltrail.core.observation import ObservationField as ObservationField
from quiltrail.core.observation import observation_dtype as observation_dtype
from quiltrail.core.observation import sorted_fields
from quiltrail.core.symmetry import Symmetry

#: One game's record: a numpy structured scalar that is a view into ``state``.
Record = Any
StateArray = NDArray[np.void]
Rows = NDArray[np.int64]

STATE_FORMAT = 1


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


class Engine(ABC):
    """A batch of B games. Every row always holds a valid game; new engines hold game seed 0.

    Attributes:
        num_games: B.
        state: (B,) structured array, the complete state of every game.
        legal: (B, W) uint64, the legal sets (see `quiltrail.core.legality`).
        reward: (B,) float64, points of the last step.
        terminated: (B,) bool, whether the game has ended.
        refusal: (B,) int64, refusal code of the last step, 0 = accepted.
        derived: (B,) structured array of what a game keeps at hand although it follows from the
            state; it is no part of snapshots.
        success: (B,) bool, whether an ended game counts as won; None where the game has no such
            notion.

    All of them, `mask` and `observation` too, are live: the next step writes into them.

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
    #: Reset options that choose where a game starts, beside ``game_seed`` and ``state``.
    start_options: ClassVar[tuple[str, ...]] = ()
    #: The module that draws this game: one function (engine, row) for each render mode.
    drawing: ClassVar[str]
    #: The module that puts this game into words; see `quiltrail.envs.wording`.
    wording: ClassVar[str]
    #: The module that tells what each action leads to, if the game has one: ``fields(engine)`` of
    #: A rows each, named after_*; ``SPARED``, the observation fields that they can stand in for;
    #: and ``look_ahead(engine)``, the fields of all games as a structured array (B,).
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
        self.num_games = check_num_games(num_games)
        self.fields = sorted_fields(fields)
        self.codec = codec
        self.num_actions = codec.num_actions
        self.settings = dict(settings or {})
        self.state: StateArray = np.zeros(num_games, state_dtype)
        self.derived: StateArray = np.zeros(num_games, derived_dtype or np.dtype([]))
        self.legal = np.zeros((num_games, legality.word_count(self.num_actions)), np.uint64)
        self.reward = np.zeros(num_games, np.float64)
        self.terminated = np.zeros(num_games, np.bool_)
        self.refusal = np.zeros(num_games, np.int64)
        self.success = (
            np.zeros(num_games, np.bool_) if self.judges_success or judges_success else None
        )
        self._mask_words = np.zeros(
            (num_games, legality.mask_word_count(self.num_actions)), np.uint64
        )
        self._observation: StateArray = np.zeros(num_games, observation_dtype(self.fields))
        self._all_rows = np.arange(num_games)
        self.reset(self._all_rows, np.zeros(num_games, np.uint64))

    # What a game writes.

    @abstractmethod
    def _start(self, rows: Rows, seeds: NDArray[np.uint64], **start: NDArray[np.int64]) -> None:
        """Write fresh games into rows; ``start`` has checked values of `start_options`."""

    @abstractmethod
    def _advance(self, rows: Rows, actions: NDArray[np.int64]) -> None:
        """Play accepted actions (write ``reward``); diagnose the `legality.UNDIAGNOSED` ones."""

    @abstractmethod
    def _find_legal(self, rows: Rows) -> None:
        """Write the legal sets of rows; empty exactly when the game has ended."""

    @abstractmethod
    def _observe(self, rows: Rows) -> None:
        """Write the observations of rows."""

    @abstractmethod
    def _view(self, row: int) -> dict[str, Any]:
        """Return what the publisher's observation publishes, without ``legalActions``."""

    @abstractmethod
    def _check_record(self, record: Record) -> None:
        """Raise `StateError`, naming the field, unless a game can be in this state."""

    def _derive(self, rows: Rows) -> None:  # noqa: B027  (most games derive nothing)
        """Write ``derived`` of rows whose state did not come about by `_advance`."""

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
        if type(value) is not int or not 1 <= value <= np.iinfo(np.int32).max:
            raise OptionError(f'option "{name}" is an int from 1 on, got {shown(value)}')
        return value

    # Playing.

    @property
    def mask(self) -> NDArray[np.int8]:
        """(B, A) int8 action masks, live; all ones after a game's end."""
        return self._mask_words.view(np.int8)[:, : self.num_actions]

    @property
    def _observation_words(self) -> NDArray[np.uint64]:
        """(B, W) uint64, the observations as whole words, live; see `field_words`."""
        return self._observation.view(np.uint64).reshape(self.num_games, -1)

    @property
    def observation(self) -> dict[str, NDArray[Any]]:
        """The observation fields, each (B, ...), live."""
        return {one.name: self._observation[one.name] for one in self.fields}

    def observation_of(self, row: int) -> dict[str, NDArray[Any]]:
        """Return fresh copies of one row's observation fields."""
        batch = self._observation
        return {one.name: batch[one.name][row].copy() for one in self.fields}

    @property
    def score(self) -> NDArray[np.int64]:
        """(B,) int64, the published score so far."""
        return self.state["score"]

    @property
    def game_seed(self) -> NDArray[np.uint32]:
        """(B,) uint32, the seed each running game was started with."""
        return self.state["seed"]

    def reset(self, rows: Rows, seeds: NDArray[np.uint64], **start: NDArray[np.int64]) -> None:
        """Start new games in rows, one seed each; ``start`` as in `start_options`."""
        self._start(rows, seeds, **start)
        self._settle(rows)

    def step(self, actions: NDArray[np.int64], rows: Rows | None = None) -> None:
        """Play one action in every row, or in the given rows only.

        A refused action changes nothing but ``refusal``; it never raises.
        """
        if rows is None:
            rows = self._all_rows
        legality.judge(
            self.legal,
            self.terminated,
            rows,
            actions,
            self.num_actions,
            self.reward,
            self.refusal,
        )
        self._advance(rows, actions)
        self._refresh(rows)

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
        _fill_record(scratch[0], state, self.game, self.settings)
        self._check_record(scratch[0])
        return scratch[0]

    def check_records(self, records: StateArray) -> None:
        """Check records (R,) that come from a file.

        Raises:
            StateError: if their layout is another one, or a game cannot be in such a state.
        """
        if records.dtype != self.state.dtype:
            raise StateError(f"records of {self.game} have another layout in this version")
        for record in records:
            self._check_record(record)

    def restore(self, rows: Rows, records: Sequence[Record]) -> None:
        """Write records of `parse_state` into rows."""
        for row, record in zip(rows, records, strict=True):
            self.state[row] = record
        self._settle(rows)

    def clone_rows(self, src: Rows, dst: Rows) -> None:
        """Copy whole games from rows ``src`` to rows ``dst``, as many each."""
        for array in self._row_arrays():
            array[dst] = array[src]

    def branch(self, rows: Rows) -> Self:
        """Return a new engine whose games are copies of these rows, in this order."""
        # deepcopy takes what its memo already holds: for each (B, ..) array, the chosen rows.
        twin = deepcopy(self, {id(array): array[rows] for array in self._row_arrays()})
        twin.num_games = len(rows)
        twin._all_rows = np.arange(len(rows))
        return twin

    def copy(self) -> Self:
        """Return an independent copy of the whole batch."""
        return deepcopy(self)

    def _row_arrays(self) -> list[NDArray[Any]]:
        arrays = (
            self.state,
            self.derived,
            self.legal,
            self.reward,
            self.terminated,
            self.refusal,
            self.success,
            self._mask_words,
            self._observation,
        )
        return [array for array in arrays if array is not None]

    def _settle(self, rows: Rows) -> None:
        """Make everything derived fit new states in rows."""
        self.reward[rows] = 0.0
        self.refusal[rows] = RefusalCode.ACCEPTED
        self._derive(rows)
        self._refresh(rows)

    def _refresh(self, rows: Rows) -> None:
        self._find_legal(rows)
        legality.expand(self.legal, rows, self._mask_words, self.terminated)
        self._observe(rows)


def check_num_games(num_games: object) -> int:
    """Return B.

    Raises:
        OptionError: if it is not an int of at least 1.
    """
    if type(num_games) is not int or num_games < 1:
        raise OptionError(f"the number of games is an int of at least 1, got {shown(num_games)}")
    return num_games


def _fill_record(record: Record, state: object, game: str, settings: Mapping[str, Any]) -> None:
    """Copy the JSON values of a state into a record, checking types, shapes and ranges."""
    if not isinstance(state, Mapping):
        raise StateError(f"a state is a dict from get_state, got {type(state).__name__}")
    names: tuple[str, ...] = record.dtype.names
    expected = {"game": game, "format": STATE_FORMAT, "settings": dict(settings)}
    for name in state:
        if name not in names and name not in expected:
            raise StateError(unknown_name_text("state field", name, [*expected, *names]))
    for name in (*expected, *names):
        if name not in state:
            raise StateError(f'the state lacks the field "{name}"')
    for name, value in expected.items():
        if state[name] != value:
            raise StateError(
                f'state field "{name}" has to be {shown(value)}, got {shown(state[name])}'
            )
    for name in names:
        record[name] = _field_values(name, state[name], record.dtype[name])


def _field_values(name: str, value: object, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return a state field as an array of its exact shape and type."""
    base, shape = dtype.subdtype or (dtype, ())
    leaves = _leaves(name, value, shape)
    bounds = np.iinfo(base)
    for leaf in leaves:
        if type(leaf) is not int or not bounds.min <= leaf <= bounds.max:
            raise StateError(
                f'state field "{name}" holds ints from {bounds.min} to {bounds.max}, '
                f"got {shown(leaf)}"
            )
    return np.array(leaves, base).reshape(shape)


def _leaves(name: str, value: object, shape: tuple[int, ...]) -> list[Any]:
    """Return the numbers of nested lists of this shape, row by row."""
    if not shape:
        return [value]
    if not isinstance(value, (list, tuple)) or len(value) != shape[0]:
        raise StateError(f'state field "{name}" is a list of shape {shape}, got {shown(value)}')
    return [leaf for part in value for leaf in _leaves(name, part, shape[1:])]
