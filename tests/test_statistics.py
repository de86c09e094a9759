"""Summaries, intervals and comparisons, against values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy")

from quiltrail.statistics import (
    Summary,
    bootstrap,
    interquartile_mean,
    probability_of_improvement,
    profile,
    share,
    summarise,
)


def test_summaries_hold_their_value_and_cover_the_mean_of_a_known_sample() -> None:
    sample = np.random.default_rng(0).normal(100.0, 10.0, 400)
    summary = summarise(sample)
    for one in summary.values():
        assert one.low <= one.value <= one.high
        assert 97 < one.low < 100 < one.high < 103
    assert str(summarise(np.full(3, 7.0))["median"]) == "7.0 [7.0, 7.0]"


def test_the_interval_of_a_mean_is_as_wide_as_theory_says() -> None:
    sample = np.random.default_rng(1).normal(0.0, 1.0, 1000)
    summary = bootstrap([sample], np.mean)
    expected = 2 * 1.96 * sample.std() / np.sqrt(1000)
    assert summary.high - summary.low == pytest.approx(expected, rel=0.1)


def test_each_stratum_keeps_its_share_of_a_resample() -> None:
    """Two strata without spread inside have no interval, however far apart they are."""
    assert bootstrap([np.zeros(5), np.ones(5)], np.mean) == Summary(0.5, 0.5, 0.5)
    mixed = bootstrap([np.repeat([0.0, 1.0], 5)], np.mean)
    assert mixed.low < 0.5 < mixed.high


def test_the_interquartile_mean_leaves_out_both_quarters() -> None:
    assert interquartile_mean(np.array([0, 1, 2, 3, 4, 5, 6, 100.0])) == 3.5


def test_a_summary_moves_to_the_scale_of_the_references() -> None:
    assert Summary(60.0, 10.0, 110.0).mapped(10.0, 110.0) == Summary(0.5, 0.0, 1.0)


def test_improvement_counts_pairs_and_halves_ties() -> None:
    summary = probability_of_improvement([([1.0, 2.0, 3.0], [2.0, 2.0])])
    assert summary.value == 0.5  # 1 loses twice, 2 ties twice, 3 wins twice
    assert probability_of_improvement([([1.0], [0.0])]) == Summary(1.0, 1.0, 1.0)
    averaged = probability_of_improvement([([1.0], [0.0]), ([0.0], [1.0])])
    assert averaged.value == 0.5


def test_a_profile_is_the_share_of_scores_above() -> None:
    value, low, high = profile([[0.0, 0.5, 1.0, 1.0]], np.array([-0.1, 0.0, 0.5, 0.9, 1.0]))
    assert value.tolist() == [1.0, 0.75, 0.5, 0.5, 0.0]
    assert (low <= value).all()
    assert (value <= high).all()


def test_a_share_has_wilsons_interval() -> None:
    # (p + z^2/2n -+ z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n) with n = 20, z = 1.96
    assert share(10, 20).text(".3f") == "0.500 [0.299, 0.701]"
    assert share(20, 20).text(".3f") == "1.000 [0.839, 1.000]"
