"""Write docs/reliability.md from its numbers, after measuring those that are named.

    python -m benchmarks.reliability [--measure fuzz faults soak training]

All four take a day or two on one core: 1 million inputs a door, 100 million steps a game, two hours
of training. Each has a command of its own with sizes to choose; the page tells what was reached.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from benchmarks.reliability.page import write_page

_PARTS = ("fuzz", "faults", "soak", "training")


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", nargs="+", choices=_PARTS, default=[])
    for part in parser.parse_args().measure:
        subprocess.run([sys.executable, "-m", f"benchmarks.reliability.{part}"])
    write_page()


if __name__ == "__main__":
    main()
