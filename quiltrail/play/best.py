"""Best scores: one small file of the user's."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

_FOLDER_VARIABLE = "QUILTRAIL_DATA"
_FILE = "best.json"


def best_file() -> Path:
    """Return where the file is: in the folder of QUILTRAIL_DATA, or in the user's data folder."""
    named = os.environ.get(_FOLDER_VARIABLE)
    if named:
        return Path(named) / _FILE
    home = Path.home()
    folder = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    if sys.platform == "darwin":
        folder = home / "Library" / "Application Support"
    elif sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    return folder / "quiltrail" / _FILE


class BestScores:
    """The best score of each game and its settings; a file that is no such list is left alone.

    Args:
        path: of the file; by default `best_file`.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or best_file()

    def best(self, game: str, settings: dict[str, Any]) -> int | None:
        """Return the best score so far, None before the first game."""
        entry = (self._read() or {}).get(_key(game, settings))
        return entry["score"] if isinstance(entry, dict) else None

    def add(self, game: str, settings: dict[str, Any], score: int, seed: int) -> bool:
        """Keep a score if it is the best; return whether it is.

        Nothing is written where nothing can be.
        """
        before = self.best(game, settings)
        if before is not None and score <= before:
            return False
        scores = self._read()
        if scores is not None:
            scores[_key(game, settings)] = {"score": score, "seed": seed}
            self._write(scores)
        return True

    def _read(self) -> dict[str, Any] | None:
        """Return the list; {} if there is no file, None if it is not ours to change."""
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def _write(self, scores: dict[str, Any]) -> None:
        text = json.dumps(scores, indent=1, sort_keys=True) + "\n"
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            beside = self._path.with_suffix(".new")
            beside.write_text(text, encoding="utf-8")
            beside.replace(self._path)
        except OSError:
            return


def _key(game: str, settings: dict[str, Any]) -> str:
    return f"{game} {json.dumps(settings, sort_keys=True, default=str)}"
