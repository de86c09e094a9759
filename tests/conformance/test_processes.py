"""Every id in other processes: spawned, started cold together, without what is optional."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from tests.each import each_id

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@each_id
def test_an_asynchronous_vector_environment_finds_the_id_when_spawned(env_id: str) -> None:
    env = gym.make_vec(
        f"quiltrail:{env_id}",
        num_envs=2,
        vectorization_mode="async",
        vector_kwargs={"context": "spawn"},
    )
    try:
        _, infos = env.reset(seed=0)
        assert infos["action_mask"].shape == (2, env.single_action_space.n)
        env.step(np.zeros(2, np.int64))
    finally:
        env.close()


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_four_processes_that_start_cold_together_say_the_same(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.conformance.trajectory"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    started = [
        subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    said = {process.communicate()[0] for process in started}
    assert [process.returncode for process in started] == [0] * 4
    assert len(said) == 1
    assert len(said.pop()) > 64


_WITHOUT_EXTRAS = """
import importlib.util, sys
import gymnasium, quiltrail
from quiltrail.envs import AEC_ENVS, GAMES
import quiltrail.agents, quiltrail.testing, quiltrail.wrappers
import pettingzoo
for spec in GAMES:
    env = gymnasium.make(spec.id, render_mode="rgb_array", render_size=64)
    env.reset(seed=0)
    env.step(0)
    assert env.render().any()
    gymnasium.make_vec(spec.id, num_envs=2).reset(seed=0)
for aec_id in AEC_ENVS:
    pettingzoo.make("aec", aec_id).reset(seed=0)
optional = ("torch", "stable_baselines3", "matplotlib", "pygame", "typer", "starlette", "ray")
print([name for name in optional if importlib.util.find_spec(name)])
"""


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_everything_but_training_works_without_extras(tmp_path: Path) -> None:
    """Core dependencies only, in a virtual environment of its own."""
    venv.create(tmp_path, with_pip=True)
    python = tmp_path / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", str(ROOT)]
    subprocess.run([*install, "-c", str(ROOT / "constraints.txt")], check=True)
    said = subprocess.run(
        [str(python), "-c", _WITHOUT_EXTRAS],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert said.stdout.strip() == "[]"
