"""Doors of words: command line, lists in arguments, curriculum, terminal play."""

from __future__ import annotations

import os
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np

from quiltrail.__main__ import main
from quiltrail.cli.values import parse_seeds, parse_settings
from quiltrail.core.errors import shown
from quiltrail.play.best import BestScores
from quiltrail.play.session import Session
from quiltrail.play.text_game import TextGame
from quiltrail.train.sweep import parse_grid
from quiltrail.wrappers.curriculum import Curriculum
from tests.fuzz.harness import Door
from tests.fuzz.mutation import edited, pick, text_edited, value

_EXIT_CODES = (None, 0, 1, 2)


class CommandLineDoor(Door):
    """Arguments of the commands that neither train for long, nor serve, nor open a window."""

    name = "command line"
    normal = 150

    _SEEDS = (
        ("list",),
        ("schema",),
        ("evaluate", "--env", "sunpleat", "--agent", "random", "--seeds", "0-1"),
        ("evaluate", "--env", "tinrail", "--agent", "tinrail-easy", "--set", "seat=1"),
        ("evaluate", "--env", "sunpleat", "--model", "run", "--reference", "none"),
        ("levels", "sunpleat", "--count", "2", "--seed", "3", "--set", "n=4"),
        ("levels", "patchrook", "--count", "1", "--png", "sheet.png", "--size", "64"),
        ("replay", "record.json"),
        ("compare", "run"),
        ("train", "--resume", "run"),
    )  # fmt: skip

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="quiltrail-fuzz-")
        self._inner = Path(self._folder.name) / "a" / "b" / "c"  # "../.." stays inside
        self._inner.mkdir(parents=True)

    def draw(self, rng: np.random.Generator) -> list[str]:
        """Return a command's arguments, some edited, dropped, repeated or swapped."""
        words = list(pick(rng, self._SEEDS))
        for _ in range(int(rng.integers(1, 3))):
            at = int(rng.integers(1, len(words) + 1)) if len(words) > 1 else 0
            at = min(at, len(words) - 1)
            kind = int(rng.integers(5))
            if kind == 0 and at:
                del words[at]
            elif kind == 1:
                words.insert(at, words[at])
            elif kind == 2 and at:
                words[at] = str(pick(rng, ("", "-1", "nan", "1e9", "../..", "--help", "é", "0-0")))
            elif at:
                words[at] = text_edited(rng, words[at]).replace("\x00", "0").replace("/", "-")
        return words

    def feed(self, given: list[str]) -> bool:
        """Run the command, in a folder of its own."""
        before = Path.cwd()
        os.chdir(self._inner)
        said = StringIO()
        try:
            with (
                patch("sys.argv", ["quiltrail", *given]),
                redirect_stdout(said),
                redirect_stderr(said),
            ):
                main()
        except SystemExit as ended:
            if ended.code not in _EXIT_CODES:
                raise AssertionError(f"exit code {ended.code}: {said.getvalue()}") from None
            return ended.code in (0, None)
        finally:
            os.chdir(before)
        return True


class ListsDoor(Door):
    """Seeds, settings and grids as they are written in arguments."""

    name = "lists and settings of arguments"
    normal = 3_000

    _SEEDS = ("0-99", "1,5,9", "opponent=easy", "n=[3, 5]", "a.b=1,2.5,x", "c=[64],[32, 32]")

    def draw(self, rng: np.random.Generator) -> tuple[int, str]:
        """Return which of them, and the text."""
        return int(rng.integers(3)), text_edited(rng, pick(rng, self._SEEDS))

    def feed(self, given: tuple[int, str]) -> bool:
        """Read it."""
        which, text = given
        if which == 0:
            parse_seeds(text)
        elif which == 1:
            parse_settings([text])
        else:
            parse_grid([text])
        return True


class CurriculumDoor(Door):
    """Arguments and states of a curriculum."""

    name = "curriculum"

    _ARGS: ClassVar[dict[str, Any]] = {"edges": [0.0, 2.0, 4.0], "threshold": 0.5, "window": 3}
    _STATE: ClassVar[dict[str, Any]] = {
        **_ARGS,
        "measure": "difficulty",
        "bin": 1,
        "recent": [True, False],
        "begun_in": [[0, 1], [2, 0]],
    }

    def __init__(self) -> None:
        self._curriculum = Curriculum(self._ARGS["edges"], threshold=0.5, window=3)

    def draw(self, rng: np.random.Generator) -> tuple[bool, Any]:
        """Return whether it is a state, and the values."""
        is_state = bool(rng.integers(2))
        return is_state, edited(rng, self._STATE if is_state else self._ARGS)

    def feed(self, given: tuple[bool, Any]) -> bool:
        """Take a state, or make another curriculum."""
        is_state, values = given
        if is_state:
            self._curriculum.set_state(values)
        elif isinstance(values, dict) and set(values) <= set(self._ARGS):
            Curriculum(**values).get_state()
        return True

    def snapshot(self) -> Any:
        """Return the statistics."""
        return repr(self._curriculum.get_state())


class TerminalDoor(Door):
    """Lines typed while playing in the terminal."""

    name = "terminal play"
    normal = 2_000

    _SEEDS = (
        "flip 2", "next", "retry", "restart", "legal", "look", "?", '{"type": "flip", "count": 2}',
        "flip", "3", "new",
    )  # fmt: skip

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="quiltrail-fuzz-")
        best = BestScores(Path(self._folder.name) / "best.json")
        self._game = TextGame(Session("sunpleat", 1), best)

    def draw(self, rng: np.random.Generator) -> str:
        """Return a line edited."""
        line = pick(rng, self._SEEDS)
        return text_edited(rng, line) if rng.random() < 0.8 else shown(value(rng, 1))

    def feed(self, given: str) -> bool:
        """Say it."""
        if not self._game.answer(given) and given.strip():
            raise AssertionError("no answer")
        return True


__all__ = ["CommandLineDoor", "CurriculumDoor", "ListsDoor", "TerminalDoor"]
