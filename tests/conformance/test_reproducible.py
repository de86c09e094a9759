"""The same seed and actions give the same bytes, however Python and numba are run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from quiltrail.envs import GAMES
from tests.conformance import trajectory

ROOT = Path(__file__).resolve().parents[2]


def run(code: str, **environment: str) -> str:
    result = subprocess.run(
        [sys.executable, *code.split(" ", 1)],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def digests() -> dict[str, str]:
    return trajectory.digests()


@pytest.mark.parametrize(
    "environment",
    [
        {"NUMBA_DISABLE_JIT": "1"},
        {"NUMBA_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
        {"NUMBA_NUM_THREADS": "2", "PYTHONHASHSEED": "1"},
        pytest.param({"NUMBA_BOUNDSCHECK": "1"}, marks=pytest.mark.slow),
    ],
    ids=["uncompiled", "one thread", "two threads, other hashes", "bounds checked"],
)
def test_trajectories_are_equal(digests: dict[str, str], environment: dict[str, str]) -> None:
    said = run("-m tests.conformance.trajectory", **environment)
    assert json.loads(said) == digests


@pytest.mark.slow
def test_the_oldest_gymnasium_gives_the_same_trajectories(digests: dict[str, str]) -> None:
    """In the environment that `make test-oldest` leaves behind."""
    python = ROOT / ".venv-oldest" / "bin" / "python"
    if not python.exists():
        pytest.skip("run `make test-oldest` first")
    said = subprocess.run(
        [str(python), "-m", "tests.conformance.trajectory"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(said.stdout) == digests


def test_importing_is_light() -> None:
    heavy = ["torch", "pygame", "matplotlib", "stable_baselines3", *(one.package for one in GAMES)]
    said = run(f"-c import sys, quiltrail; print([one for one in {heavy} if one in sys.modules])")
    assert said.strip() == "[]"


def test_kernels_work_where_no_cache_can_be_written(tmp_path: Path) -> None:
    """No HOME, and a cache folder that is a file: compiled in memory, without a word."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    said = run(
        "-c import gymnasium as gym\n"
        "env = gym.make('quiltrail:quiltrail/Sunpleat-v0')\n"
        "env.reset(seed=1)\n"
        "print(env.step(1)[1])\n"
        "from quiltrail.core.jit import cache_folder\n"
        "print(cache_folder())\n",
        HOME=str(blocked),
        XDG_CACHE_HOME=str(blocked),
        NUMBA_CACHE_DIR="",
    )
    assert said.split() == ["215.0", "None"]


def test_a_missing_extra_is_named_with_its_command() -> None:
    said = run(
        "-c import sys\n"
        "sys.modules['typer'] = None\n"
        "from quiltrail.core.extras import require\n"
        "from quiltrail.core.errors import MissingExtraError\n"
        "try:\n"
        "    require('train', 'typer')\n"
        "except MissingExtraError as error:\n"
        "    print(error)\n"
    )
    assert "pip install 'quiltrail[train]'" in said
