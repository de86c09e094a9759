"""Checkpoints: whole files that say themselves whether they are whole."""

from __future__ import annotations

import hashlib
import pickle
from pathlib import Path
from typing import Any

from quiltrail.train.files import write_bytes

_HEAD = b"quiltrail checkpoint 1 "
_DIGEST_LENGTH = hashlib.sha256().digest_size * 2
_SUFFIX = ".checkpoint"


class Checkpoints:
    """The newest checkpoints of a run, at most ``keep`` of them.

    A checkpoint is a pickle behind a line with its SHA-256. Unpickling executes code: resume only
    runs you trust.

    Args:
        folder: where they lie; made when the first is written.
        keep: how many stay.
    """

    def __init__(self, folder: Path, keep: int) -> None:
        self._folder = folder
        self._keep = keep

    def save(self, steps: int, state: dict[str, Any]) -> Path:
        """Write a checkpoint after so many steps, then drop the oldest beyond ``keep``."""
        content = pickle.dumps(state, protocol=5)
        digest = hashlib.sha256(content).hexdigest().encode()
        self._folder.mkdir(exist_ok=True)
        path = self._folder / f"steps-{steps:012d}{_SUFFIX}"
        write_bytes(path, b"".join([_HEAD, digest, b"\n", content]))
        for old in self._paths()[: -self._keep]:
            old.unlink(missing_ok=True)
        return path

    def newest(self) -> dict[str, Any] | None:
        """Return the state in the newest whole checkpoint, None where there is none."""
        for path in reversed(self._paths()):
            content = _content_if_whole(path.read_bytes())
            if content is not None:
                state: dict[str, Any] = pickle.loads(content)
                return state
        return None

    def _paths(self) -> list[Path]:
        return sorted(self._folder.glob(f"*{_SUFFIX}"))


def _content_if_whole(data: bytes) -> bytes | None:
    head = len(_HEAD) + _DIGEST_LENGTH
    digest, content = data[len(_HEAD) : head], data[head + 1 :]
    whole = data.startswith(_HEAD) and hashlib.sha256(content).hexdigest().encode() == digest
    return content if whole else None
