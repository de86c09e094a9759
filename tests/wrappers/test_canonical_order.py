"""The canonical order keeps every cover and the optimum; solvability and shaping on request."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from quiltrail.agents.patchrook import PatchrookSolver
from quiltrail.core.actions import REFUSALS
from quiltrail.core.errors import OptionError
from quiltrail.envs.patchrook.env import PatchrookEnv, PatchrookVectorEnv
from quiltrail.envs.patchrook.rules import BANK, LIFT, NEXT, RESTART
from quiltrail.envs.patchrook.solver import actions_to_clear, best_actions, potential
from quiltrail.wrappers import (
    CanonicalOrder,
    ForbidActions,
    PotentialShaping,
    SolvableInfo,
    apply_transforms,
)

NUM_PLACES = 48
ALL_BUT_PLACES = ("lift", "restart", "bank")
DEAD_FIRST_PLACE = {"type": "place", "patchId": "A", "orientation": 1, "x": 0, "y": 1}


def canonical_env(quilt: int = 1, seed: int = 3) -> Any:
    env = apply_transforms(PatchrookEnv(), CanonicalOrder())
    env.reset(seed=seed, options={"quilt": quilt})
    return env


def legal_places(env: Any) -> list[int]:
    return np.flatnonzero(env.action_masks()[:NUM_PLACES]).tolist()


def count_covers(env: Any) -> int:
    if env.unwrapped.view()["phase"] == "cleared":
        return 1
    before, covers = env.unwrapped.get_state(), 0
    for place in legal_places(env):
        env.step(place)
        covers += count_covers(env)
        env.unwrapped.set_state(before)
    return covers


@pytest.mark.parametrize(
    ("quilt", "covers"), [(1, 16), (2, 16), (3, 16), (4, 24), (6, 16), (7, 8), (8, 14)]
)
def test_every_cover_is_left_in_exactly_one_order(quilt: int, covers: int) -> None:
    assert count_covers(canonical_env(quilt)) == covers


def attempt(env: Any) -> tuple[float, float]:
    """Return the chance that random places complete the quilt, and the actions until then or the
    restart."""
    if env.unwrapped.view()["phase"] == "cleared":
        return 1.0, 0.0
    places = legal_places(env)
    if not places:
        return 0.0, 1.0
    before, chance, actions = env.unwrapped.get_state(), 0.0, 0.0
    for place in places:
        env.step(place)
        later = attempt(env)
        chance, actions = chance + later[0], actions + 1 + later[1]
        env.unwrapped.set_state(before)
    return chance / len(places), actions / len(places)


@pytest.mark.parametrize(("quilt", "expected"), [(1, 3.3), (2, 13.4), (3, 15.0), (6, 60), (7, 99)])
def test_random_places_with_restarts_need_so_many_actions(quilt: int, expected: float) -> None:
    chance, actions = attempt(canonical_env(quilt))
    assert actions / chance == pytest.approx(expected, abs=0.5 if expected > 20 else 0.05)


def test_the_optimal_player_stays_inside_and_earns_the_optimum() -> None:
    env = canonical_env()
    engine, solver, score = env.unwrapped.engine, PatchrookSolver(), 0.0
    for _ in range(256):
        in_game = int(solver.act(engine)[0])
        in_view = NUM_PLACES + in_game - LIFT if in_game >= LIFT else in_game // 25
        assert env.action_masks()[in_view]
        score += env.step(in_view)[1]
    assert score == 20_100


def test_other_actions_follow_the_places() -> None:
    transform = CanonicalOrder()
    engine = PatchrookEnv().engine
    transform.bind(engine)
    for in_view, in_game in ((48, LIFT), (53, LIFT + 5), (54, RESTART), (55, NEXT), (56, BANK)):
        assert transform.to_game(engine, np.array([in_view])).tolist() == [in_game]


@pytest.mark.parametrize("outside", [-1, 57, 1208, 2**40])
def test_indices_outside_stay_outside(outside: int) -> None:
    env = canonical_env()
    info = env.step(outside)[4]
    assert REFUSALS[info["refusal"]] == "index-out-of-range"


def test_places_fill_the_lowest_empty_square_and_the_observation_names_it() -> None:
    env = canonical_env(quilt=4)
    rng = np.random.default_rng(0)
    for _ in range(60):
        view = env.unwrapped.view()
        board = [row.ljust(5, "#") for row in view["board"]]
        lowest = "".join(board).find(".")
        places = legal_places(env)
        seen = env.step(int(rng.choice(places)) if places else 54)[0]
        if places:
            assert (
                "".join(row.ljust(5, "#") for row in env.unwrapped.view()["board"])[lowest] != "."
            )
        after = "".join(row.ljust(5, "#") for row in env.unwrapped.view()["board"]).find(".")
        assert np.flatnonzero(seen["square"]).tolist() == ([after] if after >= 0 else [])
        if env.unwrapped.view()["phase"] == "cleared":
            env.step(55)


def test_the_mask_is_never_empty_whatever_is_forbidden_below() -> None:
    forbid = ForbidActions(*ALL_BUT_PLACES)
    env = apply_transforms(PatchrookVectorEnv(32), forbid, CanonicalOrder())
    infos = env.reset(seed=0, options={"quilt": [1 + row % 8 for row in range(32)]})[1]
    rng = np.random.default_rng(0)
    for _ in range(60):
        masks = infos["action_mask"]
        assert masks.shape == (32, 57)
        assert masks.any(axis=1).all()
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        infos = env.step(actions)[4]
        assert (infos["refusal"] == 0).all()


def test_rows_of_the_vector_face_equal_the_single_face() -> None:
    options = {"quilt": 6}
    batch = apply_transforms(PatchrookVectorEnv(3), CanonicalOrder(), SolvableInfo())
    singles = [apply_transforms(PatchrookEnv(), CanonicalOrder(), SolvableInfo()) for _ in range(3)]
    observations, infos = batch.reset(seed=5, options=options)
    assert infos["solvable"].dtype == np.bool_
    alone = [env.reset(seed=5 + row, options=options) for row, env in enumerate(singles)]
    rng = np.random.default_rng(1)
    for _ in range(40):
        for row, told in enumerate(alone):
            for name, value in told[0].items():
                np.testing.assert_array_equal(observations[name][row], value)
            np.testing.assert_array_equal(infos["action_mask"][row], told[-1]["action_mask"])
            assert infos["solvable"][row] == told[-1]["solvable"]
        allowed = infos["action_mask"].copy()
        allowed[:, 56] = 0  # bank
        actions = (rng.random(allowed.shape) * allowed).argmax(axis=1)
        observations, _, _, _, infos = batch.step(actions)
        alone = [env.step(int(action)) for env, action in zip(singles, actions, strict=True)]


def test_other_games_are_refused() -> None:
    for transform in (CanonicalOrder(), SolvableInfo()):
        with pytest.raises(OptionError, match="patchrook"):
            apply_transforms(gym.make("quiltrail/Sunpleat-v0"), transform)


def test_solvability_is_told_on_request_only() -> None:
    env = PatchrookEnv()
    assert "solvable" not in env.reset(seed=0)[1]
    told = apply_transforms(env, SolvableInfo())
    assert told.reset(seed=0)[1]["solvable"] is True
    # The I in the middle row leaves six squares in two rows of three, and only L patches.
    info = told.step(env.codec.encode(DEAD_FIRST_PLACE))[4]
    assert info["solvable"] is False
    assert told.step(BANK)[4]["solvable"] is False


def test_shaping_by_the_solver_sums_to_the_change_of_the_potential() -> None:
    env = apply_transforms(
        PatchrookVectorEnv(16), PotentialShaping(potential, 1.0, uses_solver=True)
    )
    env.reset(seed=0, options={"quilt": [1 + row % 8 for row in range(16)]})
    engine = env.unwrapped.engine
    before = -actions_to_clear(engine).astype(float)
    rng, plain = np.random.default_rng(0), np.zeros(16)
    shaped = np.zeros(16)
    for _ in range(50):
        masks = engine.mask.copy()
        masks[:, BANK] = 0
        rewards = env.step((rng.random(masks.shape) * masks).argmax(axis=1))[1]
        shaped += rewards
        plain += engine.reward
    np.testing.assert_allclose(shaped - plain, -actions_to_clear(engine) - before)


def test_with_shaping_an_optimal_action_brings_one_and_a_lost_place_costs() -> None:
    env = apply_transforms(PatchrookEnv(), PotentialShaping(potential, 1.0, uses_solver=True))
    env.reset(seed=0)
    assert env.step(int(best_actions(env.unwrapped.engine)[0]))[1] == 1
    env.reset(seed=0)
    assert env.step(env.unwrapped.codec.encode(DEAD_FIRST_PLACE))[1] == -1
