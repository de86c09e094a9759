"""Deep equality of what environments return: types, dtypes, shapes and values."""

from __future__ import annotations

from typing import Any

import numpy as np


def assert_same(left: Any, right: Any, where: str = "") -> None:
    """Demand that two returned values are equal in every detail; ``where`` names the place."""
    assert type(left) is type(right), f"{where}: {type(left)} and {type(right)}"
    if isinstance(left, dict):
        assert set(left) == set(right), f"{where}: {sorted(left)} and {sorted(right)}"
        for key in left:
            assert_same(left[key], right[key], f"{where}/{key}")
    elif isinstance(left, (list, tuple)):
        assert len(left) == len(right), where
        for at, (one, other) in enumerate(zip(left, right, strict=True)):
            assert_same(one, other, f"{where}[{at}]")
    elif isinstance(left, np.ndarray):
        assert (left.dtype, left.shape) == (right.dtype, right.shape), where
        if left.dtype == object:
            assert_same(left.tolist(), right.tolist(), where)
        else:
            np.testing.assert_array_equal(left, right, err_msg=where)
    else:
        assert left == right, f"{where}: {left!r} and {right!r}"


def arrays_in(value: Any) -> list[np.ndarray]:
    """Return every numpy array inside a returned value."""
    if isinstance(value, dict):
        return [array for part in value.values() for array in arrays_in(part)]
    if isinstance(value, (list, tuple)):
        return [array for part in value for array in arrays_in(part)]
    if isinstance(value, np.ndarray):
        return [value] if value.dtype != object else arrays_in(value.tolist())
    return []
