"""Measured rows: running the cases, and the rows as JSON and as a Markdown table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from quiltrail.bench.clock import Timing, fastest
from quiltrail.bench.limit import write_play
from quiltrail.bench.subjects import Case, Layout, cases_of, layout_of
from quiltrail.train.provenance import host_facts, package_versions

_FORMAT = 1
_NANOSECONDS = 1e9
_PACKAGES = ("numpy", "numba", "llvmlite", "gymnasium", "pettingzoo", "stable-baselines3")

HEADER = """\
| environment | face | B | threads | bytes a step | steps / CPU s | steps / s | share of the limit |
|---|---|--:|--:|--:|--:|--:|--:|"""


@dataclass(frozen=True)
class Plan:
    """What to measure, and how long.

    Attributes:
        subjects: names of `quiltrail.bench.subjects.SUBJECTS`.
        batches: numbers of environments.
        threads: numbers of threads that share a step.
        seconds: CPU seconds of one repeat.
        repeats: the best one counts.
    """

    subjects: Sequence[str]
    batches: Sequence[int] = (1, 64, 1024, 4096, 16384)
    threads: Sequence[int] = (1, 2)
    seconds: float = 0.1
    repeats: int = 3


@dataclass(frozen=True)
class Row:
    """One measured row.

    Attributes:
        subject: which environment.
        face: which door of it.
        num_envs: B.
        threads: that share a step.
        observation_bytes: that one game's step hands out.
        mask_bytes: likewise.
        state_bytes: of one row's state and legal set.
        cpu_ns: nanoseconds of CPU time of one row's step.
        wall_ns: nanoseconds of wall time of one row's step.
        limit_ns: nanoseconds of CPU time for only writing observation and mask at this B.
    """

    subject: str
    face: str
    num_envs: int
    threads: int
    observation_bytes: int
    mask_bytes: int
    state_bytes: int
    cpu_ns: float
    wall_ns: float
    limit_ns: float

    @property
    def steps_per_cpu_second(self) -> float:
        """Steps of single games a second of CPU time."""
        return _NANOSECONDS / self.cpu_ns

    @property
    def steps_per_second(self) -> float:
        """Steps of single games a second of wall time."""
        return _NANOSECONDS / self.wall_ns

    @property
    def limit_share(self) -> float:
        """Which share of the step's CPU time only writing its bytes would take."""
        return self.limit_ns / self.cpu_ns

    def to_json(self) -> dict[str, Any]:
        """Return every field, and what follows from them."""
        return {
            **asdict(self),
            "steps_per_cpu_second": self.steps_per_cpu_second,
            "steps_per_second": self.steps_per_second,
            "limit_share": self.limit_share,
        }

    def to_markdown(self) -> str:
        """Return the row of a table under `HEADER`."""
        return (
            f"| {self.subject} | {self.face} | {self.num_envs:,} | {self.threads} "
            f"| {self.observation_bytes} + {self.mask_bytes} | {self.steps_per_cpu_second:,.0f} "
            f"| {self.steps_per_second:,.0f} | {100 * self.limit_share:.3g}% |"
        )


def measure(plan: Plan) -> Iterator[Row]:
    """Yield the rows of a plan as they are measured."""
    for subject in plan.subjects:
        layout = layout_of(subject)
        limits: dict[int, float] = {}
        for case in cases_of(subject, plan.batches, plan.threads):
            if case.num_envs not in limits:
                limits[case.num_envs] = _limit(layout, case, plan)
            timing = fastest(case.play(), case.effort(plan.seconds, plan.repeats))
            yield _row(case, layout, timing, limits[case.num_envs])


def printed(plan: Plan) -> list[Row]:
    """Return the rows of a plan; each is printed, in a Markdown table, when it is measured."""
    print(HEADER, flush=True)
    rows = []
    for row in measure(plan):
        rows.append(row)
        print(row.to_markdown(), flush=True)
    return rows


def document(rows: Sequence[Row], plan: Plan) -> dict[str, Any]:
    """Return the whole measurement as JSON values: plan, machine, versions and rows."""
    host = host_facts()
    host.pop("release")  # of the kernel: it may name whose machine it is, and explains no number
    return {
        "format": _FORMAT,
        "plan": asdict(plan),
        "host": host,
        "versions": package_versions(_PACKAGES),
        "rows": [row.to_json() for row in rows],
    }


def _limit(layout: Layout, case: Case, plan: Plan) -> float:
    play = write_play(layout, case.num_envs)
    return fastest(play, case.effort(plan.seconds, plan.repeats)).cpu_ns


def _row(case: Case, layout: Layout, timing: Timing, limit_ns: float) -> Row:
    return Row(
        subject=case.subject,
        face=case.face,
        num_envs=case.num_envs,
        threads=case.threads,
        observation_bytes=layout.observation,
        mask_bytes=layout.mask,
        state_bytes=layout.state,
        cpu_ns=timing.cpu_ns,
        wall_ns=timing.wall_ns,
        limit_ns=limit_ns,
    )
