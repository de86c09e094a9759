"""An interrupted run ends in the same weights as one that was never interrupted."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from quiltrail.core.errors import ConfigError
from quiltrail.train.checkpoints import Checkpoints
from quiltrail.train.folder import RunFolder
from quiltrail.train.learners.base import find_learner
from quiltrail.train.metrics import CSV_NAME
from quiltrail.train.progress import StopRequest
from quiltrail.train.randomness import fix_randomness, get_randomness, set_randomness
from quiltrail.train.run import resume_experiment, run_experiment, weights_hash
from quiltrail.train.tree import TreeError, pack, unpack
from tests.train.small import ALGORITHM_SETTINGS, SMALL, small_config

KILLED = [
    "training.total_steps=20480",
    "training.net_arch=[64]",
    "evaluation.every_steps=4096",
]


def learner_of(config: Any) -> Any:
    fix_randomness(config.training.seed, config.training.threads)
    return find_learner(config.training.algorithm)(config)


@pytest.mark.parametrize("algorithm", sorted(ALGORITHM_SETTINGS))
def test_a_learner_goes_on_exactly_from_its_state(algorithm: str) -> None:
    config = small_config(algorithm=algorithm)
    whole = learner_of(config)
    for _ in range(2):
        whole.learn_chunk()
    saved = pack((whole.get_state(), get_randomness()))
    for _ in range(2):
        whole.learn_chunk()

    other = learner_of(small_config("training.seed=9", algorithm=algorithm))
    other.learn_chunk()  # whatever it did before is gone
    state, randomness = unpack(saved)
    other.set_state(state)
    set_randomness(randomness)
    assert other.steps == 2 * (whole.steps // 4)
    for _ in range(2):
        other.learn_chunk()
    assert weights_hash(other.weights()) == weights_hash(whole.weights())
    assert (other.steps, other.refusals) == (whole.steps, whole.refusals)


REMEMBERING = {
    "transform": [
        "training.transforms=[{name: symmetry_views, args: {view: all}}]",
        "training.starts=null",
        "env.id=quiltrail/Patchwork-v0",
        "env.max_episode_steps=20",
    ],
    "starts": [
        "training.transforms=[]",
        "training.starts={name: curriculum, args: {edges: [0, 2, 4], threshold: 0.1, window: 20}}",
        "env.id=quiltrail/PatchrookLevels-v0",
        "env.settings={one_board: true}",
        "env.max_episode_steps=20",
        "training.policy=patchrook_planes",
        "training.policy_args={channels: 8}",
    ],
}


@pytest.mark.parametrize("settings", REMEMBERING.values(), ids=REMEMBERING)
def test_transforms_and_starts_with_a_memory_go_on_too(settings: list[str]) -> None:
    whole, other = learner_of(small_config(*settings)), learner_of(small_config(*settings))
    whole.learn_chunk()
    saved = pack((whole.get_state(), get_randomness()))
    whole.learn_chunk()
    state, randomness = unpack(saved)
    other.set_state(state)
    set_randomness(randomness)
    other.learn_chunk()
    assert weights_hash(other.weights()) == weights_hash(whole.weights())


@pytest.mark.parametrize("algorithm", ["maskable_ppo", "lean_maskable_ppo", "a2c"])
def test_learning_in_chunks_is_learning_at_once(algorithm: str) -> None:
    """The loop adds nothing to SB3: one call of ``learn`` with the same schedules agrees."""
    constant = "{initial: 1.0e-3, final: 1.0e-3}"
    config = small_config(
        f"training.learning_rate={constant}", f"training.entropy={constant}", algorithm=algorithm
    )
    ours, bare = learner_of(config), None
    while ours.steps < 8192:
        ours.learn_chunk()
    bare = learner_of(config)
    bare.model.ent_coef = 1e-3
    bare.model.learn(8192)
    assert weights_hash(ours.weights()) == weights_hash(bare.weights())


@pytest.mark.parametrize("algorithm", ["lean_maskable_ppo", "dqn"])
def test_the_same_seed_gives_the_same_weights_and_another_one_others(algorithm: str) -> None:
    def hash_of(seed: int) -> str:
        learner = learner_of(small_config(f"training.seed={seed}", algorithm=algorithm))
        for _ in range(2):
            learner.learn_chunk()
        return weights_hash(learner.weights())

    assert hash_of(0) == hash_of(0) != hash_of(1)


def arguments(*more: str) -> list[str]:
    settings = [f"--set={one}" for one in (*SMALL, *KILLED)]
    return [sys.executable, "-m", "quiltrail", "train", "sunpleat", *settings, "--quiet", *more]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, float]:
    """The hash of a run that nobody kills, and its seconds."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    result = run_experiment(small_config(*KILLED), folder, quiet=True)
    return result.weights_hash, result.seconds


