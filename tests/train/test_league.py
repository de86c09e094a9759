"""Tinrail's league: returns, gradients, runs, ratings."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")

from typer.testing import CliRunner

from quiltrail.agents.tinrail_learned import TinrailLearned
from quiltrail.agents.tinrail_network import chance_of, empty_network, load_networks, logit_of
from quiltrail.agents.tinrail_views import MOST_ACTIVE, NUM_ENTRIES
from quiltrail.cli import app
from quiltrail.train.config import ExperimentConfig
from quiltrail.train.evaluate import evaluate
from quiltrail.train.league.learner import LeagueLearner
from quiltrail.train.league.learning import Samples, judge, room_for_course, room_for_samples
from quiltrail.train.league.optimizer import learn_batch, no_moments
from quiltrail.train.league.ratings import rate
from quiltrail.train.models import load_player
from quiltrail.train.run import run_experiment
from tests.train.small import small_own, whole_and_resumed


def small(*more: str) -> ExperimentConfig:
    return small_own("tinrail_league", *more)


def test_returns_alternate_sides_and_are_cut_at_random_placements() -> None:
    course, samples = room_for_course(), room_for_samples(1)
    course.sample[:4] = [0, 1, -1, 2]
    course.value[:4] = [0.9, 0.6, 0.8, 0.5]
    course.explored[:4] = [False, False, True, False]
    judge(1.0, 4, 0.75, course, samples)
    # a_3 won for its placer; a_2's return is not learned, and behind it the best value counts
    assert samples.targets[2] == 1.0
    assert samples.targets[1] == pytest.approx(1 - 0.8)
    assert samples.targets[0] == pytest.approx(1 - (0.75 * 0.2 + 0.25 * 0.6))


def test_without_bootstrap_every_return_is_the_result_of_its_side() -> None:
    course, samples = room_for_course(), room_for_samples(1)
    course.sample[:3] = [0, 1, 2]
    course.value[:3] = 0.4
    judge(1.0, 3, 1.0, course, samples)
    assert samples.targets[:3].tolist() == [1.0, 0.0, 1.0]


def some_samples(count: int) -> Samples:
    rng = np.random.default_rng(2)
    samples = room_for_samples(count)
    for sample in range(count):
        samples.counts[sample] = rng.integers(3, 9)
        samples.active[sample] = rng.choice(NUM_ENTRIES, MOST_ACTIVE, replace=False)
        samples.targets[sample] = rng.random()
    return samples


def test_the_first_correction_goes_against_the_sign_of_the_gradient() -> None:
    rng = np.random.default_rng(3)
    network, samples, batch = empty_network(1, 3), some_samples(6), np.arange(6)
    for weights in network:
        weights[:] = rng.normal(size=weights.shape)
    before = type(network)(*(one.copy() for one in network))

    def loss(sample: int) -> float:
        active = samples.active[sample, : samples.counts[sample]]
        chance = chance_of(logit_of(before, 0, active, np.zeros(3, np.float32)))
        target = samples.targets[sample]
        return float(-target * np.log(chance) - (1 - target) * np.log(1 - chance))

    error = learn_batch(network, no_moments(3), samples, batch, 0.01, 1, np.zeros(3, np.float32))
    assert error > 0
    used = int(samples.active[0, 0])
    places = [("entries", (0, used, unit)) for unit in range(3)]
    places += [("bias", (0, unit)) for unit in range(3)] + [("head", (0, 1)), ("offset", (0, 0))]
    for name, place in places:
        weights = getattr(before, name)
        kept, slopes = weights[place], []
        for shift in (1e-2, -1e-2):
            weights[place] = kept + np.float32(shift)
            slopes.append(sum(loss(sample) for sample in batch))
        weights[place] = kept
        slope = (slopes[0] - slopes[1]) / 2e-2
        moved = getattr(network, name)[place] - kept
        expected = -0.01 * np.sign(slope) if abs(slope) > 1e-4 else 0.0
        assert moved == pytest.approx(expected, abs=1e-3), (name, place)


def test_corrections_fit_a_few_samples() -> None:
    network, samples, batch = empty_network(1, 8), some_samples(5), np.arange(5)
    rng = np.random.default_rng(4)
    network.entries[:] = rng.normal(scale=0.1, size=network.entries.shape)
    network.head[:] = rng.normal(scale=0.1, size=network.head.shape)
    moments, hidden = no_moments(8), np.zeros(8, np.float32)
    errors = [learn_batch(network, moments, samples, batch, 0.02, n, hidden) for n in range(1, 150)]
    assert errors[-1] < 1e-3 < errors[0]


def test_a_small_run_learns_and_its_model_plays_what_was_evaluated(tmp_path: Path) -> None:
    result = run_experiment(small(), tmp_path / "run", quiet=True)
    assert result.steps >= 4000
    assert result.refusals == result.report.refusals == 0
    player = load_player(tmp_path / "run")
    assert isinstance(player, TinrailLearned)
    settings = {"seat": "random"}
    again = evaluate(player, "tinrail", result.report.seeds, settings=settings)
    assert again.scores == result.report.scores == result.sampled.scores


def test_a_small_league_meets_and_is_rated(tmp_path: Path) -> None:
    learner, model = LeagueLearner(small()), tmp_path / "model.zip"
    while learner.steps < 4000:
        learner.learn_chunk()
    learner.save_model(model)
    network, steps = load_networks(model)
    assert len(network.bias) == len(steps) == 3
    assert 2000 <= steps[1] < steps[2] == steps[0]
    np.testing.assert_array_equal(network.entries[0], network.entries[2])
    assert (network.entries[0] != network.entries[1]).any()
    words = ["league", str(model), "--matches", "6", "--playouts", "2", "--out", str(tmp_path)]
    answer = CliRunner().invoke(app, words)
    assert answer.exit_code == 0, answer.output
    told = json.loads((tmp_path / "league.json").read_text())
    wins, draws = np.array(told["wins"]), np.array(told["draws"])
    np.testing.assert_array_equal(wins + wins.T + draws, 12 * (1 - np.eye(7, dtype=int)))
    assert told["ratings"]["tinrail-wise"] == {"value": 0.0, "low": 0.0, "high": 0.0}
    assert told["ratings"]["random"]["high"] < 0
    assert "| snapshot-2 |" in (tmp_path / "LEAGUE.md").read_text()
    for picture in ("payoffs.png", "ratings.png"):
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")


def test_a_resumed_league_learns_what_an_uninterrupted_one_learns() -> None:
    whole, resumed = whole_and_resumed(lambda: LeagueLearner(small()), before=6, after=4)
    assert len(whole.get_state()["frozen_at"]) >= 1
    np.testing.assert_equal(resumed.get_state(), whole.get_state())


def test_the_player_follows_the_learner() -> None:
    learner = LeagueLearner(small())
    player = learner.player()
    before = player.network.entries[0].copy()
    learner.learn_chunk()
    assert (player.network.entries[0] != before).any()
    np.testing.assert_array_equal(player.network.entries[0], learner.weights()["entries"][0])


def test_three_wins_in_four_are_191_points() -> None:
    # 400 log10(3) = 190.8; one virtual draw among 40,000 matches changes nothing
    points = np.array([[0.0, 30_000.0], [10_000.0, 0.0]])
    strong, weak = rate(["strong", "weak"], points, "weak")
    assert strong.elo.value == pytest.approx(190.8, abs=0.1)
    assert weak.elo.to_json() == {"value": 0.0, "low": 0.0, "high": 0.0}
    # the variance of a logit is 1 / (n p (1 - p)); 173.7 points are one unit of it
    half = 173.72 * 1.96 / np.sqrt(40_000 * 0.75 * 0.25)
    assert strong.elo.high - strong.elo.value == pytest.approx(half, rel=0.01)


def test_ratings_of_consistent_results_are_found_again() -> None:
    true = np.array([0.0, -300.0, 120.0, 450.0])
    chances = 1 / (1 + 10 ** ((true[None, :] - true[:, None]) / 400))
    points = 1e6 * chances * (1 - np.eye(4))
    found = rate(list("abcd"), points, "a")
    assert [one.elo.value for one in found] == pytest.approx(true, abs=0.1)


def test_a_player_that_never_lost_has_a_finite_rating() -> None:
    best, other = rate(["best", "other"], np.array([[0.0, 20.0], [0.0, 0.0]]), "other")
    assert best.elo.value == pytest.approx(400 * np.log10(20.5 / 0.5), abs=0.1)
    assert best.elo.low < best.elo.value < best.elo.high < 1500
    assert other.elo.value == 0.0


def test_players_that_never_met_are_not_rated() -> None:
    points = np.zeros((4, 4))
    points[0, 1] = points[2, 3] = 5.0
    with pytest.raises(ValueError, match="never met"):
        rate(list("abcd"), points, "a")
