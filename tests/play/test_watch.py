"""Watching: pace, standing, the policy's thoughts, files, and the window without a screen."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from quiltrail.agents import make_agent
from quiltrail.cli import app
from quiltrail.core.errors import OptionError
from quiltrail.envs import GameSpec
from quiltrail.envs.rendering import Look
from quiltrail.play.pace import FASTEST, Pace
from quiltrail.play.session import Session
from quiltrail.play.watched import Reference, Watched
from tests.each import each_game
from tests.render.png_reader import read_png


def _watched(steps: int = 4) -> Watched:
    session = Session("sunpleat", max_steps=steps)
    return Watched(session, make_agent("sunpleat-solver"), reference=Reference("best", 430.0))


def test_steps_come_at_the_speed_asked_for() -> None:
    pace = Pace(2.0)
    due = [pace.is_due(now) for now in (10.0, 10.4, 10.6, 10.9, 11.2)]
    assert due == [True, False, True, False, True]


def test_a_paused_pace_makes_single_steps_only() -> None:
    pace = Pace(2.0)
    pace.press("space")
    assert not pace.is_due(10.0)
    pace.press("right")
    assert [pace.is_due(20.0), pace.is_due(30.0)] == [True, False]
    pace.press("space")
    assert pace.is_due(40.0)


def test_speed_doubles_halves_and_has_limits() -> None:
    pace = Pace(2.0)
    pace.press("+")
    assert pace.speed == 4.0
    for _ in range(20):
        pace.press("=")
    assert pace.speed == FASTEST
    pace.press("-")
    assert pace.words() == f"{FASTEST / 2:g} steps/s"


def test_the_standing_is_a_share_of_the_reference() -> None:
    watched = _watched()
    watched.step()
    assert watched.summary() == "step 1: flip 2, +215"
    assert watched.standing() == "score 215 of best's 430 (50.0%)"


def test_a_player_of_another_game_is_refused() -> None:
    with pytest.raises(OptionError, match=r"plays sunpleat.*, not patchwork"):
        Watched(Session("patchwork"), make_agent("sunpleat-solver"))


def test_probabilities_are_those_of_the_masked_policy() -> None:
    contrib = pytest.importorskip("sb3_contrib")
    from quiltrail.train.evaluate import ModelPlayer
    from quiltrail.train.vec_env import EngineVecEnv

    player = ModelPlayer(contrib.MaskablePPO("MultiInputPolicy", EngineVecEnv("sunpleat", 1)))
    engine = Session("sunpleat").engine
    found = player.top_actions(engine, 9)
    assert {action for action, _ in found} == set(engine.legal_indices(0))
    assert sum(share for _, share in found) == pytest.approx(1.0, abs=1e-4)
    assert found[0][0] == int(player.act(engine)[0])
    watched = Watched(Session("sunpleat"), player, player.top_actions)
    assert len(watched.options) == 3
    assert "%" in watched.text()
    look = Look(128)
    assert (watched.picture(look) != _watched().picture(look)).any()


def test_a_policy_that_knows_no_probabilities_tells_none() -> None:
    sb3 = pytest.importorskip("stable_baselines3")
    from quiltrail.train.evaluate import ModelPlayer
    from quiltrail.train.vec_env import EngineVecEnv

    model = sb3.DQN("MultiInputPolicy", EngineVecEnv("sunpleat", 1), buffer_size=1)
    assert ModelPlayer(model).top_actions(Session("sunpleat").engine) == []


def test_the_command_writes_pictures_movies_and_records(tmp_path: Path) -> None:
    common = ["watch", "sunpleat", "--agent", "sunpleat-solver", "--steps", "3", "--size", "64"]
    for name in ("end.png", "game.gif", "game.mp4"):
        out = tmp_path / name
        keep = ["--record", str(tmp_path / "game.json")]
        done = CliRunner().invoke(app, [*common, "--out", str(out), *keep])
        assert done.exit_code == 0, done.output
        assert out.stat().st_size > 500
    assert "of sunpleat-solver's 215 (100.0%)" in done.output
    picture = read_png((tmp_path / "end.png").read_bytes())
    assert picture.shape[1] == 64
    again = CliRunner().invoke(app, ["replay", str(tmp_path / "game.json")])
    assert "[3]" in again.output


def test_the_command_prints_every_position_into_a_pipe() -> None:
    done = CliRunner().invoke(app, ["watch", "tinrail", "--agent", "tinrail-easy", "--steps", "2"])
    assert done.exit_code == 0, done.output
    assert done.output.count("survived") == 3


@pytest.mark.parametrize(
    "arguments", [["--agent", "random", "--model", "x"], ["--agent-set", "width=4"]]
)
def test_the_command_takes_one_player(arguments: list[str]) -> None:
    assert CliRunner().invoke(app, ["watch", "sunpleat", *arguments]).exit_code != 0


def test_without_a_player_the_strongest_plays_at_once() -> None:
    done = CliRunner().invoke(app, ["watch", "patchwork", "--steps", "30"])
    assert done.exit_code == 0, done.output
    shares = re.findall(r"of greedy's [\d,]+ \(([\d.]+)%\)", done.output)
    assert float(shares[-1]) > 130


@each_game
def test_every_game_has_a_strongest_player(spec: GameSpec) -> None:
    pytest.importorskip("scipy")
    from quiltrail.train.references import strongest_agent

    engine = spec.make_engine(2)
    for row, action in enumerate(strongest_agent(spec.id).act(engine)):
        assert action in engine.legal_indices(row)


def test_the_window_plays_to_the_end_without_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    from quiltrail.play.watch_window import watch_in_window

    watched = _watched(3)
    step = watched.step

    def step_and_close_at_the_end() -> None:
        step()
        if watched.session.over:
            pygame.event.post(pygame.event.Event(pygame.QUIT))

    monkeypatch.setattr(watched, "step", step_and_close_at_the_end)
    watch_in_window(watched, Pace(FASTEST), Look(64))
    assert watched.session.over
    assert np.array_equal(watched.picture(Look(64)).shape, (79, 64, 3))
