"""Real faults: a full disk, a read-only folder, kills, torn files, clocks, two runs in one folder.

Each ends in one sentence or in a recovery, and no finished work is lost.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from stable_baselines3.common.vec_env import SubprocVecEnv

from quiltrail.core.errors import ConfigError, StorageError
from quiltrail.protocol.tokens import TokenError, TokenSealer
from quiltrail.train.config import load_config
from quiltrail.train.files import write_bytes
from quiltrail.train.folder import FINISHED, RunFolder
from quiltrail.train.local_backend import LocalBackend
from quiltrail.train.lock import locked
from quiltrail.train.metrics import CSV_NAME
from quiltrail.train.run import resume_experiment, run_experiment
from quiltrail.train.sweep import FAILED, WORKING, Sweep, Trial
from tests.train.small import SMALL, small_config

NOBODY = 65_534
is_root = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The hash of the weights of a run that nothing happens to."""
    return run_experiment(
        small_config(), tmp_path_factory.mktemp("a") / "run", quiet=True
    ).weights_hash


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[None]:
    """Mount a file system of so many kilobytes; skip where that is not allowed."""
    options = f"size={kilobytes}k"
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)])
    if mounted.returncode:
        pytest.skip("no right to mount a file system here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def grow(folder: Path, kilobytes: int) -> None:
    options = f"remount,size={kilobytes}k"
    subprocess.run(["mount", "-o", options, str(folder)], check=True)


@pytest.mark.skipif(not is_root, reason="mounting needs root")
@pytest.mark.parametrize("kilobytes", [40, 90, 150])
def test_a_full_disk_is_one_sentence_and_the_run_goes_on_with_room(
    kilobytes: int, expected: str, tmp_path: Path
) -> None:
    with small_disk(tmp_path, kilobytes):
        run = tmp_path / "run"
        with pytest.raises(StorageError, match=r"No space left.*--resume"):
            run_experiment(small_config(), run, quiet=True)
        assert not list(run.glob("checkpoints/*.part"))
        grow(tmp_path, 20_000)
        assert resume_experiment(run, quiet=True).weights_hash == expected
        assert RunFolder(run).status["state"] == FINISHED


def test_a_file_that_cannot_be_written_whole_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    write_bytes(path, b"old")
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from quiltrail.train.files import write_bytes\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        f"write_bytes(Path({str(path)!r}), b'x' * 5000)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "File too large" in said.stderr
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["checkpoint"]


@pytest.mark.skipif(not is_root, reason="another user's folder needs root to make")
def test_a_read_only_folder_is_one_sentence(tmp_path: Path) -> None:
    code = (
        "import os; from pathlib import Path\n"
        "from quiltrail.train.config import load_config\n"
        "from quiltrail.train.folder import RunFolder\n"
        "config = load_config('sunpleat')\n"
        f"os.setgid({NOBODY}); os.setuid({NOBODY})\n"
        "try:\n"
        f"    RunFolder.create(Path({str(tmp_path / 'run')!r}), config)\n"
        "except ValueError as error:\n"
        "    print(error)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("cannot make the folder")
    assert len(said.stdout.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_a_checkpoint_cut_short_costs_only_what_came_after_the_one_before(
    share: float, expected: str, tmp_path: Path
) -> None:
    folder = run_experiment(small_config(), tmp_path / "run", quiet=True).folder
    newest = sorted((folder / "checkpoints").iterdir())[-1]
    content = newest.read_bytes()
    newest.write_bytes(content[: int(share * len(content))])
    log = folder / CSV_NAME
    log.write_bytes(log.read_bytes()[:-7] + b"\xff")
    assert resume_experiment(folder, quiet=True).weights_hash == expected


def test_two_processes_cannot_work_in_one_folder(tmp_path: Path) -> None:
    folder = run_experiment(small_config(), tmp_path / "run", quiet=True).folder
    code = (
        "import sys; from pathlib import Path; from quiltrail.train.lock import locked\n"
        f"with locked(Path({str(folder)!r})):\n"
        "    print('held', flush=True); sys.stdin.read()\n"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdout is not None
    assert other.stdout.readline() == b"held\n"
    before = (folder / "status.json").read_bytes()
    with pytest.raises(ConfigError, match="another process"):
        resume_experiment(folder, quiet=True)
    assert (folder / "status.json").read_bytes() == before
    with pytest.raises(ConfigError, match="exists already"):
        run_experiment(small_config(), folder, quiet=True)
    other.send_signal(signal.SIGKILL)
    other.wait()
    with locked(folder):
        pass  # the system dropped the lock of the dead


def test_a_clock_that_jumps_changes_nothing(
    expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jumps = iter(range(10**6))
    monkeypatch.setattr(time, "time", lambda: 1e9 + (-1) ** next(jumps) * 1e8)
    assert run_experiment(small_config(), tmp_path / "run", quiet=True).weights_hash == expected


def test_a_token_of_another_time_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    sealer, now = TokenSealer(max_age=60), time.time()
    for seconds in (now - 10**6, now + 10**6):
        with monkeypatch.context() as patch:
            patch.setattr(time, "time", lambda: seconds)  # noqa: B023  (called at once)
            token = sealer.seal(b"game")
        with pytest.raises(TokenError, match="stale"):
            sealer.open(token)
    assert sealer.open(sealer.seal(b"game")) == b"game"


def test_a_killed_trial_is_told_and_the_others_finish(tmp_path: Path) -> None:
    config = load_config("sunpleat", [*SMALL, "training.total_steps=2048"])
    sweep = Sweep.create(tmp_path / "s", config, {}, [0, 1])
    first, second = sweep.trials()
    states: dict[str, str] = {}

    def kill_first(trial: Trial, state: str, _: object) -> None:
        states[trial.name] = state
        if trial == first and state == WORKING:
            for process in _children(first.name):
                os.kill(process, signal.SIGKILL)

    sweep.run(LocalBackend(1), kill_first, lambda: False)
    assert states == {first.name: FAILED, second.name: FINISHED}
    assert sweep.failures() == {first.name: "its process ended with code -9"}
    sweep.run(LocalBackend(1), lambda *_: None, lambda: False)
    assert sweep.failures() == {}
    assert all(trial.state == FINISHED for trial in sweep.trials())


def _children(name: str) -> list[int]:
    import multiprocessing

    return [one.pid for one in multiprocessing.active_children() if one.name == name and one.pid]


def _make() -> gym.Env[Any, Any]:
    return gym.make("quiltrail:quiltrail/Sunpleat-v0")


@pytest.mark.slow
def test_a_killed_worker_of_a_vector_environment_ends_in_an_error_and_games_go_on() -> None:
    env = SubprocVecEnv([_make, _make], start_method="spawn")
    env.seed(3)
    env.reset()
    env.step(np.array([0, 1]))
    states = env.env_method("get_state")
    env.processes[1].kill()
    env.processes[1].join()
    with pytest.raises((EOFError, BrokenPipeError, ConnectionResetError)):
        env.step(np.array([0, 0]))
    for process in env.processes:
        process.terminate()
    again = SubprocVecEnv([_make, _make], start_method="spawn")
    again.reset()
    for row, state in enumerate(states):
        again.env_method("set_state", state, indices=row)
    assert again.env_method("get_state") == states
    again.close()
