"""Nested plain values as bytes and back: JSON for the shape, ``.npy`` for arrays, never pickle.

Values are None, bool, int, float, str, bytes, numpy arrays and scalars without Python objects, and
lists, tuples, deques and dicts (keys str or int) of them. Reading executes nothing.
"""

from __future__ import annotations

import io
import json
from collections import deque
from tokenize import TokenError
from typing import Any

import numpy as np

from quiltrail.core.errors import QuiltrailError, shown

_LENGTH_BYTES = 8
#: What reading damaged bytes raises: json, numpy, and the tokenizer that numpy reads heads with.
_DAMAGE = (
    ValueError,
    TypeError,
    LookupError,
    OverflowError,
    RecursionError,
    MemoryError,
    EOFError,
    TokenError,
)
_PLAIN = (bool, int, float, str, type(None))


class TreeError(QuiltrailError, ValueError):
    """A value that cannot be written so, or bytes that hold none."""


def pack(value: Any) -> bytes:
    """Return a value as bytes.

    Raises:
        TreeError: if a part of it is none of the kinds above.
    """
    blobs: list[bytes] = []
    shape = json.dumps([_shape_of(value, blobs), [len(blob) for blob in blobs]]).encode()
    return b"".join([len(shape).to_bytes(_LENGTH_BYTES, "little"), shape, *blobs])


def unpack(content: bytes) -> Any:
    """Return the value that `pack` wrote.

    Raises:
        TreeError: if these are no such bytes.
    """
    try:
        end = _LENGTH_BYTES + int.from_bytes(content[:_LENGTH_BYTES], "little")
        shape, lengths = json.loads(content[_LENGTH_BYTES:end])
        blobs = []
        for length in lengths:
            blobs.append(content[end : end + length])
            end += length
        return _value_of(shape, blobs)
    except _DAMAGE as error:
        raise TreeError(f"these bytes hold no packed value: {shown(str(error))}") from None


def _shape_of(value: Any, blobs: list[bytes]) -> Any:
    """Return a value as JSON; arrays and bytes go to ``blobs``."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, dict):
        return {"dict": [[_key(key), _shape_of(part, blobs)] for key, part in value.items()]}
    if isinstance(value, deque):
        return {"deque": [_shape_of(part, blobs) for part in value], "maxlen": value.maxlen}
    if isinstance(value, (list, tuple)):
        parts = [_shape_of(part, blobs) for part in value]
        return {"tuple": parts} if isinstance(value, tuple) else parts
    if isinstance(value, bytes):
        blobs.append(value)
        return {"bytes": len(blobs) - 1}
    if isinstance(value, (np.ndarray, np.generic)):
        blobs.append(_array_bytes(np.asarray(value)))
        return {"scalar" if isinstance(value, np.generic) else "array": len(blobs) - 1}
    raise TreeError(f"a {type(value).__name__} is no plain value: {shown(value)}")


def _key(key: object) -> str | int:
    if type(key) not in (str, int):
        raise TreeError(f"keys are str or int, got {shown(key)}")
    return key  # type: ignore[return-value]


def _array_bytes(array: np.ndarray[Any, Any]) -> bytes:
    file = io.BytesIO()
    try:
        np.lib.format.write_array(file, array, allow_pickle=False)
    except ValueError as error:
        raise TreeError(f"an array of {array.dtype} is no plain value") from error
    return file.getvalue()


def _value_of(shape: Any, blobs: list[bytes]) -> Any:
    if isinstance(shape, list):
        return [_value_of(part, blobs) for part in shape]
    if not isinstance(shape, dict):
        return shape
    if "dict" in shape:
        return {key: _value_of(part, blobs) for key, part in shape["dict"]}
    if "tuple" in shape:
        return tuple(_value_of(part, blobs) for part in shape["tuple"])
    if "deque" in shape:
        return deque((_value_of(part, blobs) for part in shape["deque"]), shape["maxlen"])
    if "bytes" in shape:
        return blobs[shape["bytes"]]
    array = np.lib.format.read_array(
        io.BytesIO(blobs[shape["array" if "array" in shape else "scalar"]]), allow_pickle=False
    )
    return array if "array" in shape else array[()]
