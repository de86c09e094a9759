"""The one compile decorator: numba, cached on disk where that is possible.

The same functions run uncompiled under ``NUMBA_DISABLE_JIT=1``, with equal results.

Numba keeps its cache beside the source and checks only the file that holds a kernel, so a
changed helper in another file, or an upgraded package, could leave old machine code in use.
Ours lies in a folder named after the state of every source file of the package, under
``NUMBA_CACHE_DIR`` if that is set, else under the user's cache folder. Where no folder can be
written, kernels are compiled in memory, once a process.

Kernels do not call themselves: loaded from the cache, numba's recursive functions crash.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, cast

import numba

_P = ParamSpec("_P")
_R = TypeVar("_R")

_config: Any = numba.config  # its attributes come from the environment, unknown to type checkers


def compiled(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile a kernel in nopython mode on its first call."""
    return _compile(function, releases_lock=False)


def row_kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile a kernel that lets other Python threads run while it does.

    For kernels that read and write nothing but the rows they are given and constants, so that
    slices of one batch may run at the same time; see `quiltrail.core.slices`.
    """
    return _compile(function, releases_lock=True)


def with_parts(
    template: Callable[_P, _R], owner: str, **parts: Callable[..., Any]
) -> Callable[_P, _R]:
    """Return a function whose code is a template's, and that has these kernels for some names.

    A closure over kernels would do the same, but numba's cache never finds one again: it knows a
    closure by its cells, and a kernel in a cell by a number that each process draws anew. What
    comes of this is a plain function, whose name tells the cache which one it is.

    Args:
        template: not compiled; it calls ``parts`` by names of its own module.
        owner: whose kernels these are; another one for each use of a template.
        parts: compiled kernels.
    """
    name = f"{template.__name__}_of_{owner}"
    code = template.__code__.replace(co_name=name, co_qualname=name)
    names = {**template.__globals__, **parts}
    return cast("Callable[_P, _R]", FunctionType(code, names, name))


def _compile(function: Callable[_P, _R], *, releases_lock: bool) -> Callable[_P, _R]:
    folder = cache_folder()
    if folder is None or _config.DISABLE_JIT:
        return cast("Callable[_P, _R]", numba.njit(nogil=releases_lock)(function))
    users_folder = _config.CACHE_DIR
    _config.CACHE_DIR = str(folder)
    try:
        return cast("Callable[_P, _R]", numba.njit(cache=True, nogil=releases_lock)(function))
    finally:
        _config.CACHE_DIR = users_folder


@cache
def cache_folder() -> Path | None:
    """Return the folder for compiled kernels, or None where nothing can be written."""
    checked = "-checked" if _config.BOUNDSCHECK else ""  # numba's own key does not tell them apart
    for base in _candidate_bases():
        folder = base / f"kernels-{_source_stamp()}{checked}"
        if _is_writable(folder):
            return folder
    return None


def _candidate_bases() -> list[Path]:
    if _config.CACHE_DIR:
        return [Path(_config.CACHE_DIR) / "quiltrail"]
    if os.environ.get("XDG_CACHE_HOME"):
        return [Path(os.environ["XDG_CACHE_HOME"]) / "quiltrail"]
    try:
        home = Path.home()
    except RuntimeError:  # no HOME and no entry in the password database
        return []
    if sys.platform == "darwin":
        return [home / "Library" / "Caches" / "quiltrail"]
    if sys.platform == "win32":
        return [Path(os.environ.get("LOCALAPPDATA", home)) / "quiltrail" / "Cache"]
    return [home / ".cache" / "quiltrail"]


def _source_stamp() -> str:
    """Return a short hash of the name, size and time of every source file of the package."""
    package = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256(str(package).encode())
    for path in sorted(package.rglob("*.py")):
        status = path.stat()
        digest.update(f"{path}{status.st_size}{status.st_mtime_ns}".encode())
    return digest.hexdigest()[:16]


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
