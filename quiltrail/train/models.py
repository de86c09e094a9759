"""Loading trained models."""

from __future__ import annotations

from pathlib import Path

from quiltrail.agents import Agent
from quiltrail.core.errors import ConfigError, ModelMismatchError, unknown_name_text
from quiltrail.train.folder import RunFolder
from quiltrail.train.learners import ALGORITHMS
from quiltrail.train.learners.base import find_learner


def load_player(
    path: Path,
    algorithm: str | None = None,
    *,
    deterministic: bool = True,
    trusted: bool = False,
) -> Agent:
    """Return the player of a run folder, of a ``model.zip`` in one, or of a model from elsewhere.

    Of a run's model only the weights are read, and nothing in it is executed. A file that lies in
    no run folder has to be read by SB3, which executes code in it: it is refused unless you say
    that you trust it.

    Args:
        path: the folder or the file.
        algorithm: what saved a file from elsewhere, such as "ppo"; a run knows its own.
        deterministic: whether it plays its most probable action, or draws from its policy.
        trusted: whether a file from elsewhere may execute code.

    Raises:
        ModelMismatchError: if there is no model of this kind there.
        ConfigError: if a file from elsewhere comes without the name of its algorithm, or is not
            trusted.
    """
    folder = RunFolder(path if path.is_dir() else path.parent)
    file = folder.model if path.is_dir() else path
    if not file.is_file() or (path.is_dir() and not folder.is_begun):
        raise ModelMismatchError(f"{path} is no run folder: it needs model.zip and config.yaml")
    if folder.is_begun:
        config = folder.config
        learner = find_learner(config.training.algorithm)
        return learner.load_player(file, config, deterministic=deterministic)
    if not trusted:
        raise ConfigError(
            f"{file.name} lies in no run folder, and such archives execute code when they are "
            "read; if you trust it, say so: --trust, or trusted=True"
        )
    return _from_elsewhere(file, algorithm, deterministic=deterministic)


def _from_elsewhere(file: Path, algorithm: str | None, *, deterministic: bool) -> Agent:
    if algorithm is None:
        raise ConfigError(
            f"{file.name} does not lie in a run folder; say with --algorithm what saved it: "
            f"{', '.join(sorted(ALGORITHMS))}"
        )
    if algorithm not in ALGORITHMS:
        raise ConfigError(unknown_name_text("algorithm", algorithm, ALGORITHMS))
    return find_learner(algorithm).load_player(file, None, deterministic=deterministic)
