"""The generator against its published vectors, compiled and not, scalar and batched."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiltrail.core.errors import InvalidSeedError, QuiltrailError
from quiltrail.core.mulberry32 import Mulberry32, advance, as_seed, below, draws_at, mix
from tests.reference.mulberry32 import Mulberry32 as SlowMulberry32

FIRST_OUTPUTS = {
    0: [1144304738, 1416247, 958946056],
    1: [2693262067, 11749833, 2265367787],
    7: [50271532, 266108690, 4195786334],
    42: [2581720956, 1925393290, 3661312704],
    4294967295: [3850105811, 813802916, 3073704848],
}


@pytest.mark.parametrize(("seed", "outputs"), FIRST_OUTPUTS.items())
def test_the_first_outputs_are_the_published_ones(seed: int, outputs: list[int]) -> None:
    stream = Mulberry32(seed)
    assert [stream.next_uint32() for _ in outputs] == outputs


@pytest.mark.parametrize(("seed", "outputs"), FIRST_OUTPUTS.items())
def test_a_stream_can_be_entered_anywhere(seed: int, outputs: list[int]) -> None:
    seeds = np.full(len(outputs), seed, np.uint64)
    assert draws_at(seeds, np.arange(1, len(outputs) + 1)).tolist() == outputs


@given(seed=st.integers(-(2**40), 2**40), count=st.integers(1, 50))
def test_scalar_batched_and_reference_agree(seed: int, count: int) -> None:
    slow, fast = SlowMulberry32(seed), Mulberry32(seed)
    outputs = [slow.next_uint32() for _ in range(count)]
    assert [fast.next_uint32() for _ in range(count)] == outputs
    last = draws_at(np.array([seed % 2**32], np.uint64), np.array([count]))
    assert last.tolist() == [outputs[-1]]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 2**32 - 1))
def test_below_is_the_floor_of_the_scaled_output(seed: int, n: int) -> None:
    output = mix(advance(np.uint64(seed)))
    assert below(output, n) == SlowMulberry32(seed).below(n) < n


def test_shuffles_agree_with_the_reference() -> None:
    fast, slow = list(range(35)), list(range(35))
    Mulberry32(7).shuffle(fast)
    SlowMulberry32(7).shuffle(slow)
    assert fast == slow


@pytest.mark.parametrize(("seed", "taken"), [(-1, 4294967295), (2**32 + 7, 7), (0, 0)])
def test_seeds_are_taken_modulo_2_to_the_32(seed: int, taken: int) -> None:
    assert as_seed(seed) == taken


@pytest.mark.parametrize("seed", [None, True, 1.0, "7", np.int64(3), [1]])
def test_a_seed_that_is_no_python_int_is_refused(seed: object) -> None:
    with pytest.raises(InvalidSeedError, match="a seed is a Python int"):
        as_seed(seed)
    assert issubclass(InvalidSeedError, QuiltrailError)
