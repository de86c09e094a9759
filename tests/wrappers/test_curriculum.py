"""The curriculum: bins, counting, both faces, the SB3 door, and its saved state."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import quiltrail
from quiltrail.core.errors import OptionError, StateError
from quiltrail.envs.patchrook.rules import BANK
from quiltrail.envs.patchrook.solver import best_actions
from quiltrail.testing.same import assert_same
from quiltrail.wrappers import Curriculum, CurriculumEnv, CurriculumVectorEnv

quiltrail.register_envs()

ENV_ID = "quiltrail/PatchrookLevels-v0"
EDGES = (0.0, 3.0, 5.0, 9.0)


def _curriculum(**more: Any) -> Curriculum:
    return Curriculum(EDGES, **{"window": 5, **more})


def _single(**more: Any) -> CurriculumEnv:
    return CurriculumEnv(gym.make(ENV_ID, one_board=True), _curriculum(**more))


def _vector(num_envs: int, **more: Any) -> CurriculumVectorEnv:
    env = gym.make_vec(ENV_ID, num_envs=num_envs, one_board=True, max_episode_steps=256, **more)
    return CurriculumVectorEnv(env, _curriculum())


def _engine(env: Any) -> Any:
    return env.unwrapped.engine


def _clear(env: CurriculumEnv) -> dict[str, Any]:
    """Play an episode to its clear; return the last info."""
    terminated, info = False, {}
    while not terminated:
        _, _, terminated, _, info = env.step(int(best_actions(_engine(env))[0]))
    return info


def test_cleared_boards_open_the_next_bin_and_the_last_stays() -> None:
    env = _single()
    bins = []
    for episode in range(20):
        env.reset(seed=7 if episode == 0 else None)
        low, high = EDGES[env.curriculum.bin], EDGES[env.curriculum.bin + 1]
        assert low <= _engine(env).difficulties()[0] < high
        bins.append(_clear(env)["curriculum_bin"])
    assert bins == [0] * 4 + [1] * 5 + [2] * 11


def test_four_of_five_are_enough_and_three_are_not() -> None:
    for fails, expected in ((1, 1), (2, 0)):
        env = _single()
        for episode in range(5):
            env.reset(seed=episode)
            if episode < fails:
                env.step(BANK)
            else:
                _clear(env)
        assert env.curriculum.bin == expected


def test_episodes_broken_off_or_placed_by_hand_do_not_count() -> None:
    env = _single()
    for _ in range(10):
        env.reset(seed=1)
    assert env.curriculum.cleared_share == 0
    for _ in range(10):
        env.reset(options={"level": 3})
        _clear(env)
    assert env.curriculum.bin == 0


def test_the_game_seed_chooses_the_level_and_next_games_stay_those_of_the_stream() -> None:
    plain, env = gym.make(ENV_ID, one_board=True), _single()
    for seed in (11, None, None):
        expected = plain.reset(seed=seed)[1]["game_seed"]
        assert env.reset(seed=seed)[1]["game_seed"] == expected


def test_one_row_of_the_vector_is_the_single_environment() -> None:
    single, vector = _single(), _vector(1)
    seen, batch = single.reset(seed=5), vector.reset(seed=5)
    rng = np.random.default_rng(1)
    ended = False
    for _ in range(400):
        for name, value in seen[0].items():
            np.testing.assert_array_equal(batch[0][name][0], value)
        assert seen[-1]["curriculum_bin"] == batch[-1]["curriculum_bin"][0]
        np.testing.assert_array_equal(batch[-1]["action_mask"][0], seen[-1]["action_mask"])
        action = int(best_actions(_engine(single))[0]) if rng.random() < 0.95 else BANK
        batch = vector.step(np.array([action]))
        seen = single.reset() if ended else single.step(action)
        ended = False if len(seen) == 2 else seen[2] or seen[3]
    assert single.curriculum.get_state() == vector.curriculum.get_state()
    assert single.curriculum.bin > 0


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED])
def test_rows_share_their_statistics(mode: AutoresetMode) -> None:
    env = _vector(8, autoreset_mode=mode)
    env.reset(seed=3)
    for _ in range(60):
        *_, terminated, truncated, _ = env.step(best_actions(_engine(env)))
        ended = terminated | truncated
        if mode is AutoresetMode.DISABLED and ended.any():
            env.reset(options={"reset_mask": ended})
    assert env.curriculum.bin == 2
    assert (_engine(env).difficulties() >= EDGES[2]).all()


def test_a_saved_state_goes_on_exactly() -> None:
    env = _single()
    for episode in range(8):
        env.reset(seed=episode)
        _clear(env)
    env.reset(seed=9)
    state = json.loads(json.dumps(env.get_state()))
    twin = _single()
    twin.reset(seed=1)
    twin.set_state(state)
    for _ in range(12):
        assert_same(_clear(env), _clear(twin))
        assert_same(env.reset(), twin.reset())
    assert env.curriculum.get_state() == twin.curriculum.get_state()


def test_a_saved_batch_goes_on_exactly() -> None:
    env, twin = _vector(4), _vector(4)
    env.reset(seed=1)
    for _ in range(22):
        env.step(best_actions(_engine(env)))
    twin.reset(seed=50)
    twin.set_state(json.loads(json.dumps(env.get_state())))
    for _ in range(40):
        actions = best_actions(_engine(env))
        assert_same(env.step(actions), twin.step(actions))
    assert env.curriculum.get_state() == twin.curriculum.get_state()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("edges", [0.0, 9.0]),
        ("window", 6),
        ("bin", 3),
        ("bin", True),
        ("recent", [True] * 6),
        ("recent", ["yes"]),
        ("begun_in", [[0]]),
        ("begun_in", [[0, 2]]),
    ],
)
def test_an_impossible_state_is_refused_by_field(field: str, value: Any) -> None:
    curriculum = _curriculum()
    before = curriculum.get_state()
    with pytest.raises(StateError, match=field):
        curriculum.set_state({**before, field: value})
    assert curriculum.get_state() == before


def test_a_refused_game_state_leaves_the_curriculum_alone() -> None:
    env = _single()
    env.reset(seed=2)
    state = env.get_state()
    before = env.curriculum.get_state()
    wrong = {"env": {**state["env"], "phase": 1}, "curriculum": {**before, "recent": [True]}}
    for broken in (wrong, {}, None):
        with pytest.raises(StateError):
            env.set_state(broken)
    assert env.curriculum.get_state() == before


@pytest.mark.parametrize(
    "arguments",
    [
        {"edges": (3,)},
        {"edges": (5, 3)},
        {"edges": (-1, 3)},
        {"threshold": 0},
        {"threshold": 1.1},
        {"window": 0},
        {"window": 2.0},
        {"measure": "colour"},
    ],
    ids=str,
)
def test_arguments_out_of_range_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(arguments))):
        Curriculum(**arguments)


def test_environments_that_do_not_fit_are_refused() -> None:
    with pytest.raises(OptionError, match="one_board"):
        CurriculumEnv(gym.make(ENV_ID))
    with pytest.raises(OptionError, match="levels"):
        CurriculumEnv(gym.make("quiltrail/Sunpleat-v0"))
    with pytest.raises(OptionError, match="NextStep"):
        _vector(2, autoreset_mode=AutoresetMode.SAME_STEP)
    with pytest.raises(OptionError, match="GameVectorEnv"):
        CurriculumVectorEnv(gym.vector.SyncVectorEnv([lambda: gym.make(ENV_ID)]))


def test_sunpleat_climbs_by_exact_par() -> None:
    from quiltrail.agents.sunpleat import SunpleatSolver

    env = CurriculumVectorEnv(
        gym.make_vec("quiltrail/SunpleatLevels-v0", num_envs=8, one_board=True, distance=(1, 10)),
        Curriculum((1, 4, 7, 11), window=10),
    )
    env.reset(seed=0)
    assert (_engine(env).state["par"] < 4).all()
    for _ in range(80):
        env.step(SunpleatSolver().act(_engine(env)))
    assert env.curriculum.bin == 2
    assert (_engine(env).state["par"] >= 7).all()


def test_a_curriculum_by_size_counts_patches_and_judges_no_quilt() -> None:
    env = gym.make_vec(ENV_ID, num_envs=8, one_board=True, num_levels=300, size=(4, 5))
    steered = CurriculumVectorEnv(env, Curriculum((3, 4, 6, 7), window=8, measure="size"))
    seen: dict[int, set[int]] = {}
    steered.reset(seed=0)
    for _ in range(60):
        patches = set(_engine(steered).state["num_patches"].tolist())
        seen.setdefault(steered.curriculum.bin, set()).update(patches)
        steered.step(best_actions(_engine(steered)))
    assert seen[0] == {3}
    assert seen[2] >= {6}
    table = _engine(steered).source.table
    assert table["is_known"].any()
    assert not table["chance"].any()


def test_stable_baselines_takes_a_curriculum_for_its_starts() -> None:
    from quiltrail.train.vec_env import EngineVecEnv

    curriculum = _curriculum()
    env = EngineVecEnv("patchrooklevels", 4, starts=curriculum, one_board=True)
    env.seed(3)
    env.reset()
    assert (env.engine.difficulties() < EDGES[1]).all()
    for _ in range(60):
        env.step(best_actions(env.engine))
    assert curriculum.bin == 2
