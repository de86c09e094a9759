"""Deep equality of what environments return: types, dtypes, shapes and values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.errors import CheckFailedError


def check(condition: bool, message: str) -> None:
    """Demand a condition.

    Raises:
        CheckFailedError: with the message, unless it holds.
    """
    if not condition:
        raise CheckFailedError(message)


def assert_same(left: Any, right: Any, where: str = "") -> None:
    """Demand that two returned values are equal in every detail; ``where`` names the place.

    Raises:
        CheckFailedError: a sentence that names the first place that differs.
    """
    check(type(left) is type(right), f"{where}: {type(left)} and {type(right)}")
    if isinstance(left, dict):
        check(set(left) == set(right), f"{where}: keys {sorted(left)} and {sorted(right)}")
        for key in left:
            assert_same(left[key], right[key], f"{where}/{key}")
    elif isinstance(left, (list, tuple)):
        check(len(left) == len(right), f"{where}: lengths {len(left)} and {len(right)}")
        for at, (one, other) in enumerate(zip(left, right, strict=True)):
            assert_same(one, other, f"{where}[{at}]")
    elif isinstance(left, np.ndarray):
        _same_arrays(left, right, where)
    else:
        check(left == right, f"{where}: {left!r} and {right!r}")


def _same_arrays(left: NDArray[Any], right: NDArray[Any], where: str) -> None:
    kinds = [f"{one.dtype} {one.shape}" for one in (left, right)]
    check(kinds[0] == kinds[1], f"{where}: {kinds[0]} and {kinds[1]}")
    if left.dtype == object:
        assert_same(left.tolist(), right.tolist(), where)
    elif not np.array_equal(left, right, equal_nan=left.dtype.kind == "f"):
        at = tuple(int(index[0]) for index in np.nonzero(left != right))
        raise CheckFailedError(f"{where}{list(at)}: {left[at]} and {right[at]}")


def arrays_in(value: Any) -> list[NDArray[Any]]:
    """Return every numpy array inside a returned value."""
    if isinstance(value, dict):
        return [array for part in value.values() for array in arrays_in(part)]
    if isinstance(value, (list, tuple)):
        return [array for part in value for array in arrays_in(part)]
    if isinstance(value, np.ndarray):
        return [value] if value.dtype != object else arrays_in(value.tolist())
    return []
