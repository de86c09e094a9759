"""How far a run is, for people: a bar, and Ctrl-C that waits for the next boundary."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any, Self

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from quiltrail.train.result import CurvePoint


class ProgressBar:
    """Steps, time, time left, and the score against the references.

    Args:
        name: of the run.
        total: steps.
        quiet: whether to draw nothing.
    """

    def __init__(self, name: str, total: int, *, quiet: bool) -> None:
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:>9,.0f} steps"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[score]}"),
            disable=quiet,
        )
        self._task = self._bar.add_task(name, total=total, score="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show(self, steps: int, point: CurvePoint | None = None) -> None:
        """Move the bar; with a point, show its score."""
        more: dict[str, Any] = {}
        if point is not None:
            share = "" if point.normalised is None else f" ({point.normalised:.1%})"
            more["score"] = f"score {point.score:,.0f}{share}"
        self._bar.update(self._task, completed=steps, **more)


class StopRequest:
    """Takes note of the first Ctrl-C (or SIGTERM); the second one ends everything at once.

    Signals reach the main thread only; elsewhere it never notes anything. A signal that the process
    ignores stays ignored.
    """

    def __init__(self) -> None:
        self.noted = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.noted:
            raise KeyboardInterrupt
        self.noted = True
