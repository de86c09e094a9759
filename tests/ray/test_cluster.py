"""A sweep on three simulated nodes, with everything that can go wrong going wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray.tune")
pytest.importorskip("sb3_contrib")

from quiltrail.train.compare import compare
from quiltrail.train.folder import FINISHED, RunFolder
from quiltrail.train.local_backend import LocalBackend
from quiltrail.train.sweep import Sweep
from tests.ray.faults import ARMED

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

ROOT = Path(__file__).resolve().parents[2]
STORE_BYTES = 100 * 2**20
SETTINGS = [
    "training.total_steps=8192",
    "training.net_arch=[16]",
    "training.transforms=[{name: reward_scale, args: {factor: 0.01}}]",
    "training.hyperparameters.n_steps=64",
    "training.hyperparameters.batch_size=512",
    "env.num_envs=32",
    "env.settings={opponent: 'tests.ray.faults:stumbling'}",
    "evaluation.every_steps=4096",
    "evaluation.episodes=20",
    "evaluation.report_episodes=20",
    "evaluation.reference_agent=null",
    "checkpoints.every_seconds=0",
]
GRID = "training.hyperparameters.gamma=0.9,0.99"
SWEEP = ["tinrail", f"--grid={GRID}", "--seeds=0-5", *(f"--set={one}" for one in SETTINGS)]
NODES, TRIALS = 3, 12


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Three nodes of one CPU; whatever the real machine has is shared by them."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv(ARMED, str(tmp_path / "armed"))
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": STORE_BYTES}
    made = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    for _ in range(NODES - 1):
        made.add_node(**node)
    yield made
    made.shutdown()


def start(*arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "quiltrail", "sweep", "--quiet", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_until(met: Callable[[], bool], driver: subprocess.Popen[bytes]) -> None:
    while not met():
        assert driver.poll() is None, driver.communicate()[1].decode()[-3000:]
        time.sleep(0.2)


def results(sweep: Sweep) -> dict[str, Any]:
    """Everything that does not depend on clocks, by trial."""
    found = {}
    for trial in sweep.trials():
        evaluation = RunFolder(trial.folder).evaluation
        assert evaluation is not None, trial.name
        for clock in ("training_seconds", "training_cpu_seconds"):
            del evaluation[clock]
        found[trial.name] = evaluation
    return found


def finished(folder: Path) -> int:
    return sum(trial.state == FINISHED for trial in Sweep.open(folder).trials())


def failures_in(experiment: Path) -> list[int]:
    """How often each trial fell, by what Tune wrote down last; [] while it writes."""
    newest = max(experiment.glob("experiment_state-*.json"), key=lambda path: path.stat().st_mtime)
    try:
        trials = json.loads(newest.read_text())["trial_data"]
    except json.JSONDecodeError:
        return []
    return [json.loads(metadata)["num_failures"] for _, metadata in trials]


def at_work(folder: Path, experiment: Path) -> int:
    """How many trials have saved something and are not finished."""
    trials = Sweep.open(folder).trials()
    begun = [one for one in trials if any((experiment / one.file_name).glob("checkpoint_*"))]
    return sum(one.state != FINISHED for one in begun)


def test_a_sweep_survives_a_fault_a_lost_node_and_its_own_end(cluster: Any, tmp_path: Path) -> None:
    folder, storage, armed = tmp_path / "sweep", tmp_path / "storage", tmp_path / "armed"
    there = ["--backend=ray", f"--address={cluster.address}", f"--storage={storage}"]
    armed.touch()
    driver = start(*SWEEP, f"--out={folder}", *there)
    wait_until(lambda: (folder / "sweep.json").exists() and finished(folder) >= 1, driver)
    (experiment,) = storage.iterdir()
    wait_until(lambda: not armed.exists() and at_work(folder, experiment) == NODES, driver)
    cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
    wait_until(lambda: sum(failures_in(experiment)) >= 2, driver)  # the stumble and the lost node
    before = finished(folder)
    wait_until(lambda: finished(folder) > before, driver)
    driver.send_signal(signal.SIGKILL)
    driver.communicate()
    assert finished(folder) < TRIALS, "the driver ended too late for this test"

    driver = start(f"--resume={folder}", *there)
    said, errors = driver.communicate()
    assert driver.returncode == 0, errors.decode()[-3000:]
    assert finished(folder) == TRIALS
    assert b"COMPARISON" in said
    assert len(compare([folder]).runs) == TRIALS

    os.environ.pop(ARMED)
    swept = Sweep.open(folder)
    local = Sweep(tmp_path / "local", swept.base, swept.grid, swept.seeds)
    local.run(LocalBackend(2), lambda *_: None, lambda: False)
    assert results(swept) == results(local)
