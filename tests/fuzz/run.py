"""Fuzz some doors from the command line, faults printed in full.

python -m tests.fuzz.run [--doors NAME ..] [--count 1000] [--seed 0] [--seconds 60]
"""

from __future__ import annotations

import argparse

from tests.fuzz.doors import DOORS
from tests.fuzz.harness import fuzz


def main() -> None:
    """Fuzz and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--doors", nargs="+", default=list(DOORS))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    for name in arguments.doors:
        report = fuzz(DOORS[name](), arguments.seed, arguments.count, seconds=arguments.seconds)
        print(name, report.to_json(), flush=True)
        for fault in report.faults:
            print(f"  {fault[:500]}")


if __name__ == "__main__":
    main()
