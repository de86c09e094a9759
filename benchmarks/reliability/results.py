"""Where measurements lie: one JSON file for each part in docs/reliability."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quiltrail.train.files import read_json, write_json

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "reliability"


def write_part(name: str, data: dict[str, Any]) -> None:
    """Write a part whole."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    write_json(RESULTS / f"{name}.json", data)


def add_to_part(name: str, key: str, data: dict[str, Any]) -> None:
    """Replace one entry of a part."""
    write_part(name, {**read_part(name), key: data})


def read_part(name: str) -> dict[str, Any]:
    """Return a part, {} where it was never measured."""
    return read_json(RESULTS / f"{name}.json") or {}
