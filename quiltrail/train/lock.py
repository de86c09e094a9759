"""A lock on a folder, held by a process while it lives: kill -9 drops it, too."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from quiltrail.core.errors import ConfigError

_NAME = "lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder's lock.

    Raises:
        ConfigError: if another process holds it.
    """
    with (folder / _NAME).open("a+b") as file:
        try:
            _take(file)
        except OSError:
            raise ConfigError(
                f"another process is at work in {folder}; wait for its end, or stop it"
            ) from None
        try:
            yield
        finally:
            _drop(file)


if sys.platform == "win32":
    import msvcrt

    def _take(file: IO[bytes]) -> None:
        file.seek(0, os.SEEK_SET)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def _drop(file: IO[bytes]) -> None:
        file.seek(0, os.SEEK_SET)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _drop(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
