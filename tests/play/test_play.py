"""Playing: the terminal for every game, the window with synthetic events, best scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from quiltrail.cli import app
from quiltrail.core.errors import ActionFormatError
from quiltrail.core.record import GameRecord
from quiltrail.envs import GAMES, GameSpec
from quiltrail.envs.rendering import Look
from quiltrail.play.best import BestScores
from quiltrail.play.play_window import GameWindow, play_in_window
from quiltrail.play.session import Session, in_words
from quiltrail.play.table import has_table
from quiltrail.play.text_game import TextGame, parse_action
from tests.each import each_game

each_table = pytest.mark.parametrize(
    "spec", [*filter(has_table, GAMES)], ids=lambda spec: spec.name
)


@pytest.fixture
def best(tmp_path: Path) -> BestScores:
    return BestScores(tmp_path / "data" / "best.json")


@each_game
def test_every_legal_action_can_be_typed_in_short_form(spec: GameSpec) -> None:
    session = Session(spec.id, 2)
    for action in session.engine.legal_actions(0):
        assert parse_action(in_words(action), session) == action
        assert parse_action(json.dumps(action), session) == action


@each_game
def test_a_game_is_played_in_the_terminal(spec: GameSpec, best: BestScores) -> None:
    game = TextGame(Session(spec.id, 2), best)
    assert "actions:" in game.greeting()
    for line in ("?", "look", "legal", ""):
        assert game.answer(line)
    for _ in range(3):
        if not game.session.over:
            game.answer(in_words(game.session.engine.legal_actions(0)[0]))
    assert game.session.record.actions
    game.answer("quit")
    assert game.finished


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("flip 2", {"type": "flip", "count": 2}),
        ("f 2", {"type": "flip", "count": 2}),
        ("2", {"type": "flip", "count": 2}),
        ("BANK", {"type": "bank"}),
    ],
)
def test_actions_may_be_cut_short(line: str, action: dict[str, Any]) -> None:
    assert parse_action(line, Session("sunpleat")) == action


@pytest.mark.parametrize("line", ["fly", "flip", "flip 1 2", "{", "re"])
def test_what_cannot_be_read_says_what_can(line: str) -> None:
    with pytest.raises(ActionFormatError):
        parse_action(line, Session("sunpleat"))


def test_a_refusal_teaches_and_changes_nothing(best: BestScores) -> None:
    game = TextGame(Session("sunpleat"), best)
    assert game.answer("next").startswith("refused, wrong-phase: ")
    assert game.answer("flip 99").startswith("refused, bad-value: ")
    assert game.session.engine.view(0)["turn"] == 0


def test_the_end_names_score_and_best_and_new_goes_on(best: BestScores) -> None:
    game = TextGame(Session("sunpleat"), best)
    game.answer("2")
    assert "over: score 215, your best" in game.answer("bank")
    assert "the game is over" in game.answer("2")
    game.answer("new")
    assert "over: score 0\n" in game.answer("bank")
    assert best.best("quiltrail/Sunpleat-v0", {}) == 215


def test_best_scores_keep_the_best_of_each_setting(best: BestScores) -> None:
    assert best.add("a", {}, 5, 1)
    assert not best.add("a", {}, 5, 2)
    assert best.add("a", {"revive": True}, 3, 3)
    assert (best.best("a", {}), best.best("a", {"revive": True})) == (5, 3)


def test_a_file_that_is_no_list_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "best.json"
    file.write_text("not ours", encoding="utf-8")
    assert BestScores(file).add("a", {}, 5, 1)
    assert file.read_text(encoding="utf-8") == "not ours"


def test_the_command_plays_and_keeps_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUILTRAIL_DATA", str(tmp_path))
    file = tmp_path / "game.json"
    command = ["play", "sunpleat", "--text", "--seed", "3", "--record", str(file)]
    done = CliRunner().invoke(app, [*command, "--start", "board=2"], input="2\nbank\nquit\n")
    assert done.exit_code == 0, done.output
    assert "board 2" in done.output
    record = GameRecord.load(file)
    assert (record.seed, record.start, record.actions) == (3, {"board": 2}, [1, 8])
    assert json.loads((tmp_path / "best.json").read_text(encoding="utf-8"))


@pytest.fixture
def pygame(monkeypatch: pytest.MonkeyPatch) -> Any:
    found = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    return found


def _key(pygame: Any, name: str) -> Any:
    return pygame.event.Event(pygame.KEYDOWN, key=pygame.key.key_code(name), unicode="")


@each_table
def test_the_window_of_every_game_plays_from_the_event_queue(
    spec: GameSpec, best: BestScores, pygame: Any
) -> None:
    pygame.display.init()
    for name in ("1", "return"):
        pygame.event.post(_key(pygame, name))
    where = {"pos": (30, 30), "button": 1}
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, **where))
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONUP, **where))
    pygame.event.post(pygame.event.Event(pygame.MOUSEMOTION, pos=(31, 31), rel=(1, 1), buttons=()))
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    session = Session(spec.id, 2)
    play_in_window(session, best, Look(96))
    assert session.record.actions


def test_points_of_the_window_are_units_of_the_picture(best: BestScores, pygame: Any) -> None:
    session = Session("sunpleat")
    window = GameWindow(session, best, Look(200))
    press = pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=(100, 70), button=1)
    assert window.take(pygame, press)  # the middle pennant of three: a flip of two solves it
    assert session.score == 215
    assert window.picture().shape == (224, 200, 3)


def test_the_window_notes_the_score_once_a_game(best: BestScores, pygame: Any) -> None:
    session = Session("sunpleat")
    window = GameWindow(session, best, Look(96))
    pygame.display.init()
    for name in ("2", "return", "b", "b"):
        window.take(pygame, _key(pygame, name))
    assert session.over
    assert best.best("quiltrail/Sunpleat-v0", {}) == 215
    window.take(pygame, _key(pygame, "return"))
    assert not session.over
