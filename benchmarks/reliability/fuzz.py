"""Fuzz every door for long and write docs/reliability/fuzz.json.

    python -m benchmarks.reliability.fuzz [--doors NAME ..] [--count 1000000] [--seconds 3600]

Each door gets ``--count`` inputs, or as many as ``--seconds`` of CPU allow; what was reached is
written door by door. Faults are printed with their inputs, and make the exit code 1.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.reliability.memory import resident_mb
from benchmarks.reliability.results import add_to_part
from tests.fuzz.doors import DOORS
from tests.fuzz.harness import fuzz

_WARM_UP = 200  # inputs, before memory is looked at


def main() -> int:
    """Fuzz and write; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--doors", nargs="+", default=list(DOORS))
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    faults = 0
    for name in arguments.doors:
        door = DOORS[name]()
        fuzz(door, arguments.seed + 1, _WARM_UP, seconds=arguments.seconds)
        before = resident_mb()
        report = fuzz(door, arguments.seed, arguments.count, seconds=arguments.seconds)
        growth = round(resident_mb() - before, 1)
        add_to_part("fuzz", name, {**report.to_json(), "memory_growth_mb": growth})
        print(name, report.to_json(), growth, *report.faults, sep="\n  ", flush=True)
        faults += report.num_faults
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
