"""Pictures of every game: one fixed size, no display, nothing but numpy, equal for equal games."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any
from xml.etree import ElementTree

import gymnasium as gym
import numpy as np
import pytest
from numpy.typing import NDArray

from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError
from quiltrail.envs import GAMES, GameSpec
from quiltrail.envs.rendering import Look, ansi, rgb_array, svg
from quiltrail.render import THEMES, raster
from quiltrail.render.picture import paint_text
from quiltrail.render.png import png_bytes
from tests.each import each_game
from tests.render import golden
from tests.render.png_reader import read_png

# What "perceptual" means here: means of 4 by 4 pixels, on a scale of 255.
BLOCK = 4
MOST_IN_A_BLOCK = 8.0
MOST_ON_AVERAGE = 0.75


def _make(spec: GameSpec, **options: Any) -> Any:
    env = gym.make(spec.id, **options)
    env.reset(seed=1)
    return env


def _random_game(spec: GameSpec, steps: int) -> list[Engine]:
    """Return a game after each of some random legal moves, games begun anew where they end."""
    engine, rng, games = spec.make_engine(1), np.random.default_rng(0), []
    for _ in range(steps):
        if engine.terminated[0]:
            engine.reset(np.array([0]), np.array([len(games)], np.uint64))
        engine.step(np.array([rng.choice(engine.legal_indices(0))]))
        games.append(engine.copy())
    return games


@each_game
@pytest.mark.parametrize("size", [32, 128, 511, 1024])
@pytest.mark.parametrize("theme", THEMES)
def test_a_picture_has_the_size_asked_for(spec: GameSpec, size: int, theme: str) -> None:
    env = _make(spec, render_mode="rgb_array", render_size=size, theme=theme)
    picture = env.render()
    assert picture.shape == (size, size, 3)
    assert picture.dtype == np.uint8
    assert picture.flags.c_contiguous
    assert picture.std() > 10


@each_game
def test_every_position_of_a_game_can_be_drawn_in_one_size(spec: GameSpec) -> None:
    for engine in _random_game(spec, 80):
        assert rgb_array(engine, 0, Look(64)).shape == (64, 64, 3)
        assert ansi(engine, 0)


@each_game
def test_equal_games_give_equal_pictures_and_fresh_ones(spec: GameSpec) -> None:
    first, second = (_make(spec, render_mode="rgb_array") for _ in range(2))
    picture = first.render()
    assert (picture == second.render()).all()
    picture[:] = 0
    assert first.render().any()


@each_game
def test_drawing_changes_nothing(spec: GameSpec) -> None:
    env = _make(spec, render_mode="rgb_array")
    before = env.unwrapped.get_state()
    env.render()
    env.unwrapped.svg()
    assert env.unwrapped.get_state() == before


@each_game
def test_a_move_shows(spec: GameSpec) -> None:
    before, *games = _random_game(spec, 12)
    for after in games:
        assert (rgb_array(before, 0) != rgb_array(after, 0)).any()
        before = after


@each_game
def test_themes_differ(spec: GameSpec) -> None:
    engine = spec.make_engine(1)
    light, dark = (rgb_array(engine, 0, Look(128, theme)).mean() for theme in ("light", "dark"))
    assert light > dark + 40


@each_game
def test_a_batch_draws_each_row_as_a_single_game_draws_it(spec: GameSpec) -> None:
    envs = gym.make_vec(spec.id, num_envs=2, render_mode="rgb_array", vector_kwargs={})
    envs.reset(seed=1)
    pictures = envs.render()
    assert len(pictures) == 2
    assert (pictures[0] == _make(spec, render_mode="rgb_array").render()).all()


@each_game
def test_a_notebook_shows_the_picture(spec: GameSpec) -> None:
    env = _make(spec, render_size=96)
    shown = read_png(env.unwrapped._repr_png_())
    assert (shown == _make(spec, render_mode="rgb_array", render_size=96).render()).all()


@each_game
def test_the_vector_file_is_well_formed_and_complete(spec: GameSpec) -> None:
    root = ElementTree.fromstring(_make(spec).unwrapped.svg())
    names = {f"#{one.get('id')}" for one in root.iter() if one.get("id")}
    uses = {one.get("href") for one in root.iter("{http://www.w3.org/2000/svg}use")}
    assert uses <= names
    assert len(list(root.iter())) > 10


@each_game
def test_every_position_of_a_game_makes_a_well_formed_vector_file(spec: GameSpec) -> None:
    for engine in _random_game(spec, 20):
        assert ElementTree.fromstring(svg(engine, 0)).tag.endswith("svg")


@each_game
def test_modes_are_declared(spec: GameSpec) -> None:
    env = _make(spec)
    assert env.metadata["render_modes"] == ["rgb_array", "ansi"]
    assert env.metadata["render_fps"] > 0
    assert env.render_mode is None


@each_game
def test_human_mode_comes_from_gymnasium(spec: GameSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = gym.make(spec.id, render_mode="human", render_size=64)
    assert env.has_wrapper_attr("screen_size")
    env.reset(seed=1)
    env.step(env.action_space.sample())
    env.close()


@pytest.mark.parametrize("size", [0, 31, 4097, 64.0, True, "64", None])
def test_a_size_out_of_range_is_refused(size: object) -> None:
    with pytest.raises(OptionError, match="render_size is an int from 32 to 4096"):
        gym.make(GAMES[0].id, render_size=size)


def test_unknown_themes_and_modes_are_refused() -> None:
    with pytest.raises(OptionError, match="did you mean dark"):
        gym.make(GAMES[0].id, theme="drak")
    with pytest.raises(OptionError, match="theme"):
        gym.make_vec(GAMES[0].id, num_envs=2, theme="blue")
    with pytest.raises(OptionError, match="allowed: ansi, rgb_array"):
        gym.make(GAMES[0].id, render_mode="rgb", disable_env_checker=True)


_DRAW_EVERYTHING = """
import sys
import gymnasium as gym
import quiltrail
from quiltrail.envs import GAMES
for spec in GAMES:
    env = gym.make(spec.id, render_mode="rgb_array")
    env.reset(seed=3)
    assert env.render().any()
    assert env.unwrapped._repr_png_() and env.unwrapped.svg()
