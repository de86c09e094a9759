"""Records become positions again, as text and as one page that needs no network."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from quiltrail.agents import RandomLegal
from quiltrail.cli import app
from quiltrail.core.errors import RecordError
from quiltrail.core.record import GameRecord
from quiltrail.envs import GameSpec
from quiltrail.play.replay_page import replay_page
from quiltrail.play.session import Session, engine_of, frames
from tests.each import each_game

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)


def _session(game: str, steps: int = 6, seed: int = 3) -> Session:
    session = Session(game, seed)
    agent = RandomLegal(1)
    while len(session.record.actions) < steps and not session.over:
        session.play(int(agent.act(session.engine)[0]))
    return session


@each_game
def test_a_session_replays_to_the_same_position(spec: GameSpec, tmp_path: Path) -> None:
    session = _session(spec.id)
    session.record.save(tmp_path / "game.json")
    record = GameRecord.load(tmp_path / "game.json")
    *_, (engine, _) = frames(record)
    assert engine.view(0) == session.engine.view(0)


@each_game
def test_a_page_has_every_position_and_asks_for_nothing(spec: GameSpec) -> None:
    session = _session(spec.id)
    page = replay_page(session.record)
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page)
    assert found is not None
    data = json.loads(found[1])
    assert len(data["positions"]) == len(session.record.actions) + 1
    assert data["scores"][-1] == session.score
    assert "@" not in re.sub(r'<script id="data".*?</script>', "", page)
    assert not re.search(r"https?://(?!www\.w3\.org)", page)
    definitions = re.search(r"<defs>.*?</defs>", page, re.DOTALL)
    assert definitions is not None
    names = set(re.findall(r'id="([^"]+)"', definitions[0]))
    for position in data["positions"]:
        ElementTree.fromstring(f"<svg>{position}</svg>")
        assert set(re.findall(r'href="#([^"]+)"', position)) <= names


def test_captions_say_action_points_and_refusal() -> None:
    record = GameRecord("sunpleat", 0, actions=[5, 1, 99])
    said = [caption for _, caption in frames(record)]
    assert said == [
        "start of sunpleat, seed 0",
        "next: refused (wrong-phase)",
        "flip 2: +215",
        "action 99: refused (index-out-of-range)",
    ]


def test_a_record_of_an_unknown_game_is_refused() -> None:
    with pytest.raises(RecordError, match="a game 'chess'"):
        engine_of(GameRecord("chess", 0))


def test_the_command_prints_positions_or_writes_the_page(tmp_path: Path) -> None:
    file, page = tmp_path / "game.json", tmp_path / "game.html"
    GameRecord("sunpleat", 0, actions=[1, 5]).save(file)
    shown = CliRunner().invoke(app, ["replay", str(file)])
    assert shown.exit_code == 0
    assert "[2] next" in shown.output
    done = CliRunner().invoke(app, ["replay", str(file), "--html", str(page), "--theme", "dark"])
    assert done.exit_code == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome on this machine")
def test_a_browser_shows_the_step_of_the_address(tmp_path: Path) -> None:
    page = tmp_path / "game.html"
    page.write_text(replay_page(GameRecord("sunpleat", 0, actions=[1, 5])), encoding="utf-8")
    command = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += ["--virtual-time-budget=2000", f"--user-data-dir={tmp_path / 'profile'}"]
    done = subprocess.run(
        [*command, f"{page.as_uri()}#1"], capture_output=True, text=True, timeout=120
    )
    assert '<span id="step">1 / 2</span>' in done.stdout, done.stderr
    assert "flip 2: +215" in done.stdout
    assert "score 215" in done.stdout
    board = re.search(r'<svg id="board".*?</svg>', done.stdout, re.DOTALL)
    assert board is not None
    assert "Cleared +215" in board[0]
