"""Guard against slow-downs: instructions a step, here and at an older revision.

    python -m benchmarks.against REF [--tolerance 0.03]

Runs the same script (`benchmarks.instructions`) with this checkout's package and with the one of
REF under valgrind's callgrind, prints the instructions of a step in both and their ratio, and ends
with status 1 if one has grown by more than the tolerance. Counts repeat to a fraction of a percent
on a busy machine, where a timed ratio does not. What they do not see is the cost of memory: for
that there are the timed benchmarks. Kernels are compiled for a fixed processor (x86-64-v3, which
valgrind knows), so counts compare between machines too. It takes some minutes, most of them for
compiling.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from benchmarks.instructions import MARKER

ROOT = Path(__file__).resolve().parents[1]
_SCRIPT = Path(__file__).with_name("instructions.py")
_OLD = ROOT / "build" / "against"
_FIXED = {
    "NUMBA_CPU_NAME": "x86-64-v3",
    "NUMBA_CPU_FEATURES": "+avx2,+bmi,+bmi2,+fma,+lzcnt,+popcnt",
    "NUMBA_DISABLE_JIT": "0",
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


def count(tree: Path) -> dict[str, float]:
    """Return the instructions of a step of every part, played with the package in a folder.

    Raises:
        SystemExit: if valgrind is missing or the script fails.
    """
    if shutil.which("valgrind") is None:
        raise SystemExit("counting instructions needs valgrind: apt-get install valgrind")
    python = [sys.executable, str(_SCRIPT)]
    _run(python, tree)  # compiles into the cache, ten times faster than under valgrind
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counts"
        grind = ["valgrind", "--tool=callgrind", "--quiet", f"--callgrind-out-file={out}"]
        said = _run([*grind, f"--dump-before={MARKER}", *python], tree)
        return per_step(json.loads(said), Path(folder))


def per_step(steps: Mapping[str, int], folder: Path) -> dict[str, float]:
    """Return instructions a step by part, from callgrind's numbered dumps.

    Every second dump ends a part: the others end what lies between the parts.
    """
    return {
        name: dumped(folder / f"counts.{2 * number + 2}") / count
        for number, (name, count) in enumerate(steps.items())
    }


def dumped(path: Path) -> int:
    """Return the instructions that a dump of callgrind sums up."""
    found = re.search(r"^(?:totals|summary): (\d+)", path.read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit(f"{path.name} is no dump of callgrind")
    return int(found[1])


def _run(command: list[str], tree: Path) -> str:
    env = {**os.environ, **_FIXED, "PYTHONPATH": str(tree)}
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=tree)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed in {tree}:\n{done.stderr}")
    return done.stdout.splitlines()[-1]


def unpacked(ref: str) -> Path:
    """Return a folder with the files of a revision, kept under build/ for the next time."""
    git = ["git", "-C", str(ROOT)]
    named = subprocess.run(
        [*git, "rev-parse", "--verify", f"{ref}^{{commit}}"], capture_output=True
    )
    if named.returncode:
        raise SystemExit(f"there is no revision {ref!r}")
    revision = named.stdout.decode().strip()
    folder = _OLD / revision
    if not folder.exists():
        packed = subprocess.run([*git, "archive", revision], capture_output=True, check=True)
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(folder, filter="data")
    return folder


def compare(
    before: Mapping[str, float], after: Mapping[str, float], tolerance: float
) -> tuple[list[str], list[str]]:
    """Return a row of a table for every part, and the names of those that grew too much."""
    rows, worse = [], []
    for name, new in after.items():
        old = before.get(name)
        if old is None:
            rows.append(f"| {name} | | {new:,.0f} | |")
            continue
        rows.append(f"| {name} | {old:,.0f} | {new:,.0f} | {new / old:.3f} |")
        if new > old * (1 + tolerance):
            worse.append(name)
    return rows, worse


def main() -> None:
    """Print the comparison; end with status 1 if something has slowed down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ref", help="a git revision to compare with")
    parser.add_argument("--tolerance", type=float, default=0.03, help="growth that is allowed")
    given = parser.parse_args()
    rows, worse = compare(count(unpacked(given.ref)), count(ROOT), given.tolerance)
    print(f"| part | {given.ref} | here | ratio |\n|---|--:|--:|--:|")
    print("\n".join(rows))
    if worse:
        raise SystemExit(f"more than {given.tolerance:.0%} more instructions: {', '.join(worse)}")


if __name__ == "__main__":
    main()
