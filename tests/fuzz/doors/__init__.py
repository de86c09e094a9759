"""The doors: every public way in for data from outside."""

from __future__ import annotations

from collections.abc import Callable

from quiltrail.envs import GAMES
from tests.fuzz.doors.files import (
    CheckpointDoor,
    ConfigDoor,
    ModelDoor,
    OverridesDoor,
    RecordDoor,
    RunFilesDoor,
    WeightsDoor,
)
from tests.fuzz.doors.games import ActionDoor, OptionsDoor, SettingsDoor, StateDoor
from tests.fuzz.doors.server import HttpDoor, LoopDoor, TokenDoor
from tests.fuzz.doors.words import CommandLineDoor, CurriculumDoor, ListsDoor, TerminalDoor
from tests.fuzz.harness import Door

#: Door's name -> how to make it.
DOORS: dict[str, Callable[[], Door]] = {
    **{f"JSON actions, {spec.name}": lambda spec=spec: ActionDoor(spec) for spec in GAMES},
    **{f"states, {spec.name}": lambda spec=spec: StateDoor(spec) for spec in GAMES},
    **{f"settings, {spec.name}": lambda spec=spec: SettingsDoor(spec) for spec in GAMES},
    **{f"reset options, {spec.name}": lambda spec=spec: OptionsDoor(spec) for spec in GAMES},
    "record files": RecordDoor,
    "configs (YAML)": ConfigDoor,
    "config overrides": OverridesDoor,
    "run folders": RunFilesDoor,
    "weights (npz)": WeightsDoor,
    "model files (zip)": ModelDoor,
    "checkpoints": CheckpointDoor,
    "state tokens": TokenDoor,
    "publisher's loop": LoopDoor,
    "HTTP requests": HttpDoor,
    "command line": CommandLineDoor,
    "lists and settings of arguments": ListsDoor,
    "curriculum": CurriculumDoor,
    "terminal play": TerminalDoor,
}
