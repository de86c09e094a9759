"""One training run, from a config to a folder that says everything about it."""

from __future__ import annotations

import csv
import json
import platform
import random
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import CSVOutputFormat, Logger
from stable_baselines3.common.vec_env import VecMonitor

from quiltrail import __version__
from quiltrail.agents import make_agent
from quiltrail.core.errors import ConfigError
from quiltrail.envs import find_game
from quiltrail.train.config import ExperimentConfig
from quiltrail.train.evaluate import Evaluation, ModelPlayer, evaluate
from quiltrail.train.parts import find_policy, make_starts, make_transforms
from quiltrail.train.plots import plot_curve
from quiltrail.train.progress import CurvePoint, TrainingProgress
from quiltrail.train.vec_env import EngineVecEnv

_PACKAGES = ("numpy", "numba", "gymnasium", "stable-baselines3", "sb3-contrib", "torch")
_DEFAULT_GAMMA = 0.99


@dataclass(frozen=True)
class RunResult:
    """What a run reached.

    Attributes:
        folder: where everything about it lies.
        evaluation: the best evaluation, that of the saved model.
        reference: the score that counts as 1, or None.
        curve: the evaluations along the way.
        seconds: wall time of training, evaluations included.
    """

    folder: Path
    evaluation: Evaluation
    reference: float | None
    curve: list[CurvePoint]
    seconds: float

    @property
    def normalised(self) -> float | None:
        """The score as a share of the reference."""
        return self.evaluation.mean_score / self.reference if self.reference else None


def run_experiment(config: ExperimentConfig, out: Path, *, quiet: bool = False) -> RunResult:
    """Train, evaluate and write the run's folder.

    Args:
        config: what to do.
        out: the folder to make; it must not exist yet, or be empty.
        quiet: whether to draw no progress bar.

    Raises:
        ConfigError: if the config names something that does not exist, or the folder is taken.
    """
    _check_names(config)
    training = config.training
    _fix_randomness(training.seed, training.threads)
    model, env = _make_model(config)
    folder = _make_folder(out)
    model.set_logger(Logger(folder=str(folder), output_formats=[_csv(folder)]))
    (folder / "config.yaml").write_text(config.to_yaml(), encoding="utf-8")
    _write_json(folder / "run.json", _provenance(config))

    reference = _reference_score(config)
    began = time.perf_counter()
    progress = TrainingProgress(
        config,
        judge=_judge(config),
        keep=lambda current: current.save(folder / "model.zip"),
        seconds=lambda: time.perf_counter() - began,
        reference=reference,
        quiet=quiet,
    )
    try:
        model.learn(training.total_steps, callback=progress, log_interval=1)
    finally:
        progress.close()
    assert progress.best is not None, "every run evaluates at least once"
    result = RunResult(
        folder, progress.best, reference, progress.curve, time.perf_counter() - began
    )
    _write_results(result, config, env.refusals)
    return result


def _check_names(config: ExperimentConfig) -> None:
    """Raise early for names and settings that no game or agent has."""
    spec = find_game(config.env.id)
    spec.make_engine(1, **config.env.settings)
    if config.evaluation.reference_agent is not None:
        make_agent(config.evaluation.reference_agent)


def _make_folder(out: Path) -> Path:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ConfigError(f"{out} exists already; name another folder with --out")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot make the folder {out}: {error.strerror}") from None
    return out


def _fix_randomness(seed: int, threads: int) -> None:
    """Seed every generator that learning uses; the number of threads changes results too."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002  (SB3 shuffles its minibatches with the global generator)
    torch.manual_seed(seed)
    torch.set_num_threads(threads)


def _gamma(config: ExperimentConfig) -> float:
    return float(config.training.hyperparameters.get("gamma", _DEFAULT_GAMMA))


def _make_model(config: ExperimentConfig) -> tuple[MaskablePPO, EngineVecEnv]:
    training = config.training
    env = EngineVecEnv(
        config.env.id,
        config.env.num_envs,
        max_episode_steps=config.env.max_episode_steps
        or find_game(config.env.id).max_episode_steps,
        transforms=make_transforms(training.transforms, _gamma(config)),
        starts=make_starts(training.starts),
        **config.env.settings,
    )
    try:
        model = MaskablePPO(
            find_policy(training.policy),
            VecMonitor(env),
            seed=training.seed,
            learning_rate=lambda left: training.learning_rate.at(1.0 - left),
            ent_coef=training.entropy.initial,
            policy_kwargs={"net_arch": training.net_arch, **training.policy_args},
            device="cpu",
            **training.hyperparameters,
        )
    except TypeError as error:
        raise ConfigError(f"training.hyperparameters: {error}") from None
    return model, env


def _judge(config: ExperimentConfig) -> Callable[[Any], Evaluation]:
    """Return the evaluation of a model on the plain game, on the config's seeds."""
    section = config.evaluation
    seeds = range(section.first_seed, section.first_seed + section.episodes)
    transforms = make_transforms(config.training.transforms, _gamma(config))

    def judge(model: Any) -> Evaluation:
        return evaluate(
            ModelPlayer(model, transforms), config.env.id, seeds, settings=config.env.settings
        )

    return judge


def _reference_score(config: ExperimentConfig) -> float | None:
    section = config.evaluation
    if section.reference_agent is None:
        return None
    seeds = range(section.first_seed, section.first_seed + section.episodes)
    agent = make_agent(section.reference_agent)
    return evaluate(agent, config.env.id, seeds, settings=config.env.settings).mean_score


def _provenance(config: ExperimentConfig) -> dict[str, Any]:
    """Return what a reader needs to repeat the run; nothing that names a person or a folder."""
    versions = {"quiltrail": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return {
        "config_digest": config.digest,
        "command": ["quiltrail", *sys.argv[1:]],
        "seed": config.training.seed,
        "threads": config.training.threads,
        "machine": {"system": platform.system(), "processor": platform.machine()},
        "versions": versions,
    }


def _write_results(result: RunResult, config: ExperimentConfig, refusals: int) -> None:
    folder = result.folder
    uses_solver = any(one.name == "potential_shaping" for one in config.training.transforms)
    _write_json(
        folder / "evaluation.json",
        {
            **result.evaluation.to_json(),
            "reference_agent": config.evaluation.reference_agent,
            "reference_score": result.reference,
            "normalised": result.normalised,
            "training_seconds": round(result.seconds, 1),
            "training_steps": result.curve[-1].steps,
            "training_refusals": refusals,
            "learned_from_exact_solutions": uses_solver or config.training.starts is not None,
        },
    )
    with (folder / "curve.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["steps", "seconds", "score"])
        writer.writeheader()
        writer.writerows(asdict(point) for point in result.curve)
    plot_curve(result.curve, result.reference, config.name, folder / "curve.png")


def _csv(folder: Path) -> CSVOutputFormat:
    return CSVOutputFormat(str(folder / "progress.csv"))


def _write_json(path: Path, data: dict[str, Any]) -> None:
    path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
