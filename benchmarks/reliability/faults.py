"""Inject real faults and write docs/reliability/faults.json: which tests, and how they went.

    python -m benchmarks.reliability.faults [--tests FILE ..]

The tests are those of `_TESTS`, slow ones too. Tests that the machine does not allow (mounting a
small disk needs root) are told as skipped.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

from benchmarks.reliability.results import add_to_part

_TESTS = (
    "tests/train/test_faults.py",
    "tests/train/test_resume.py",
    "tests/core/test_corrupt_states.py",
    "tests/conformance/test_platforms.py",
    "tests/conformance/test_reproducible.py",
)


def _run(tests: tuple[str, ...] = _TESTS) -> dict[str, Any]:
    """Run tests; return by file how many passed, failed and were skipped, and the names."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-m", "slow or not slow"]
        subprocess.run([*command, f"--junitxml={report}", "--timeout=3600", *tests])
        return _outcomes(report)


def _outcomes(report: Path) -> dict[str, Any]:
    """Return what a JUnit report says, by module."""
    found: dict[str, Any] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        module = found.setdefault(
            case.attrib["classname"], {"passed": 0, "failed": 0, "skipped": 0, "tests": []}
        )
        ends = {child.tag for child in case}
        end = "failed" if ends & {"failure", "error"} else "passed"
        end = "skipped" if "skipped" in ends else end
        module[end] += 1
        name = case.attrib["name"].partition("[")[0].removeprefix("test_").replace("_", " ")
        if name not in module["tests"]:
            module["tests"].append(name)
    return found


def main() -> int:
    """Run and write; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", nargs="+", default=_TESTS)
    found = _run(tuple(parser.parse_args().tests))
    for module, outcome in found.items():
        add_to_part("faults", module, outcome)
    return int(any(module["failed"] for module in found.values()))


if __name__ == "__main__":
    sys.exit(main())
