"""Seeds, reset options and the time limit of a batch: what every adapter shares.

`GameBatch` sits between an engine, which knows games but no episodes, and the adapters (`GameEnv`,
`GameVectorEnv`, the SB3 VecEnv), which only shape its arrays for their library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import Record, Rows
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, StateError, shown, unknown_name_text
from quiltrail.core.jit import compiled
from quiltrail.core.legality import has_action
from quiltrail.core.mulberry32 import SEED_RANGE, STREAM_NEXT_GAMES, as_seed, jump, mix

Seeds = int | Sequence[int | None] | None

_STREAM_NEXT_GAMES = np.uint64(STREAM_NEXT_GAMES)
_NEVER_SEEDED = -1
_MOST_GAMES = 2**62  # in a state from outside: int64 counters can still go on from it


class _SeedStreams:
    """The sequence of game seeds of each row.

    Row i seeded s plays game seed s first; its k-th next game has the k-th output of Mulberry32
    seeded with s XOR a constant. Source: RULES, "All games".
    """

    def __init__(self, num_rows: int) -> None:
        self.seeds = np.zeros(num_rows, np.uint64)
        self.games = np.full(num_rows, _NEVER_SEEDED, np.int64)

    def seed(self, rows: Rows, seeds: NDArray[np.uint64]) -> None:
        """Begin new streams: the next game of each row is its seed itself."""
        self.seeds[rows] = seeds
        self.games[rows] = 0

    def never_seeded(self, rows: Rows) -> Rows:
        """Return those of the rows that have no stream yet."""
        unseeded: Rows = rows[self.games[rows] == _NEVER_SEEDED]
        return unseeded

    def next_games(self, rows: Rows) -> NDArray[np.uint64]:
        """Return the next game seed of each row, (R,) uint64, and move on."""
        drawn = np.empty(len(rows), np.uint64)
        _next_games(self.seeds, self.games, rows, drawn)
        return drawn


@compiled
def _next_games(
    seeds: NDArray[np.uint64],
    games: NDArray[np.int64],
    rows: NDArray[np.int64],
    drawn: NDArray[np.uint64],
) -> None:
    for r in range(rows.shape[0]):
        row = rows[r]
        drawn[r] = seeds[row]  # the first game is the seed itself
        if games[row] > 0:
            drawn[r] = mix(jump(seeds[row] ^ _STREAM_NEXT_GAMES, games[row]))
        games[row] += 1


@dataclass
class _Start:
    """Reset options, checked and spread over the rows that are reset."""

    game_seeds: NDArray[np.uint64] | None = None
    records: list[Record] | None = None
    where: dict[str, NDArray[np.int64]] = field(default_factory=dict)


class GameBatch:
    """An engine with seed streams, reset options and a time limit.

    Args:
        engine: the games, one a row.
        max_episode_steps: steps after which an episode is truncated; None for never.
    """

    def __init__(self, engine: Engine, max_episode_steps: int | None = None) -> None:
        if max_episode_steps is not None:
            check_int("max_episode_steps", max_episode_steps, 1)
        self.engine = engine
        self.max_episode_steps = max_episode_steps
        self.streams = _SeedStreams(engine.num_games)
        self.elapsed = np.zeros(engine.num_games, np.int64)
        self.all_rows: Rows = np.arange(engine.num_games)

    def reset(
        self,
        rows: Rows,
        rng: np.random.Generator,
        seeds: Seeds = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Start the next episode in rows.

        Everything is checked before anything changes.

        Args:
            rows: the rows to reset.
            rng: where rows that were never seeded take their seed from, once.
            seeds: None to go on with each row's stream; s for s + i in row i; or one int or None
                for each row of the batch.
            options: ``game_seed`` starts the game of that seed and leaves the row's stream alone;
                ``state`` continues a saved state; the engine's own start options (``board``, ..)
                choose where a fresh game begins. Each is one value for all rows, or a list or
                array with one for each row of the batch.

        Raises:
            InvalidSeedError: if a seed is not an int.
            OptionError: if an option is unknown or its value not allowed.
            StateError: if a state is malformed or impossible.
        """
        start = self._check_options(rows, options) if options else _Start()
        if seeds is not None:
            self.streams.seed(*self._check_seeds(rows, seeds))
        fresh = self.streams.never_seeded(rows)
        if len(fresh):
            self.streams.seed(fresh, rng.integers(SEED_RANGE, size=len(fresh), dtype=np.uint64))
        self.elapsed[rows] = 0
        if start.records is not None:
            self.engine.restore(rows, start.records)
        elif start.game_seeds is not None:
            self.engine.reset(rows, start.game_seeds, **start.where)
        else:
            self.engine.reset(rows, self.streams.next_games(rows), **start.where)

    def step(self, actions: NDArray[np.int64], rows: Rows | None = None) -> NDArray[np.bool_]:
        """Play one action in each row (or in the given ones); return (B,) truncated flags."""
        self.engine.step(actions, rows)
        if rows is None:
            self.elapsed += 1
        else:
            self.elapsed[rows] += 1
        if self.max_episode_steps is None:
            return np.zeros(len(self.elapsed), np.bool_)
        return self.elapsed >= self.max_episode_steps

    def get_state(self, row: int) -> dict[str, Any]:
        """Return a row's complete state as JSON values: its game, steps and stream."""
        place = [int(self.streams.seeds[row]), int(self.streams.games[row])]
        return {
            **self.engine.get_state(row),
            "stream": place,
            "elapsed": int(self.elapsed[row]),
        }

    def set_state(self, row: int, state: object) -> None:
        """Continue a row exactly from a state of `get_state`.

        Raises:
            StateError: if it is malformed or impossible; nothing has changed then.
        """
        record = self.engine.parse_state(_game_part(state))
        extras = _check_extras(state)
        self.engine.restore(np.array([row]), [record])
        if "stream" in extras:
            self.streams.seeds[row], self.streams.games[row] = extras["stream"]
        self.elapsed[row] = extras.get("elapsed", 0)

    def observations(self) -> dict[str, NDArray[Any]]:
        """Return fresh copies of the observation fields, each (B, ...) and contiguous."""
        return {name: part.copy() for name, part in self.engine.observation.items()}

    def _check_options(self, rows: Rows, options: Mapping[str, Any]) -> _Start:
        """Return reset options spread over rows."""
        start = _Start()
        known = ("game_seed", "state", *self.engine.start_options)
        for name, value in options.items():
            if name not in known:
                raise OptionError(unknown_name_text("reset option", name, known))
            if value is None:
                continue
            values = self._spread(name, value, rows)
            if name == "game_seed":
                start.game_seeds = np.array([as_seed(one) for one in values], np.uint64)
            elif name == "state":
                start.records = [self.engine.parse_state(_game_part(one)) for one in values]
            else:
                checked = [self.engine.check_start(name, one) for one in values]
                start.where[name] = np.array(checked, np.int64)
        if start.records is not None and (start.game_seeds is not None or start.where):
            raise OptionError('the option "state" already says everything; give no other with it')
        return start

    def _spread(self, name: str, value: object, rows: Rows) -> list[Any]:
        """Return one Python value for each of the rows."""
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if not isinstance(value, (list, tuple)):
            return [value] * len(rows)
        if len(value) != self.engine.num_games:
            raise OptionError(
                f'option "{name}" takes one value, or one for each of the '
                f"{self.engine.num_games} rows; got {len(value)}"
            )
        return [value[row] for row in rows]

    def _check_seeds(
        self, rows: Rows, seeds: int | Sequence[int | None]
    ) -> tuple[Rows, NDArray[np.uint64]]:
        """Return the rows that get a new stream, and its seed for each."""
        if not isinstance(seeds, (list, tuple, np.ndarray)):
            base = as_seed(seeds)
            return rows, (rows.astype(np.uint64) + np.uint64(base)) % np.uint64(SEED_RANGE)
        if len(seeds) != self.engine.num_games:
            raise OptionError(
                f"a list of seeds has one for each of the {self.engine.num_games} rows; "
                f"got {len(seeds)}"
            )
        listed = list(seeds)
        chosen = [row for row in rows.tolist() if listed[row] is not None]
        values = np.array([as_seed(listed[row]) for row in chosen], np.uint64)
        return np.array(chosen, np.int64), values


