"""Resident memory of a process, sampled; and whether it stays flat."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_KIB = 1024
_WARM_UP_SHARE = 0.1  # of the samples: compilation, first rollouts, buffers
_ALLOWED_MB = 16.0


def resident_mb(process: int | str = "self") -> float:
    """Return the resident memory of a process in MB (Linux: /proc/<pid>/status).

    Raises:
        OSError: if the process is gone.
    """
    for line in Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / _KIB
    raise OSError(f"process {process} has no memory any more")


@dataclass
class MemorySamples:
    """Resident memory in MB, a sample at most every ``every_seconds``."""

    every_seconds: float = 5.0
    seconds: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    _began: float = field(default_factory=time.monotonic)

    def take(self, process: int | str = "self") -> None:
        """Sample, if it is time."""
        now = time.monotonic() - self._began
        if not self.seconds or now - self.seconds[-1] >= self.every_seconds:
            self.megabytes.append(round(resident_mb(process), 1))
            self.seconds.append(round(now, 1))

    def summary(self) -> dict[str, Any]:
        """Return how memory went after the warm-up, the first tenth of the samples."""
        settled = self.megabytes[int(len(self.megabytes) * _WARM_UP_SHARE) :]
        tenth = max(1, len(settled) // 10)
        first, last = settled[:tenth], settled[-tenth:]
        growth = sum(last) / len(last) - sum(first) / len(first)
        return {
            "samples": len(self.megabytes),
            "seconds": self.seconds[-1],
            "first_mb": settled[0],
            "most_mb": max(settled),
            "last_mb": settled[-1],
            "growth_mb": round(growth, 1),
            "flat": growth <= _ALLOWED_MB,
        }
