"""Training metrics: a CSV file and a TensorBoard file, both continued exactly on resume."""

from __future__ import annotations

import csv
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

from quiltrail.train.files import write_csv

CSV_NAME = "progress.csv"
_TENSORBOARD_FOLDER = "tensorboard"

_STEPS, _WALL_TIME = "steps", "wall_time"
_EVENTS = "events.out.tfevents.quiltrail"  # TensorBoard looks for the part up to "tfevents"


class MetricsLog:
    """One line for each chunk: numbers by name, in ``progress.csv`` and for TensorBoard.

    Lines behind ``steps`` belong to a part of the run that was lost and is learned again: they are
    dropped, and the TensorBoard file is written anew from those that stay. No line stays in memory.

    Args:
        folder: the run's.
        steps: where the run goes on.
    """

    def __init__(self, folder: Path, steps: int) -> None:
        self._path = folder / CSV_NAME
        rows = _rows_up_to(self._path, steps)
        self._names = list(dict.fromkeys(name for row in rows for name in row))
        write_csv(self._path, self._names, rows)
        self._events = _EventFile(folder / _TENSORBOARD_FOLDER)
        for row in rows:
            self._events.add(row)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._events.close()

    def add(self, steps: int, values: Mapping[str, float]) -> None:
        """Write the numbers after so many steps."""
        row: dict[str, Any] = {_STEPS: steps, _WALL_TIME: round(time.time(), 3), **values}
        new = [name for name in row if name not in self._names]
        if new:
            self._names += new
            write_csv(self._path, self._names, [*_rows_up_to(self._path, steps), row])
        else:
            with self._path.open("a", newline="", encoding="utf-8") as file:
                csv.DictWriter(file, self._names).writerow(row)
        self._events.add(row)


class _EventFile:
    """A TensorBoard event file, written with TensorBoard's own records."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._file = (folder / _EVENTS).open("wb")
        self._writer = RecordWriter(self._file)
        self._write(Event(wall_time=time.time(), file_version="brain.Event:2"))

    def add(self, row: Mapping[str, Any]) -> None:
        """Write one line of numbers."""
        values = [
            Summary.Value(tag=name, simple_value=float(value))
            for name, value in row.items()
            if name not in (_STEPS, _WALL_TIME) and value != ""
        ]
        self._write(
            Event(
                wall_time=float(row[_WALL_TIME]),
                step=int(row[_STEPS]),
                summary=Summary(value=values),
            )
        )

    def close(self) -> None:
        """Finish the file."""
        self._file.close()

    def _write(self, event: Any) -> None:
        self._writer.write(event.SerializeToString())
        self._writer.flush()  # TensorBoard reads along while the run goes on


def _rows_up_to(path: Path, steps: int) -> list[dict[str, Any]]:
    """Return the whole lines of an earlier part of the run, up to so many steps."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        rows = [row for row in csv.DictReader(file) if _is_whole(row)]
    return [row for row in rows if int(row[_STEPS]) <= steps]


def _is_whole(row: dict[Any, Any]) -> bool:
    """Return whether a line was written to its end: as many numbers as there are names."""
    try:
        numbers = [float(value) for value in row.values() if value != ""]
        return None not in row and int(row[_STEPS]) >= 0 and len(numbers) > 1
    except (KeyError, TypeError, ValueError):
        return False
