"""Records: a game as seed, settings and actions, in one small JSON file that replays exactly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from quiltrail.core.actions import as_index, clamp_index
from quiltrail.core.engine import Engine
from quiltrail.core.errors import QuiltrailError, RecordError, shown, unknown_name_text
from quiltrail.core.mulberry32 import as_seed

_RECORD_FORMAT = 1


@dataclass
class GameRecord:
    """Everything that decides a game.

    Attributes:
        game: the engine's name, for example "sunpleat".
        seed: the game seed, 0 .. 2**32 - 1.
        settings: the engine's keyword arguments.
        start: start options, for example {"board": 5}.
        actions: the flat actions in order, refused ones too.
    """

    game: str
    seed: int
    settings: dict[str, Any] = field(default_factory=dict)
    start: dict[str, int] = field(default_factory=dict)
    actions: list[int] = field(default_factory=list)
    format: int = _RECORD_FORMAT

    def save(self, path: str | Path) -> None:
        """Write the record as JSON text."""
        Path(path).write_text(json.dumps(asdict(self)) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> GameRecord:
        """Read a record.

        Raises:
            RecordError: if the file cannot be read or is no record.
        """
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise RecordError(f"{Path(path).name} is not a readable record: {error}") from error
        return cls.from_json(data)

    @classmethod
    def from_json(cls, data: object) -> GameRecord:
        """Return the record of parsed JSON.

        Raises:
            RecordError: a sentence that names what is wrong.
        """
        names = {one.name for one in fields(cls)}
        if not isinstance(data, dict):
            raise RecordError(f"a record is a JSON object, got {type(data).__name__}")
        for name in data:
            if name not in names:
                raise RecordError(unknown_name_text("record field", name, names))
        for name in sorted(names - set(data)):
            raise RecordError(f'the record lacks the field "{name}"')
        if data["format"] != _RECORD_FORMAT:
            raise RecordError(f"record format {shown(data['format'])} is not {_RECORD_FORMAT}")
        for name, kind in (("game", str), ("settings", dict), ("start", dict), ("actions", list)):
            if not isinstance(data[name], kind):
                raise RecordError(f'record field "{name}" is a {kind.__name__}')
        try:
            as_seed(data["seed"])
            for action in data["actions"]:
                as_index(action)
        except QuiltrailError as error:
            raise RecordError(f"the record does not hold a game: {error}") from error
        return cls(**data)

    def replay(self, engine: Engine) -> Iterator[dict[str, Any]]:
        """Play the record in row 0 of an engine; yield the view at the start and after each action.

        Raises:
            RecordError: if the engine plays another game or has other settings.
        """
        if (engine.game, engine.settings) != (self.game, self.settings):
            raise RecordError(
                f"the record is of {self.game} {self.settings}, "
                f"the engine plays {engine.game} {engine.settings}"
            )
        row = np.array([0])
        start = {
            name: np.array([engine.check_start(name, value)]) for name, value in self.start.items()
        }
        engine.reset(row, np.array([self.seed % 2**32], np.uint64), **start)
        yield engine.view(0)
        for action in self.actions:
            engine.step(np.array([clamp_index(action)]), row)
            yield engine.view(0)
