"""Reads the PNG files this package writes, independently of any picture library."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray


def read_png(content: bytes) -> NDArray[np.uint8]:
    """Return the picture (rows, columns, 3) of a file with 8-bit colours and filters 0 or 2."""
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, place = {}, 8
    while place < len(content):
        (length,) = struct.unpack(">I", content[place : place + 4])
        kind, body = content[place + 4 : place + 8], content[place + 8 : place + 8 + length]
        (checksum,) = struct.unpack(">I", content[place + 8 + length : place + 12 + length])
        assert zlib.crc32(kind + body) == checksum, kind
        chunks[kind] = body
        place += 12 + length
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    columns, rows, depth, color, *methods = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, color, methods) == (8, 2, [0, 0, 0])
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(rows, -1)
    picture = np.zeros((rows, columns * 3), np.uint8)
    above = np.zeros(columns * 3, np.uint8)
    for line, target in zip(lines, picture, strict=True):
        assert line[0] in (0, 2)
        target[:] = line[1:] + above if line[0] == 2 else line[1:]
        above = target
    return picture.reshape(rows, columns, 3)