def kill_after(
    folder: Path, delay: float, chunks: int = 0, signal_number: int = signal.SIGKILL
) -> str:
    """Start a run and end it; return its last words.

    The end comes so many seconds after so many chunks are learned, or after its folder appeared.
    """
    process = subprocess.Popen(
        arguments("--out", str(folder)), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    while not (folder / "run.json").exists():
        assert process.poll() is None
        time.sleep(0.01)
    log = folder / CSV_NAME
    while chunks and not (log.exists() and len(log.read_text().splitlines()) > chunks):
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(delay)
    process.send_signal(signal_number)
    return process.communicate()[1].decode()


def check_kill(folder: Path, delay: float, expected: str, chunks: int = 0) -> bool:
    """Kill and resume a run; return whether the kill came before its end."""
    kill_after(folder, delay, chunks)
    early = RunFolder(folder).status.get("state") != "finished"
    if early:
        result = resume_experiment(folder, quiet=True)
        assert result.weights_hash == expected
    evaluation = RunFolder(folder).evaluation
    assert evaluation is not None
    assert evaluation["weights_hash"] == expected
    lines = (folder / CSV_NAME).read_text().splitlines()
    steps = [int(line.split(",")[0]) for line in lines[1:]]
    assert steps == list(range(2048, 20480 + 1, 2048)), "one line for each chunk, none twice"
    assert not list(folder.glob("**/*.part")) or early
    return early


@pytest.mark.parametrize("chunks", [0, 5])
def test_a_killed_run_ends_in_the_same_weights(
    chunks: int, whole: tuple[str, float], tmp_path: Path
) -> None:
    assert check_kill(tmp_path / "run", 0.0, whole[0], chunks)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_twenty_random_kills_end_in_the_same_weights(
    whole: tuple[str, float], tmp_path: Path
) -> None:
    expected, seconds = whole
    delays = random.Random(8).choices(np.linspace(0.0, 1.2 * seconds, 400), k=20)
    early = [check_kill(tmp_path / f"run-{at}", d, expected) for at, d in enumerate(delays)]
    assert sum(early) >= 10


def test_ctrl_c_saves_and_says_how_to_go_on(whole: tuple[str, float], tmp_path: Path) -> None:
    expected, _ = whole
    folder = tmp_path / "run"
    said = kill_after(folder, 0.0, 3, signal.SIGINT)
    assert f"quiltrail train --resume {folder}" in said
    assert len(said.strip().splitlines()) == 1
    assert RunFolder(folder).status["state"] == "interrupted"
    assert resume_experiment(folder, quiet=True).weights_hash == expected


def test_a_broken_newest_checkpoint_is_passed_over(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep=2)
    assert checkpoints.newest() is None
    for steps in (1, 2, 3):
        checkpoints.save(steps, {"steps": steps})
    newest = sorted((tmp_path / "checkpoints").iterdir())
    assert len(newest) == 2
    assert checkpoints.newest() == {"steps": 3}
    newest[-1].write_bytes(newest[-1].read_bytes()[:-1])
    assert checkpoints.newest() == {"steps": 2}
    newest[0].write_bytes(b"")
    assert checkpoints.newest() is None


def test_a_pickled_checkpoint_is_refused_and_never_read(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    (folder / "steps-000000000001.checkpoint").write_bytes(b"quiltrail checkpoint 1 " + b"0" * 80)
    with pytest.raises(ConfigError, match="older version"):
        Checkpoints(folder, keep=2).newest()


def test_plain_values_pack_and_unpack_to_the_same() -> None:
    record = np.zeros(2, np.dtype([("a", np.int8), ("b", np.int64, (3,))], align=True))
    record["b"] = 7
    value = {
        "numbers": [None, True, 2**127, 0.1, float("inf"), "text"],
        "tuple": (1, ("two", b"\x00\xff")),
        "deque": deque([{"r": np.float32(0.1)}], maxlen=4),
        3: {"array": np.arange(6.0).reshape(2, 3), "record": record},
    }
    back = unpack(pack(value))
    assert back["numbers"] == value["numbers"]
    assert back["tuple"] == value["tuple"]
    assert (back["deque"], back["deque"].maxlen) == (value["deque"], 4)
    assert back["deque"][0]["r"].dtype == np.float32
    assert back[3]["array"].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert back[3]["record"].dtype == record.dtype
    assert back[3]["record"].tobytes() == record.tobytes()


@pytest.mark.parametrize(
    "value",
    [{1.5: 0}, object(), np.array([{}]), {0, 1}],
    ids=["float key", "object", "object array", "set"],
)
def test_other_values_are_refused(value: Any) -> None:
    with pytest.raises(TreeError):
        pack(value)


def test_a_run_with_another_config_than_its_checkpoint_is_refused(tmp_path: Path) -> None:
    folder = run_experiment(small_config(), tmp_path / "run", quiet=True).folder
    config = folder / "config.yaml"
    config.write_text(config.read_text().replace("gamma: 0.7", "gamma: 0.8"))
    with pytest.raises(ConfigError, match="was changed"):
        resume_experiment(folder, quiet=True)
    with pytest.raises(ConfigError, match="no run folder"):
        resume_experiment(tmp_path / "nowhere", quiet=True)


def test_resuming_a_finished_run_repeats_its_results(tmp_path: Path) -> None:
    first = run_experiment(small_config(), tmp_path / "run", quiet=True)
    before = json.loads((first.folder / "evaluation.json").read_text())
    again = resume_experiment(first.folder, quiet=True)
    assert again.weights_hash == first.weights_hash
    assert json.loads((first.folder / "evaluation.json").read_text()) == before


def test_a_stop_is_noted_once_and_ignored_signals_stay_ignored() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with StopRequest() as stop:
            signal.raise_signal(signal.SIGTERM)
            assert not stop.noted
            signal.raise_signal(signal.SIGINT)
            assert stop.noted
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)