heavy = {"pygame", "matplotlib", "PIL", "imageio", "fontTools", "moviepy", "cv2"}
print(sorted(heavy & set(sys.modules)))
"""


def test_drawing_needs_no_display_and_no_picture_library() -> None:
    bare = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    }
    done = subprocess.run(
        [sys.executable, "-c", _DRAW_EVERYTHING], env=bare, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def test_importing_the_package_does_not_import_the_drawing_layer() -> None:
    code = "import quiltrail, sys; print('quiltrail.render' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "False"


def test_a_game_without_a_picture_shows_its_text() -> None:
    picture = raster(paint_text, "\x1b[31mone\x1b[0m two\n\n" + "x" * 90, size=256)
    ink = (picture != picture[0, 0]).any(axis=2)
    assert ink.any()
    assert not ink[:, -4:].any()
    assert (raster(paint_text, "one two\n\n" + "x" * 90, size=256) == picture).all()


def _blocks(picture: NDArray[np.uint8]) -> NDArray[np.float64]:
    side = len(picture) // BLOCK
    return picture.reshape(side, BLOCK, side, BLOCK, 3).mean(axis=(1, 3))


@each_game
@pytest.mark.parametrize("theme", THEMES)
def test_games_look_as_they_did(spec: GameSpec, theme: str) -> None:
    if spec not in golden.painted_games():
        pytest.skip("draws no picture of its own yet")
    path = golden.path_of(spec, theme)
    command = f"python -m tests.render.golden {spec.name}"
    assert path.exists(), f"look at the game's pictures, then keep one: {command}"
    difference = np.abs(_blocks(golden.picture(spec, theme)) - _blocks(read_png(path.read_bytes())))
    assert difference.max() <= MOST_IN_A_BLOCK, f"looks different; if that is meant: {command}"
    assert difference.mean() <= MOST_ON_AVERAGE, f"looks different; if that is meant: {command}"


def test_golden_pictures_are_small() -> None:
    assert len(png_bytes(golden.picture(GAMES[0], "light"))) < 30_000
