"""The algorithm puzzle_value: what it learns from, its runs, resuming, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from quiltrail.agents.patchrook_explorer import PatchrookExplorer
from quiltrail.agents.sunpleat_learned import SunpleatGreedy, at_target
from quiltrail.core.errors import ConfigError, ModelMismatchError, OptionError, QuiltrailError
from quiltrail.envs.sunpleat.levels_garlands import part_of_garland
from quiltrail.envs.sunpleat.par import distances
from quiltrail.train.config import ExperimentConfig
from quiltrail.train.evaluate import evaluate
from quiltrail.train.models import load_player
from quiltrail.train.puzzle.attempts import Attempts, Samples
from quiltrail.train.puzzle.learner import PuzzleValueLearner
from quiltrail.train.puzzle.patchrook import PatchrookPuzzle
from quiltrail.train.puzzle.sunpleat import SunpleatPuzzle
from quiltrail.train.puzzle.value import PuzzleValue, load_value, make_network, shipped_value
from quiltrail.train.randomness import borrowed_randomness
from quiltrail.train.report import uses_solver
from quiltrail.train.run import run_experiment
from quiltrail.train.tree import pack, unpack
from tests.agents.patchrook_drawings import node_of
from tests.train.small import small_own, whole_and_resumed

GAMES = ["sunpleatlevels", "patchrooklevels"]


def small(game: str, *more: str) -> ExperimentConfig:
    return small_own(f"{game}_value", *more)


@pytest.mark.parametrize(
    ("game", "kind"), [("sunpleatlevels", SunpleatGreedy), ("patchrooklevels", PatchrookExplorer)]
)
def test_a_run_learns_and_its_model_plays_what_was_evaluated(
    game: str, kind: type, tmp_path: Path
) -> None:
    config = small(game)
    result = run_experiment(config, tmp_path / "run", quiet=True)
    assert result.steps >= 6000
    assert result.refusals == result.report.refusals == 0
    assert 0 < sum(result.report.in_budget or []) <= sum(result.report.successes or [])
    player = load_player(tmp_path / "run")
    assert isinstance(player, kind)
    settings = {**config.env.settings, **config.evaluation.settings}
    again = evaluate(
        player,
        game,
        result.report.seeds,
        max_episode_steps=config.evaluation.max_episode_steps,
        settings=settings,
    )
    assert again == result.report
    assert "in_budget" in (tmp_path / "run" / "REPORT.md").read_text()


@pytest.mark.usefixtures("short_chunks")
@pytest.mark.parametrize("game", GAMES)
def test_a_resumed_learner_learns_what_an_uninterrupted_one_learns(game: str) -> None:
    def make() -> PuzzleValueLearner:
        with borrowed_randomness(0):
            return PuzzleValueLearner(small(game))

    whole, resumed = whole_and_resumed(make, before=2, after=2)
    np.testing.assert_equal(dict(resumed.weights()), dict(whole.weights()))
    np.testing.assert_equal(_games(resumed), _games(whole))


@pytest.mark.usefixtures("short_chunks")
def test_samples_that_wait_for_a_correction_are_samples_after_a_checkpoint() -> None:
    first = PuzzleValueLearner(small(GAMES[0]))
    while first.get_state()["waiting"] is None:
        first.learn_chunk()
    resumed = PuzzleValueLearner(small(GAMES[0]))
    resumed.set_state(unpack(pack(first.get_state())))
    assert isinstance(resumed.get_state()["waiting"], Samples)


def _games(learner: PuzzleValueLearner) -> dict[str, Any]:
    state = learner.get_state()
    del state["networks"]  # their archive names its own parts; weights() has the values
    return state


@pytest.mark.usefixtures("short_chunks")
def test_nothing_is_corrected_at_a_garland_of_the_test_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    corrected: list[Samples] = []

    def note(learner: PuzzleValueLearner, samples: Samples) -> float:
        corrected.append(samples)
        return 0.0

    monkeypatch.setattr(PuzzleValueLearner, "_correct", note)
    PuzzleValueLearner(small("sunpleatlevels", "env.settings.n=4")).learn_chunk()
    garlands = np.concatenate([one.positions for one in corrected])
    assert len(garlands) > 500
    assert {int(part_of_garland(garland)) for garland in garlands} == {0}
    assert not at_target(garlands).any()


def test_a_solved_attempt_teaches_what_it_reached_and_an_unsolved_one_what_is_promised() -> None:
    attempts = Attempts(SunpleatPuzzle(2), 2)
    attempts.begin(np.arange(2), np.array([[-2, -1], [2, 1]], np.int8))  # 1 flip away, and more
    rng = np.random.default_rng(0)
    assert attempts.move(lambda found: np.full(len(found), -7.0), np.zeros(2), rng) == 2
    rows, solved = attempts.ended()
    assert (rows.tolist(), solved.tolist()) == ([0], [True])
    assert attempts.samples(np.arange(2)).targets.tolist() == [-1.0, -8.0]


def test_a_dead_end_is_worth_nothing_and_the_way_of_a_solved_quilt_everything() -> None:
    attempts = Attempts(PatchrookPuzzle(), 2)
    begun = [node_of(".../...", "I3", "I3"), node_of(".#./.##", "I3")]
    attempts.begin(np.arange(2), np.concatenate(begun))
    rng = np.random.default_rng(0)
    ended = []
    for _ in range(2):
        assert attempts.move(lambda found: np.full(len(found), 0.2), np.ones(2), rng) == 1
        rows, solved = attempts.ended()
        ended.append((rows.tolist(), solved.tolist()))
        samples = attempts.samples(rows[:1])
    assert ended == [([1], [False]), ([0, 1], [True, False])]
    assert samples.targets.tolist() == [1.0, 1.0]
    assert samples.positions["empty"].tolist() == [0b11100111, 0b11100000]
    assert attempts.samples(np.array([1])).targets.tolist() == [0.0, 0.0]


def test_the_network_sees_squares_that_no_placement_covers() -> None:
    puzzle = PatchrookPuzzle()
    seen = puzzle.encode(node_of("...#./....#", "I3", "L3"))[0]
    empty, covers, bare = seen[:25], seen[25:50], seen[50:75]
    assert np.flatnonzero(empty).tolist() == [0, 1, 2, 4, 5, 6, 7, 8]
    assert np.flatnonzero(bare).tolist() == [4]
    assert covers[8] == 2 / 8  # I3 from 6 to 8, and L3 on 2, 7, 8
    assert seen.shape == (puzzle.features,)


def test_flips_keep_what_hangs_together_together() -> None:
    puzzle = SunpleatPuzzle(3)
    before, after = puzzle.encode(np.array([[2, 3, 1], [-3, -2, 1]], np.int8))
    assert before.shape == (puzzle.features,) == after.shape
    places, right, left = np.split(before, [18, 18 + 21])
    assert np.flatnonzero(places).tolist() == [1, 6 + 2, 12 + 0]
    assert np.flatnonzero(right).tolist() == [6, 7 + 2, 14 + 0]  # 1: the edge, 2: 3, 3: 1
    assert np.flatnonzero(left).tolist() == [2, 7 + 6, 14 + 1]
    assert after[18 + 7 + 2] == 1  # 3 still hangs right of 2, seen from its sun


def test_scrambles_are_as_far_as_their_flips_at_most() -> None:
    puzzle = SunpleatPuzzle(5)
    garlands = puzzle.scrambled(400, np.random.default_rng(2))
    found = distances(garlands, np.full(400, 5))
    assert set(found.tolist()) >= set(range(8))
    with pytest.raises(OptionError, match="backwards"):
        PatchrookPuzzle().scrambled(1, np.random.default_rng(0))


def test_a_value_survives_its_file_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    puzzle = SunpleatPuzzle(4)
    value = PuzzleValue(puzzle, make_network(puzzle.features, [8, 4]))
    path = tmp_path / "value.npz"
    value.save(path)
    garlands = puzzle.scrambled(10, np.random.default_rng(0))
    np.testing.assert_array_equal(load_value(path, puzzle).scores(garlands), value.scores(garlands))
    with pytest.raises(ModelMismatchError, match=r'"quiltrail patchrook puzzle value 1"'):
        load_value(path, PatchrookPuzzle())
    whole = path.read_bytes()
    for content in (b"", b"no model", whole[: len(whole) // 2]):
        path.write_bytes(content)
        with pytest.raises(ModelMismatchError, match=r"^value\.npz holds no value of sunpleat_4"):
            load_value(path, puzzle)
    with pytest.raises(ModelMismatchError, match="no weights of sunpleat_3"):
        shipped_value(SunpleatPuzzle(3))


def test_other_games_are_no_puzzles() -> None:
    config = small("sunpleatlevels", "env.id=sunpleat", "env.settings={one_board: true}")
    with pytest.raises(QuiltrailError):
        PuzzleValueLearner(config)
    with pytest.raises(ConfigError, match="run folder"):
        PuzzleValueLearner.load_player(Path("model.zip"), None)


def test_only_a_curriculum_by_size_takes_no_solution() -> None:
    assert not uses_solver(small("patchrooklevels"))
    by_difficulty = "training.starts={name: curriculum, args: {edges: [0, 4, 20]}}"
    assert uses_solver(small("patchrooklevels", by_difficulty))
