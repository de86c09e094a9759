"""The page docs/reliability.md, from the parts in docs/reliability."""

from __future__ import annotations

from typing import Any

from benchmarks.reliability.results import RESULTS, read_part
from quiltrail.train.files import write_text

_PAGE = RESULTS.parent / "reliability.md"

_HEAD = """\
# Reliability

What was tried to break it, and what was lost. The goal in every table is 0 losses. The page is
written by `python -m benchmarks.reliability` from the numbers in `docs/reliability`; `--measure`
takes them anew. Machine: 2 cores, shared with other work, Linux, Python 3.11.
"""

_FUZZ = """\
## Doors

Inputs are valid ones with one to three edits at random places (values, keys, bytes, lengths, odd
tokens), and now and then anything at all, from a seeded generator. An input is lost if it is
neither accepted nor refused in one sentence of our own; if a refusal changed anything (whole game,
stream, statistics); or if it took more than 20 seconds of CPU. Wanted are 1,000,000 inputs a door;
a door that takes milliseconds was cut off by time. The normal suite tries 10,000 inputs at the
doors that take microseconds, fewer at the others (`normal` in `tests/fuzz/doors`).
Command: `python -m benchmarks.reliability.fuzz`.

| door | inputs tried | accepted | slowest, s | memory, MB | losses |
|---|---|---|---|---|---|
"""

_SOAK = """\
## Long play

The native batch of each id, 4,096 rows, random legal play that seldom banks, one action in a
hundred anything at all. At every step: the rewards of an episode sum to its score, a refusal pays
nothing. At every fourth step, in all rows, by independent numpy code: areas, score formulas, tile
counts, flips, masks (`benchmarks/reliability/invariants.py`); and one row's state through the check
of saved states. Growth is of resident memory, last tenth of the samples against the first after the
warm-up. Command: `python -m benchmarks.reliability.soak`.

| id | steps | episodes | fully checked | broken identities | memory, MB | growth, MB | CPU s |
|---|---|---|---|---|---|---|---|
"""

_TRAINING = """\
## Long training

`quiltrail train` in a process of its own, memory sampled every five seconds; SIGTERM at the end.
Command: `python -m benchmarks.reliability.training`.

| config | hours | steps | memory after warm-up, MB | most, MB | growth, MB | end |
|---|---|---|---|---|---|---|
"""

_FAULTS = """\
## Faults injected

Real ones: a file system of a few kilobytes, a folder of another user, SIGKILL, files cut short, a
clock that jumps. Each ends in one sentence or a recovery, with the same weights as a run that
nothing happened to. Command: `python -m benchmarks.reliability.faults`.

| tests | passed | skipped | losses | what they say |
|---|---|---|---|---|
"""


def write_page() -> None:
    """Write the page from what was measured."""
    parts = (_HEAD, _fuzz_rows(), _soak_rows(), _training_rows(), _fault_rows())
    write_text(_PAGE, "\n".join(parts))


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |\n"


def _fuzz_rows() -> str:
    found = read_part("fuzz")
    rows = [
        _row(
            name,
            f"{one['inputs']:,}",
            f"{one['accepted']:,}",
            one["slowest_seconds"],
            one["memory_growth_mb"],
            one["losses"],
        )
        for name, one in found.items()
    ]
    inputs, losses = (sum(one[key] for one in found.values()) for key in ("inputs", "losses"))
    return _FUZZ + "".join(rows) + _row("**all**", f"{inputs:,}", "", "", "", losses)


def _soak_rows() -> str:
    return _SOAK + "".join(
        _row(
            name.removeprefix("quiltrail/"),
            f"{one['steps']:,}",
            f"{one['episodes']:,}",
            f"{one['fully_checked_steps']:,}",
            sum(one["faults"].values()),
            one["memory"]["last_mb"],
            one["memory"]["growth_mb"],
            f"{one['cpu_seconds']:,}",
        )
        for name, one in read_part("soak").items()
    )


def _training_rows() -> str:
    one: dict[str, Any] = read_part("training")
    if not one:
        return _TRAINING
    return _TRAINING + _row(
        one["config"],
        f"{one['seconds'] / 3600:.2f}",
        f"{one['steps']:,}",
        one["first_mb"],
        one["most_mb"],
        one["growth_mb"],
        one["ended"],
    )


def _fault_rows() -> str:
    return _FAULTS + "".join(
        _row(f"`{name}`", one["passed"], one["skipped"], one["failed"], "; ".join(one["tests"]))
        for name, one in read_part("faults").items()
    )
