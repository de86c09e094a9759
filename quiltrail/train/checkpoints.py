"""Checkpoints: whole files that say themselves whether they are whole."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from quiltrail.core.errors import ConfigError
from quiltrail.train.files import write_bytes
from quiltrail.train.tree import TreeError, pack, unpack

_HEAD = b"quiltrail checkpoint 2 "  # the number is that of the format
_PICKLED = b"quiltrail checkpoint 1 "
_DIGEST_LENGTH = hashlib.sha256().digest_size * 2
_SUFFIX = ".checkpoint"


class Checkpoints:
    """The newest checkpoints of a run, at most ``keep`` of them.

    A checkpoint is plain values (see `quiltrail.train.tree`) behind a line with their SHA-256;
    reading one executes nothing.

    Args:
        folder: where they lie; made when the first is written.
        keep: how many stay.
    """

    def __init__(self, folder: Path, keep: int) -> None:
        self._folder = folder
        self._keep = keep

    def save(self, steps: int, state: dict[str, Any]) -> Path:
        """Write a checkpoint after so many steps, then drop the oldest beyond ``keep``."""
        content = pack(state)
        digest = hashlib.sha256(content).hexdigest().encode()
        self._folder.mkdir(exist_ok=True)
        path = self._folder / f"steps-{steps:012d}{_SUFFIX}"
        write_bytes(path, b"".join([_HEAD, digest, b"\n", content]))
        for old in self._paths()[: -self._keep]:
            old.unlink(missing_ok=True)
        return path

    def newest(self) -> dict[str, Any] | None:
        """Return the state in the newest whole checkpoint, None where there is none.

        Raises:
            ConfigError: if it was written by a version that pickled.
        """
        for path in reversed(self._paths()):
            data = path.read_bytes()
            if data.startswith(_PICKLED):
                raise ConfigError(
                    f"{path.name} was written by an older version, as a pickle, which is not read "
                    "any more: it could execute code; train the config as a new run"
                )
            state = _state_if_whole(data)
            if state is not None:
                return state
        return None

    def _paths(self) -> list[Path]:
        return sorted(self._folder.glob(f"*{_SUFFIX}"))


def _state_if_whole(data: bytes) -> dict[str, Any] | None:
    head = len(_HEAD) + _DIGEST_LENGTH
    digest, content = data[len(_HEAD) : head], data[head + 1 :]
    whole = data.startswith(_HEAD) and hashlib.sha256(content).hexdigest().encode() == digest
    if not whole:
        return None
    try:
        state = unpack(content)
    except TreeError:
        return None
    return state if isinstance(state, dict) else None
