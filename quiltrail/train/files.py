"""Files that are whole or absent: written aside, then renamed."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

ASIDE = ".part"  # ends the name of a file that is being written


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file so that a reader, or a crash at any moment, never meets half of it."""
    aside = path.with_name(f"{path.name}.{os.getpid()}{ASIDE}")
    try:
        with aside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except OSError:
        aside.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """Write text as `write_bytes` does."""
    write_bytes(path, text.encode("utf-8"))


def write_csv(path: Path, names: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """Write a table with its columns' names above, as `write_bytes` does."""
    text = StringIO(newline="")
    writer = csv.DictWriter(text, names)
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, text.getvalue())


def write_json(path: Path, data: object) -> None:
    """Write JSON as `write_bytes` does."""
    write_text(path, json.dumps(data, indent=2) + "\n")


def read_json(path: Path) -> dict[str, Any] | None:
    """Return the object in a JSON file, None where there is no readable one."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) else None
