"""``quiltrail bench``: steps a second of every environment, and its share of the write limit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quiltrail.core.errors import ConfigError
from quiltrail.train.files import write_json


def bench(
    subjects: Annotated[
        list[str] | None, typer.Argument(help="ids or names such as patchwork; all by default")
    ] = None,
    batches: Annotated[str, typer.Option(help="numbers of environments")] = "1,64,1024,4096,16384",
    threads: Annotated[str, typer.Option(help="numbers of threads that share a step")] = "1,2",
    seconds: Annotated[float, typer.Option(help="of CPU time, a repeat")] = 0.1,
    repeats: Annotated[int, typer.Option(help="the best one counts")] = 3,
    json_out: Annotated[Path | None, typer.Option("--json", help="write the rows here")] = None,
) -> None:
    """Time the environments of this package, in steps per second of CPU time and of wall time.

    Random legal play without banking, chosen outside the clock; a step gives observation, mask and
    infos and starts the next episode where one has ended. "single" is one environment of gym.make,
    "vector" the native batch, which hands out fresh arrays, "vector, live" the same with
    copy=False, "SB3" the batch for Stable-Baselines3 with its masks, "AEC" PettingZoo's own loop.
    The share of the limit is the part of the step's CPU time that only writing the bytes of
    observation and mask takes.
    """
    if not seconds > 0 or repeats < 1:
        raise ConfigError(f"--seconds is above 0 and --repeats 1 or more: {seconds}, {repeats}")
    from quiltrail.bench.rows import Plan, document, printed  # torch takes seconds to import
    from quiltrail.bench.subjects import SUBJECTS, find_subject

    plan = Plan(
        [find_subject(name) for name in subjects or SUBJECTS],
        _counts("batches", batches),
        _counts("threads", threads),
        seconds,
        repeats,
    )
    rows = printed(plan)
    if json_out is not None:
        write_json(json_out, document(rows, plan))


def _counts(name: str, text: str) -> list[int]:
    """Return the numbers of a comma list."""
    parts = text.split(",")
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise ConfigError(f"--{name} is numbers from 1 on, such as 1,64; got {text!r}")
    return [int(part) for part in parts]