def _game_part(state: object) -> object:
    """Return a state without what the adapters add to the engine's."""
    if not isinstance(state, dict):
        return state  # the engine says what is wrong with it
    return {name: value for name, value in state.items() if name not in ("stream", "elapsed")}


def _check_extras(state: Any) -> dict[str, Any]:
    """Return the adapters' part of a state; either field may be absent."""
    extras: dict[str, Any] = {}
    if "stream" in state:
        stream = state["stream"]
        fits = isinstance(stream, (list, tuple)) and [type(part) for part in stream] == [int, int]
        if not fits or not (0 <= stream[0] < SEED_RANGE and -1 <= stream[1] < _MOST_GAMES):
            raise StateError(
                'state field "stream" is [seed below 2**32, games begun or -1], '
                f"got {shown(stream)}"
            )
        extras["stream"] = stream
    if "elapsed" in state:
        elapsed = state["elapsed"]
        if type(elapsed) is not int or not 0 <= elapsed < _MOST_GAMES:
            raise StateError(f'state field "elapsed" is an int from 0 on, got {shown(elapsed)}')
        extras["elapsed"] = elapsed
    return extras


def first_illegal(
    engine: Engine, rows: Sequence[int], actions: Sequence[int]
) -> tuple[int, str] | None:
    """Return (row, which action and why) of the first that would be refused, None if none is."""
    for row, action in zip(rows, actions, strict=True):
        inside = 0 <= action < engine.num_actions
        if not inside or not has_action(engine.legal[row], action):
            reason = engine.explain(row, action, engine.refusal_of(row, action))
            return row, f"action {action}: {reason}"
    return None


def check_refusal_policy(on_refusal: str) -> bool:
    """Return whether refused actions raise.

    Raises:
        OptionError: if the policy is neither "refuse" nor "raise".
    """
    if on_refusal not in ("refuse", "raise"):
        raise OptionError(unknown_name_text("on_refusal policy", on_refusal, ("refuse", "raise")))
    return on_refusal == "raise"
