"""Every example is short and runs for a few thousand steps."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
LONGEST = 60

#: What a run says when it is well, for each example.
HERE = {
    "cleanrl_ppo.py": "reward per step",
    "pettingzoo_tinrail.py": "first player won",
    "sb3_maskable_ppo.py": "refused actions 0",
    "sb3_ppo.py": "second half",
    "sb3_qrdqn.py": "mean of the last",
}
#: Those that need an environment of their own, and its name.
ELSEWHERE = {
    "torchrl_reinforce.py": ("torchrl", "last mean"),
}
#: Those that tests/ray runs.
RAY = {"rllib_ppo.py", "rllib_tinrail.py"}


def test_every_example_is_run_here_and_short() -> None:
    found = {path.name for path in EXAMPLES.glob("*.py")}
    assert found == {*HERE, *ELSEWHERE, *RAY, "own_environment.py"}
    for path in EXAMPLES.glob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST, path.name


def run(*command: str, home: Path) -> str:
    """Run an example and return what it said; Ray and others write to a home of their own."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, "HOME": str(home)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", list(HERE))
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    assert HERE[name] in run(f"examples/{name}", "--steps", "3000", home=tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", list(ELSEWHERE))
def test_an_example_runs_in_an_environment_of_its_own(name: str, tmp_path: Path) -> None:
    environment, says = ELSEWHERE[name]
    script = ("examples/own_environment.py", environment, f"examples/{name}")
    assert says in run(*script, "--steps", "2048", home=tmp_path)
