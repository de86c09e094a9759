"""Train for hours in a process of its own and sample its memory.

    python -m benchmarks.reliability.training [--config sunpleat] [--hours 2]

The run is an ordinary ``quiltrail train`` with more steps than it can take; it is stopped with
SIGTERM at the end, which has to save and end in one sentence. Memory is sampled every five seconds
and the summary written every minute, so that a run that is cut short is still told.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.reliability.memory import MemorySamples
from benchmarks.reliability.results import write_part

_ENDLESS = 10**11
_POLL_SECONDS = 5.0
_NOTE_SECONDS = 60.0


def _start(config: str, out: Path) -> subprocess.Popen[str]:
    """Start training that does not end by itself."""
    settings = [
        f"training.total_steps={_ENDLESS}",
        "evaluation.every_steps=5000000",
        "evaluation.stop_at_reference=false",
    ]
    command = [sys.executable, "-m", "quiltrail", "train", config, "--quiet", "--out", str(out)]
    for setting in settings:
        command += ["--set", setting]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def _summary(config: str, out: Path, samples: MemorySamples) -> dict[str, Any]:
    """Return what is known so far."""
    status = out / "status.json"
    steps = json.loads(status.read_text(encoding="utf-8"))["steps"] if status.exists() else 0
    return {"config": config, "steps": steps, **samples.summary()}


def _watch(config: str, hours: float) -> dict[str, Any]:
    """Train and sample; return the summary with what the process said in the end."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        process = _start(config, out)
        samples = MemorySamples(_POLL_SECONDS)
        began = told = time.monotonic()
        while process.poll() is None and time.monotonic() - began < hours * 3600:
            time.sleep(_POLL_SECONDS)
            with suppress(OSError):  # it may have ended just now
                samples.take(process.pid)
            if time.monotonic() - told > _NOTE_SECONDS:
                told = time.monotonic()
                write_part("training", _summary(config, out, samples) | {"ended": "running"})
        process.send_signal(signal.SIGTERM)
        said = process.communicate()[0].strip().splitlines()
        last = said[-1].replace(str(out), "<run>") if said else ""
        return _summary(config, out, samples) | {"ended": last, "exit_code": process.returncode}


def main() -> None:
    """Measure and write docs/reliability/training.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", default="sunpleat")
    parser.add_argument("--hours", type=float, default=2.0)
    arguments = parser.parse_args()
    write_part("training", _watch(arguments.config, arguments.hours))


if __name__ == "__main__":
    main()
