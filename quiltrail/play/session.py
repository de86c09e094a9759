"""A session: one game being played, watched or replayed, with its record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from quiltrail.core.actions import REFUSALS, JsonAction, clamp_index
from quiltrail.core.engine import Engine, Verdict
from quiltrail.core.errors import ActionFormatError, RecordError, shown
from quiltrail.core.record import GameRecord
from quiltrail.envs import GAMES, GameSpec, find_game

_ROW = 0


class Session:
    """One game after another in row 0 of an engine.

    Attributes:
        engine: a batch of one.
        record: the running game's seed, settings and actions.
        reward: points of the last action.
        refusal: code of the last action, 0 for accepted.

    Args:
        game: an environment id or short name.
        seed: of the first game; taken modulo 2**32.
        settings: the game's keyword arguments.
        start: start options, for example {"board": 5}.
        max_steps: actions after which a game stops; None for never.
    """

    def __init__(
        self,
        game: str,
        seed: int = 0,
        settings: dict[str, Any] | None = None,
        start: dict[str, int] | None = None,
        max_steps: int | None = None,
    ) -> None:
        self.spec: GameSpec = find_game(game)
        self.engine: Engine = self.spec.make_engine(1, **(settings or {}))
        self.max_steps = max_steps
        self._start = dict(start or {})
        self.begin(seed)

    @property
    def over(self) -> bool:
        """Whether the game has ended or the time limit is reached."""
        return bool(self.engine.terminated[_ROW]) or self.truncated

    @property
    def truncated(self) -> bool:
        """Whether the time limit alone has stopped the game."""
        limited = self.max_steps is not None and len(self.record.actions) >= self.max_steps
        return limited and not self.engine.terminated[_ROW]

    @property
    def score(self) -> int:
        """The published score so far."""
        return int(self.engine.score[_ROW])

    @property
    def seed(self) -> int:
        """The running game's seed."""
        return self.record.seed

    def begin(self, seed: int) -> None:
        """Start the game of a seed."""
        seed %= 2**32
        engine = self.engine
        start = {name: engine.check_start(name, value) for name, value in self._start.items()}
        options = {name: np.array([value]) for name, value in start.items()}
        engine.reset(np.array([_ROW]), np.array([seed], np.uint64), **options)
        self.record = GameRecord(engine.game, seed, dict(engine.settings), start)
        self.reward, self.refusal = 0.0, 0

    def play(self, action: int) -> int:
        """Play a flat action and return its refusal code; refused ones are not recorded."""
        self.engine.step(np.array([clamp_index(action)]))
        self.reward = float(self.engine.reward[_ROW])
        self.refusal = int(self.engine.refusal[_ROW])
        if not self.refusal:
            self.record.actions.append(int(action))
        return self.refusal

    def submit(self, action: object) -> Verdict:
        """Play a JSON action; whatever comes in, nothing raises."""
        try:
            index = self.engine.codec.encode(action)
        except ActionFormatError as error:
            return Verdict(error.code, str(error))
        code = self.play(index)
        return Verdict(code, self.engine.explain(_ROW, index, code))

    def action_of(self, index: int) -> JsonAction:
        """Return the JSON form of a flat action."""
        return self.engine.codec.decode(index)


def engine_of(record: GameRecord) -> Engine:
    """Return an engine of one game that can replay a record.

    Raises:
        RecordError: if there is no such game, or its settings are not those of a game.
    """
    short_name = record.game.replace("-", "")  # the game "patchrook-levels" is of PatchrookLevels
    for spec in GAMES:
        if spec.short_name == short_name:
            _refuse_code(record.settings)
            engine = spec.make_engine(1, **record.settings)
            if engine.game == record.game:
                return engine
    raise RecordError(f"the record is of a game {shown(record.game)}, which this version lacks")


def _refuse_code(settings: dict[str, Any]) -> None:
    """Refuse settings that name Python objects: a record may come from anybody.

    Raises:
        RecordError: naming the object.
    """
    for name, value in settings.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and ":" in one:
                raise RecordError(
                    f"the record names code, {name} {shown(one)}, which is not run here; "
                    "replay it with GameRecord.replay on an engine of your own"
                )


def frames(record: GameRecord) -> Iterator[tuple[Engine, str]]:
    """Replay a record; yield the engine at each position, and in words what led there.

    Raises:
        RecordError: if the record does not fit the game.
    """
    engine = engine_of(record)
    for number, _ in enumerate(record.replay(engine)):
        yield engine, _caption(engine, record, number)


def _caption(engine: Engine, record: GameRecord, number: int) -> str:
    if number == 0:
        return f"start of {record.game}, seed {record.seed}"
    action = record.actions[number - 1]
    refusal = int(engine.refusal[_ROW])
    inside = 0 <= action < engine.num_actions
    words = in_words(engine.codec.decode(action)) if inside else f"action {action}"
    if refusal:
        return f"{words}: refused ({REFUSALS[refusal]})"
    reward = float(engine.reward[_ROW])
    return f"{words}{f': {reward:+g}' if reward else ''}"


def in_words(action: JsonAction) -> str:
    """Return an action in short form, as the terminal takes it: the type, then its values."""
    return " ".join(str(value) for value in action.values())
