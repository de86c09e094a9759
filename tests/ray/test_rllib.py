"""RLlib's door: environments, masks, examples."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray.rllib")

import gymnasium as gym
import torch
from ray.rllib.core.columns import Columns

from quiltrail.core.errors import UnknownNameError
from quiltrail.envs import GAMES
from quiltrail.rllib import (
    AECMultiAgentEnv,
    MaskedPPOModule,
    make_env,
    register_rllib,
    register_rllib_multi_agent,
)

ROOT = Path(__file__).resolve().parents[2]
TINRAIL = "quiltrail/tinrail-v0"


@pytest.mark.parametrize("env_id", [spec.id for spec in GAMES if not spec.procedural])
def test_a_single_environment_and_the_native_batch_have_the_same_spaces(env_id: str) -> None:
    single = make_env(env_id, {})
    batch = make_env(env_id, {"num_envs": 3})
    assert single.observation_space == batch.single_observation_space
    observation, info = single.reset(seed=0)
    assert observation in single.observation_space
    assert observation["action_mask"].tolist() == info["action_mask"].tolist()
    assert {one.dtype for one in observation.values()} == {np.dtype(np.float32)}
    assert batch.metadata["autoreset_mode"] is gym.vector.AutoresetMode.NEXT_STEP


def test_names_that_do_not_exist_are_said() -> None:
    with pytest.raises(UnknownNameError, match="did you mean"):
        register_rllib("quiltrail/Sunplet-v0")
    with pytest.raises(UnknownNameError, match="tinrail-v0"):
        register_rllib_multi_agent("quiltrail/Tinrail")


def test_agents_take_turns_and_the_end_is_paid_to_both() -> None:
    env, rng = AECMultiAgentEnv(TINRAIL, {}), np.random.default_rng(0)
    seen, _ = env.reset(seed=3)
    movers, total = [], dict.fromkeys(env.possible_agents, 0.0)
    while True:
        (mover,) = seen
        movers.append(mover)
        assert seen[mover] in env.observation_spaces[mover]
        legal = np.flatnonzero(seen[mover]["action_mask"])
        seen, rewards, ends, cuts, _ = env.step({mover: rng.choice(legal)})
        total = {agent: total[agent] + rewards[agent] for agent in total}
        if ends["__all__"]:
            break
    assert movers[:4] == ["player_0", "player_1", "player_0", "player_1"]
    assert set(seen) == set(env.possible_agents)
    assert sorted(total.values()) == [-1.0, 1.0]
    assert not any(cuts.values())


@pytest.fixture
def module() -> Any:
    env = make_env("quiltrail/Sunpleat-v0", {})
    return MaskedPPOModule(
        observation_space=env.observation_space,
        action_space=env.action_space,
        model_config={"fcnet_hiddens": [16]},
        catalog_class=None,
        inference_only=False,
    )


def test_illegal_actions_get_no_probability(module: Any) -> None:
    env = make_env("quiltrail/Sunpleat-v0", {"num_envs": 4})
    observation, _ = env.reset(seed=0)
    batch = {Columns.OBS: {key: torch.from_numpy(one) for key, one in observation.items()}}
    for forward in (module.forward_inference, module.forward_exploration, module.forward_train):
        logits = forward(batch)[Columns.ACTION_DIST_INPUTS]
        chances = torch.softmax(logits, dim=-1).detach().numpy()
        assert ((chances > 0) == (observation["action_mask"] > 0)).all()
    assert module.compute_values(batch).shape == (4,)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("rllib_ppo.py", "iteration 2: mean return"),
        ("rllib_tinrail.py", "iteration 2: matches of"),
    ],
)
def test_an_example_runs(name: str, says: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, f"examples/{name}", "--steps", "2048"],
        cwd=ROOT,
        env={**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert says in done.stdout
