"""Records replay exactly, and bad files end in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quiltrail.agents import RandomLegal
from quiltrail.core.errors import RecordError
from quiltrail.core.record import GameRecord
from quiltrail.envs import GameSpec, find_game
from tests.each import each_game


@each_game
def test_a_saved_game_replays_to_the_same_views(spec: GameSpec, tmp_path: Path) -> None:
    engine = spec.make_engine(1)
    engine.reset(np.array([0]), np.array([33], np.uint64))
    record = GameRecord(engine.game, 33, settings=dict(engine.settings))
    player = RandomLegal(4)
    views = [engine.view(0)]
    for turn in range(40):
        action = -1 if turn % 9 == 8 else int(player.act(engine)[0])
        record.actions.append(action)
        engine.step(np.array([action]))
        views.append(engine.view(0))
    path = tmp_path / "game.json"
    record.save(path)
    again = GameRecord.load(path)
    assert again == record
    assert list(again.replay(spec.make_engine(2))) == views


def test_a_record_can_start_elsewhere() -> None:
    record = GameRecord("sunpleat", 1, start={"board": 8}, actions=[0])
    first, second = record.replay(find_game("sunpleat").make_engine(1))
    assert (first["boardNumber"], second["movesUsed"]) == (8, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"game": 3},
        {"seed": 1.5},
        {"seed": True},
        {"actions": 3},
        {"actions": [1.0]},
        {"actions": ["flip"]},
        {"settings": []},
        {"format": 9},
        {"note": "mine"},
    ],
)
def test_a_malformed_record_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    GameRecord("sunpleat", 1, actions=[1]).save(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(RecordError):
        GameRecord.load(path)


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"game": "sunpleat"}', "[" * 100_000])
def test_a_file_that_is_no_record_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_text(text)
    with pytest.raises(RecordError):
        GameRecord.load(path)
    with pytest.raises(RecordError, match="readable"):
        GameRecord.load(tmp_path / "absent.json")


def test_a_record_of_another_game_or_setting_is_refused() -> None:
    record = GameRecord("chess", 1)
    with pytest.raises(RecordError, match="chess"):
        next(record.replay(find_game("sunpleat").make_engine(1)))
    other = GameRecord("sunpleat", 1, settings={"slack": 2})
    with pytest.raises(RecordError, match="slack"):
        next(other.replay(find_game("sunpleat").make_engine(1)))
