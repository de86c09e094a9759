"""`quiltrail play` on a real X display: keys and clicks that come from the server.

Needs Xvfb and xdotool, and is skipped without them (Debian: apt install xvfb xdotool).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from quiltrail.core.record import GameRecord

WIDTH = 200
PATIENCE = 60.0

pytestmark = [
    pytest.mark.skipif(
        shutil.which(name) is None, reason=f"no {name} (Debian: apt install xvfb xdotool)"
    )
    for name in ("Xvfb", "xdotool")
]


@pytest.fixture
def display() -> Iterator[dict[str, str]]:
    """Start an X server of our own; yield the environment of its clients."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "640x480x24", "-nolisten", "tcp"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as numbers:
        number = numbers.readline().strip()
    yield {**os.environ, "DISPLAY": f":{number}", "SDL_VIDEODRIVER": "x11"}
    server.terminate()
    server.wait(10)


def _xdotool(display: dict[str, str], *words: object) -> str:
    command = ["xdotool", *map(str, words)]
    done = subprocess.run(command, env=display, capture_output=True, text=True, timeout=PATIENCE)
    return done.stdout.strip()


def _wait_for_window(display: dict[str, str], player: subprocess.Popen[bytes]) -> str:
    """Return the id of the only window, once it is there."""
    while player.poll() is None:
        found = _xdotool(display, "search", "--onlyvisible", "--class", ".")
        if found:
            return found.splitlines()[-1]
        time.sleep(0.1)
    raise AssertionError("the player ended before its window opened")


def _play(
    display: dict[str, str], folder: Path, game: str, gestures: list[tuple[object, ...]]
) -> GameRecord:
    """Play one game by gestures, close its window and return what was recorded."""
    kept = folder / "game.json"
    command = [sys.executable, "-m", "quiltrail", "play", game, "--seed", "3"]
    command += ["--size", str(WIDTH), "--record", str(kept)]
    player = subprocess.Popen(command, env={**display, "QUILTRAIL_DATA": str(folder)})
    try:
        window = _wait_for_window(display, player)
        _xdotool(display, "windowfocus", window)
        for gesture in gestures:
            _xdotool(display, *(window if word == "WINDOW" else word for word in gesture))
            time.sleep(0.3)  # a frame or more, as a person's hands would leave
        player.terminate()  # SDL makes of it what a closed window is
        assert player.wait(PATIENCE) == 0
    finally:
        player.kill()
    return GameRecord.load(kept)


def _tap(x: float, y: float) -> list[tuple[object, ...]]:
    """Return a click on a point of the picture, in units."""
    scale = WIDTH / 100.0
    return [("mousemove", "--window", "WINDOW", round(x * scale), round(y * scale)), ("click", 1)]


def test_sunpleat_is_played_by_keys_and_clicks(display: dict[str, str], tmp_path: Path) -> None:
    gestures = [("key", "2"), ("key", "Return"), *_tap(50, 35), ("key", "b"), ("key", "b")]
    record = _play(display, tmp_path, "sunpleat", gestures)
    assert record.actions[0] == 1  # the first two pennants, from the keys
    assert len(record.actions) >= 2  # and a prefix that was clicked


def test_patchwork_is_sewn_by_keys_and_by_dragging(display: dict[str, str], tmp_path: Path) -> None:
    tray, square = (187, 40), (60, 100)  # pixels: the first patch, and a square of the quilt
    gestures: list[tuple[object, ...]] = [
        *[("key", name) for name in ("2", "Down", "Right", "Return")],
        ("mousemove", "--window", "WINDOW", *tray),
        ("mousedown", 1),
        ("mousemove", "--window", "WINDOW", *square),
        ("mouseup", 1),
    ]
    record = _play(display, tmp_path, "patchwork", gestures)
    assert len(record.actions) == 2
