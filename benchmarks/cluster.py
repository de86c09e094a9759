"""What a sweep on Ray costs, and what a core gives: the arithmetic of docs/cluster.md.

    python -m benchmarks.cluster overhead      # in .venv-ray: three simulated nodes, minutes
    python -m benchmarks.cluster throughput    # learning steps per CPU second, by config

Trials of ``_overhead`` sleep, so that a few real cores can stand for many: what they take beyond
their sleep is what the cluster adds. They report real runs, packed as training packs them. Two
costs are told apart: wall time, which on a busy machine holds everybody else's work, and CPU
seconds of all its processes, which do not.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from quiltrail.train.config import load_config
from quiltrail.train.folder import RunFolder

_NODES = 3
_STORE_BYTES = 100 * 2**20
_WAVES = 4
_CONFIGS = (
    "patchrook_maskable_ppo",
    "patchwork_td",
    "sunpleat_maskable_ppo",
    "tinrail_maskable_ppo",
)


def main() -> None:
    """Print one of the two."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("overhead", "throughput"))
    parser.add_argument("--trial-seconds", type=float, default=60.0)
    parser.add_argument("--report-seconds", type=float, default=10.0)
    parser.add_argument("--cpu-seconds", type=float, default=20.0, help="of each config")
    options = parser.parse_args()
    if options.what == "throughput":
        for name in _CONFIGS:
            print(f"{name}: {_throughput(name, options.cpu_seconds):,.0f} steps a CPU second")
    else:
        with tempfile.TemporaryDirectory() as place:
            _overhead(Path(place), options.trial_seconds, options.report_seconds)


def _throughput(name: str, cpu_seconds: float) -> float:
    """Return how many steps one core learns in a CPU second, evaluations left out."""
    from quiltrail.train.learners.base import find_learner
    from quiltrail.train.randomness import fix_randomness

    config = load_config(name, ["training.threads=1"])
    fix_randomness(config.training.seed, config.training.threads)
    learner = find_learner(config.training.algorithm)(config)
    learner.learn_chunk()  # compiles and warms up
    first, began = learner.steps, time.process_time()
    while time.process_time() - began < cpu_seconds:
        learner.learn_chunk()
    return (learner.steps - first) / (time.process_time() - began)


def _overhead(place: Path, trial_seconds: float, report_seconds: float) -> None:
    """Run sleeping trials on three nodes of one CPU and print what they cost beside their sleep."""
    os.environ.update(
        RAY_AUTH_MODE="disabled",
        RAY_USAGE_STATS_ENABLED="0",
        RAY_worker_niceness="0",  # as everybody else on this machine
        HOME=str(place),
    )
    packed = _pack_a_run(place)
    trials = _NODES * _WAVES
    alone = _measure(place / "alone", packed, 0, trial_seconds, report_seconds)
    busy = _measure(place / "busy", packed, trials, trial_seconds, report_seconds)
    wall, slept = busy["wall"], _WAVES * trial_seconds
    cpu = (
        busy["driver CPU"] + busy["daemon CPU"] - alone["daemon CPU"] + busy["trial CPU"]
    ) / trials
    reports = trials * (trial_seconds // report_seconds + 1)
    print(
        f"{trials} trials of {trial_seconds:.0f} s on {_NODES} nodes of one CPU, {reports:.0f} "
        f"reports of {len(packed) / 1024:.0f} KiB\n"
        f"wall time: {wall:.1f} s for {slept:.0f} s, {wall / slept - 1:+.1%}\n"
        f"CPU time beside the sleep: {cpu:.2f} s a trial, {cpu / trial_seconds:+.1%}; of that\n"
        f"  in the trial's process, its start included: {busy['trial CPU'] / trials:.2f} s\n"
        f"  in the process of the sweep: {busy['driver CPU'] / trials:.2f} s, "
        f"{busy['driver CPU'] / reports * 1000:.0f} ms a report"
    )


def _pack_a_run(place: Path) -> bytes:
    """Return a finished small run as training packs it."""
    from quiltrail.train.run import run_experiment

    small = ["training.total_steps=4096", "evaluation.report_episodes=4"]
    run_experiment(load_config("sunpleat", small), place / "run", quiet=True)
    RunFolder(place / "run").pack(place / "run.tar")
    return (place / "run.tar").read_bytes()


def _measure(
    place: Path, packed: bytes, trials: int, trial_seconds: float, report_seconds: float
) -> dict[str, float]:
    """Return seconds of a sweep: wall time, CPU of its process, of Ray's daemons, of its trials.

    With no trials it is a cluster that comes and goes.
    """
    from ray.cluster_utils import Cluster

    from quiltrail.train.cluster.backend import RayBackend
    from quiltrail.train.sweep import Sweep, Trial

    class Sleeping(RayBackend):
        def _trainable(self) -> Callable[[dict[str, Any]], None]:
            return _sleeper(packed, trial_seconds, report_seconds)

    node = {"num_cpus": 1, "object_store_memory": _STORE_BYTES}
    before = _cpu(resource.RUSAGE_CHILDREN)
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    for _ in range(_NODES - 1):
        cluster.add_node(**node)
    used: dict[str, float] = {}

    def note(trial: Trial, state: str, status: Mapping[str, Any]) -> None:
        used[trial.name] = status.get("seconds", 0.0)

    wall, driver = time.monotonic(), _cpu(resource.RUSAGE_SELF)
    if trials:
        sweep = Sweep.create(place, load_config("sunpleat"), {}, range(trials))
        sweep.run(Sleeping(cluster.address, str(place / "storage")), note, lambda: False)
        assert all(RunFolder(trial.folder).evaluation for trial in sweep.trials())
    wall, driver = time.monotonic() - wall, _cpu(resource.RUSAGE_SELF) - driver
    cluster.shutdown()
    return {
        "wall": wall,
        "driver CPU": driver,
        "daemon CPU": _cpu(resource.RUSAGE_CHILDREN) - before,
        "trial CPU": sum(used.values()),
    }


def _sleeper(
    packed: bytes, trial_seconds: float, report_seconds: float
) -> Callable[[dict[str, Any]], None]:
    """Return a trial that sleeps, reports a packed run now and then, and ends."""

    def sleep_and_report(given: dict[str, Any]) -> None:
        from ray import tune

        from quiltrail.train.folder import FINISHED, RUNNING

        began = time.monotonic()
        with tempfile.TemporaryDirectory() as place:
            (Path(place) / "run.tar").write_bytes(packed)
            at = report_seconds
            while at < trial_seconds:
                time.sleep(max(0.0, began + at - time.monotonic()))
                _report(tune, place, RUNNING)
                at += report_seconds
            time.sleep(max(0.0, began + trial_seconds - time.monotonic()))
            _report(tune, place, FINISHED)

    return sleep_and_report


def _report(tune: Any, place: str, state: str) -> None:
    """Report as a trial does; ``seconds`` are the CPU seconds of its process so far."""
    status = {"steps": 0, "total_steps": 0, "score": 0.0, "judged_steps": 0}
    used = {"seconds": time.process_time(), "state": state}
    tune.report({**status, **used}, checkpoint=tune.Checkpoint.from_directory(place))


def _cpu(whose: int) -> float:
    """Return CPU seconds of this process, or of the ended ones that it started."""
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
