"""Hostile inputs, drawn from a seeded generator: edits of valid JSON values, texts and bytes."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

_EDGES = (
    0, 1, -1, 2, 7, 8, 9, 127, 128, -128, 255, 256, 2**15, 2**16, 2**31 - 1, 2**31, -(2**31),
    2**32 - 1, 2**32, 2**53, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30, 10**5000,
)  # fmt: skip
_STRINGS = ("", "A", "place", "0", "-1", "null", "\x00", "\ud800", "é", "x" * 5000, "../..", "type")
_OTHERS = (None, True, False, 0.5, -0.0, math.nan, math.inf, 1e308)
_TOKENS = (
    b"\x00", b"\xff", b"\r\n", b"{", b"}", b"[", b"]" , b'"', b":", b",", b"-", b"&a ", b"*a",
    b"!!python/object:os.system ", b"1e999", b"9" * 40, b"\xed\xa0\x80", b"[" * 400, b"null",
    b"2001-99-99", b"0x", b"<<: ", b"../", b"%s", b"=", b" ", b"\t",
)  # fmt: skip
_MOST_EDITS = 3
_DEPTH = 3

Rng = np.random.Generator


def pick(rng: Rng, choices: Sequence[Any]) -> Any:
    """Return one of the choices."""
    return choices[int(rng.integers(len(choices)))]


def value(rng: Rng, depth: int = _DEPTH) -> Any:
    """Return any JSON-like value, small ones most often, hostile ones often."""
    kind = int(rng.integers(6 if depth else 4))
    if kind == 0:
        return pick(rng, _EDGES)
    if kind == 1:
        return int(rng.integers(-300, 300))
    if kind == 2:
        return pick(rng, _STRINGS)
    if kind == 3:
        return pick(rng, _OTHERS)
    parts = [value(rng, depth - 1) for _ in range(int(rng.integers(4)))]
    if kind == 4:
        return parts
    return {pick(rng, _STRINGS): part for part in parts}


def edited(rng: Rng, seed: Any) -> Any:
    """Return a deep copy of a JSON value with one to three edits at random places."""
    whole = [copy.deepcopy(seed)]
    for _ in range(int(rng.integers(1, _MOST_EDITS + 1))):
        container, key = _place(rng, whole)
        pick(rng, _EDITS)(rng, container, key)
        if not whole:
            return value(rng)
    return whole[0]


def _place(rng: Rng, whole: list[Any]) -> tuple[Any, Any]:
    """Return a container somewhere in a value, and one of its keys."""
    container: Any = whole
    key: Any = 0
    while isinstance(container[key], (dict, list)) and container[key] and rng.random() < 0.8:
        container = container[key]
        keys = list(container) if isinstance(container, dict) else range(len(container))
        key = pick(rng, keys)
    return container, key


def _replace(rng: Rng, container: Any, key: Any) -> None:
    container[key] = value(rng)


def _nudge(rng: Rng, container: Any, key: Any) -> None:
    if type(container[key]) is int:
        container[key] += int(rng.integers(-2, 3))
    elif type(container[key]) is str:
        container[key] = text_edited(rng, container[key])


def _drop(_: Rng, container: Any, key: Any) -> None:
    del container[key]


def _add(rng: Rng, container: Any, key: Any) -> None:
    if isinstance(container, dict):
        container[pick(rng, _STRINGS)] = value(rng)
    else:
        container.insert(key, copy.deepcopy(container[key]))


def _swap(rng: Rng, container: Any, key: Any) -> None:
    keys = list(container) if isinstance(container, dict) else range(len(container))
    other = pick(rng, keys)
    container[key], container[other] = container[other], container[key]


def _wrap(_: Rng, container: Any, key: Any) -> None:
    container[key] = [container[key]]


_EDITS: tuple[Callable[[Rng, Any, Any], None], ...] = (
    _replace,
    _nudge,
    _nudge,
    _drop,
    _add,
    _swap,
    _wrap,
)


def text_edited(rng: Rng, text: str) -> str:
    """Return a text with one to three edits; what is no UTF-8 afterwards is replaced."""
    return bytes_edited(rng, text.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")


def bytes_edited(rng: Rng, data: bytes) -> bytes:
    """Return bytes with one to three edits: flips, cuts, repeats, swaps, odd tokens put in."""
    found = bytearray(data)
    for _ in range(int(rng.integers(1, _MOST_EDITS + 1))):
        start, end = sorted(int(rng.integers(len(found) + 1)) for _ in range(2))
        end = min(end, start + 64)
        kind = int(rng.integers(6))
        if kind == 0 and found:
            found[int(rng.integers(len(found)))] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            del found[start:end]
        elif kind == 2:
            found[start:start] = found[start:end]
        elif kind == 3:
            found[start:start] = pick(rng, _TOKENS)
        elif kind == 4:
            found[start:end] = rng.bytes(end - start)
        else:
            del found[start:]
    return bytes(found)


def any_bytes(rng: Rng) -> bytes:
    """Return up to two hundred random bytes."""
    return rng.bytes(int(rng.integers(200)))
