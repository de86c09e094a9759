"""Files of plain arrays: archives that are read without executing anything."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tokenize import TokenError
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.errors import ModelMismatchError, on_one_line

Arrays = dict[str, NDArray[Any]]
_Read = TypeVar("_Read")

_KIND = "kind"
_LARGEST = 2 * 1024**3  # bytes, unpacked
_LONGEST_CAUSE = 200  # characters


def write_arrays(path: Path, kind: str, arrays: Arrays) -> None:
    """Write an archive of arrays that says what kind of file it is; no pickle."""
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **{_KIND: np.array(kind)}, **arrays)


def read_file(path: Path, what: str, read: Callable[[bytes], _Read]) -> _Read:
    """Return what ``read`` makes of a file's content.

    Args:
        path: of the file.
        what: it should hold, for the error's sentence.
        read: returns what some bytes hold, or raises `ModelMismatchError`.

    Raises:
        ModelMismatchError: naming the file, if it cannot be read or holds something else.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelMismatchError(f"cannot read {path.name}: {error.strerror}") from None
    try:
        return read(content)
    except ModelMismatchError as error:
        raise ModelMismatchError(f"{path.name} holds no {what}: {error}") from None


def read_arrays(content: bytes, kinds: Sequence[str], names: Iterable[str]) -> tuple[str, Arrays]:
    """Return the kind and the arrays of an archive of `write_arrays`; checksums are checked.

    Raises:
        ModelMismatchError: if it is damaged, of none of the kinds, or has other names.
    """
    arrays = _arrays_in(content)
    wanted = sorted({_KIND, *names})
    if sorted(arrays) != wanted:
        raise ModelMismatchError(f"it has to hold {', '.join(wanted)}")
    check_array(arrays, _KIND, "U", ())
    kind = str(arrays.pop(_KIND))
    if kind not in kinds:
        known = ", ".join(f'"{one}"' for one in kinds)
        raise ModelMismatchError(f'its kind has to be {known}, got "{kind:.60}"')
    return kind, arrays


def check_array(arrays: Arrays, name: str, kind: str, shape: tuple[int, ...]) -> None:
    """Demand a kind ("f", "i", "U") and a shape of an array.

    Raises:
        ModelMismatchError: naming the array.
    """
    array = arrays[name]
    if array.dtype.kind != kind or array.shape != shape:
        raise ModelMismatchError(
            f"{name} has to be of kind {kind} and shape {shape}, "
            f"got {array.dtype} of shape {array.shape}"
        )


def check_weights(arrays: Arrays, name: str, shape: tuple[int, ...]) -> None:
    """Demand finite float32 of a shape.

    Raises:
        ModelMismatchError: naming the array.
    """
    check_array(arrays, name, "f", shape)
    if arrays[name].dtype != np.float32 or not np.isfinite(arrays[name]).all():
        raise ModelMismatchError(f"its {name} have to be finite float32")


def _arrays_in(content: bytes) -> Arrays:
    """Return the arrays of an archive, read without pickle, unpacked up to a size."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            if sum(one.file_size for one in packed.infolist()) > _LARGEST:
                raise ModelMismatchError("it is larger than 2 GiB unpacked")
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile, AttributeError) as error:
        if isinstance(error, ModelMismatchError):
            raise
        raise ModelMismatchError(on_one_line(error)[:_LONGEST_CAUSE] or "it is damaged") from None
    except (TypeError, NotImplementedError, zlib.error, MemoryError, TokenError) as error:
        raise ModelMismatchError(f"it is damaged ({type(error).__name__})") from None
