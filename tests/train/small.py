"""Experiments so small that a test can run many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quiltrail.train.config import ExperimentConfig, load_config
from quiltrail.train.learners.base import Learner
from quiltrail.train.tree import pack, unpack

#: Settings of "sunpleat" for a run of about a second, with evaluations on the way.
SMALL = [
    "training.total_steps=8192",
    "training.net_arch=[16]",
    "training.hyperparameters.batch_size=512",
    "env.num_envs=16",
    "evaluation.every_steps=4096",
    "evaluation.report_episodes=4",
    "evaluation.stop_at_reference=false",
    "checkpoints.every_seconds=0",
]

#: What each algorithm needs in place of the MaskablePPO settings of "sunpleat".
ALGORITHM_SETTINGS = {
    "maskable_ppo": ["training.algorithm=maskable_ppo"],
    "lean_maskable_ppo": [],
    "ppo": ["training.algorithm=ppo"],
    "a2c": ["training.algorithm=a2c", "training.hyperparameters={n_steps: 8}"],
    "dqn": [
        "training.algorithm=dqn",
        "training.entropy=null",
        "training.exploration={initial: 1.0, final: 0.1}",
        "training.hyperparameters={buffer_size: 4000, learning_starts: 500, batch_size: 32, "
        "train_freq: 4, target_update_interval: 1000}",
    ],
    "qr_dqn": [
        "training.algorithm=qr_dqn",
        "training.entropy=null",
        "training.hyperparameters={buffer_size: 4000, learning_starts: 500, batch_size: 32, "
        "train_freq: 4, target_update_interval: 1000}",
    ],
}


_PUZZLE = [
    "env.num_envs=64",
    "training.net_arch=[16]",
    "training.total_steps=6000",
    "training.hyperparameters.batch_size=128",
    "training.hyperparameters.target_every=5",
    "evaluation.every_steps=1_000_000",
    "evaluation.episodes=20",
    "evaluation.report_episodes=20",
]

#: A shipped config of each algorithm that is this package's own -> its settings for seconds.
OWN = {
    "patchwork_td": [
        "env.num_envs=16",
        "training.total_steps=100_000",
        "evaluation.every_steps=1_000_000",
        "evaluation.episodes=4",
        "evaluation.report_episodes=4",
        "evaluation.max_episode_steps=60",
    ],
    "tinrail_league": [
        "env.num_envs=16",
        "training.total_steps=4000",
        "training.hyperparameters.hidden=4",
        "training.hyperparameters.batch_size=64",
        "training.hyperparameters.league_share=0.5",
        "training.hyperparameters.snapshots=2",
        "evaluation.episodes=20",
        "evaluation.report_episodes=20",
    ],
    "sunpleatlevels_value": [*_PUZZLE, "env.settings.n=3"],
    "patchrooklevels_value": [*_PUZZLE, "env.settings.num_levels=500"],
}


def small_own(name: str, *more: str) -> ExperimentConfig:
    """Return a small experiment with one of the package's own algorithms."""
    return load_config(name, [*OWN[name], *more])


def small_config(*more: str, algorithm: str = "lean_maskable_ppo") -> ExperimentConfig:
    """Return a small experiment on Sunpleat."""
    return load_config("sunpleat", [*SMALL, *ALGORITHM_SETTINGS[algorithm], *more])


def whole_and_resumed(make: Callable[[], Learner], before: int, after: int) -> tuple[Any, Any]:
    """Return two learners: one never interrupted, one resumed from another's saved state.

    Args:
        make: makes a learner, always the same.
        before: chunks learned before the state is taken.
        after: chunks learned behind it.
    """
    whole, first = make(), make()
    for _ in range(before + after):
        whole.learn_chunk()
    for _ in range(before):
        first.learn_chunk()
    state = unpack(pack(first.get_state()))
    first.learn_chunk()  # changes nothing about a state that was taken
    resumed = make()
    resumed.set_state(state)
    for _ in range(after):
        resumed.learn_chunk()
    assert resumed.steps == whole.steps
    return whole, resumed
