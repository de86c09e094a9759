"""PNG files out of arrays, with zlib alone."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_BITS_PER_CHANNEL = 8
_TRUECOLOR = 2
# Each row is stored as its difference from the row above: in drawings most are alike, and it is one
# numpy subtraction, where the better filters need a loop over pixels.
_UP_FILTER = 2
_LEVEL = 6


def png_bytes(pixels: NDArray[np.uint8]) -> bytes:
    """Return a picture (rows, columns, 3) uint8 as a PNG file.

    Source: PNG specification, third edition (W3C), sections 5 and 9.
    """
    rows, columns, channels = pixels.shape
    flat = np.ascontiguousarray(pixels).reshape(rows, columns * channels)
    lines = np.empty((rows, 1 + columns * channels), np.uint8)
    lines[:, 0] = _UP_FILTER
    lines[0, 1:] = flat[0]
    lines[1:, 1:] = flat[1:] - flat[:-1]
    header = struct.pack(">IIBBBBB", columns, rows, _BITS_PER_CHANNEL, _TRUECOLOR, 0, 0, 0)
    body = zlib.compress(lines.tobytes(), _LEVEL)
    chunks = (_chunk(b"IHDR", header), _chunk(b"IDAT", body), _chunk(b"IEND", b""))
    return _SIGNATURE + b"".join(chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)
