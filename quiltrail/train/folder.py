"""The folder of a run: what lies in it, and how it comes to be."""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path
from typing import Any

from quiltrail.core.errors import ConfigError
from quiltrail.train.checkpoints import Checkpoints
from quiltrail.train.config import ExperimentConfig, load_config
from quiltrail.train.files import ASIDE, read_json, write_json, write_text
from quiltrail.train.provenance import provenance_of

RUNNING, INTERRUPTED, FINISHED = "running", "interrupted", "finished"
CUT_SHORT = "cut short"  # by a sweep that found others better

EVALUATION, CURVE = "evaluation.json", "curve.csv"
_CONFIG, _PROVENANCE, _STATUS = "config.yaml", "run.json", "status.json"
_LINEAGE = "lineage.json"


class RunFolder:
    """A run on disk.

    | name | what it is |
    |---|---|
    | config.yaml | the resolved config, which repeats the run |
    | run.json | command, config digest, seed, threads, versions, host, git revision |
    | status.json | how far it is |
    | checkpoints/ | the newest whole states, to resume from |
    | progress.csv, tensorboard/ | training metrics, a line for each chunk |
    | curve.csv, curve.png | evaluations along the way |
    | model.zip | the best model by evaluation |
    | evaluation.json | the final evaluation, seed by seed |
    | replay.json, replay.png | the first game of it |
    | REPORT.md | all of it to read |
    | lineage.json | configs it had before, where population based training changed it |
    | lock | held by the process at work here |
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path, config: ExperimentConfig) -> RunFolder:
        """Make the folder of a new run; it appears at once with config and provenance.

        Raises:
            ConfigError: if the folder is taken or cannot be made.
        """
        aside = path.with_name(f"{path.name}.{os.getpid()}{ASIDE}")
        try:
            if path.exists() and (not path.is_dir() or any(path.iterdir())):
                raise ConfigError(
                    f"{path} exists already; name another folder with --out, "
                    f"or go on with: quiltrail train --resume {path}"
                )
            aside.mkdir(parents=True)
            (aside / _CONFIG).write_text(config.to_yaml(), encoding="utf-8")
            write_json(aside / _PROVENANCE, provenance_of(config))
            aside.replace(path)
        except OSError as error:
            shutil.rmtree(aside, ignore_errors=True)
            raise ConfigError(f"cannot make the folder {path}: {error.strerror}") from None
        return cls(path)

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Return the folder of a run that was begun.

        Raises:
            ConfigError: if there is none.
        """
        folder = cls(path)
        if not folder.is_begun:
            raise ConfigError(f"{path} is no run folder: it has no {_CONFIG}")
        return folder

    @classmethod
    def find_all(cls, path: Path) -> list[RunFolder]:
        """Return the run in this folder, or those in the folders below it, by name.

        Raises:
            ConfigError: if there is none.
        """
        if cls(path).is_begun:
            return [cls(path)]
        found = [cls(config.parent) for config in sorted(path.rglob(_CONFIG))]
        if not found:
            raise ConfigError(f"there is no run in {path}: no folder there has a {_CONFIG}")
        return found

    @property
    def is_begun(self) -> bool:
        """Whether a run lies here, however far it is."""
        return (self.path / _CONFIG).is_file()

    @property
    def config(self) -> ExperimentConfig:
        """The resolved config."""
        return load_config(str(self.path / _CONFIG))

    @property
    def model(self) -> Path:
        """The best model by evaluation."""
        return self.path / "model.zip"

    @property
    def provenance(self) -> dict[str, Any]:
        """What a reader needs to repeat the run, {} where it is not readable."""
        return read_json(self.path / _PROVENANCE) or {}

    @property
    def status(self) -> dict[str, Any]:
        """How far the run is, {} where it has not told yet."""
        return read_json(self.path / _STATUS) or {}

    @property
    def evaluation(self) -> dict[str, Any] | None:
        """The final evaluation, None before the end."""
        return read_json(self.path / EVALUATION)

    def pack(self, file: Path) -> None:
        """Write the whole folder into one tar file."""
        with tarfile.open(file, "w") as archive:
            archive.add(self.path, arcname=".", filter=_whole_files)

    @classmethod
    def unpack(cls, file: Path, path: Path) -> RunFolder:
        """Make a run's folder from a file of `pack`; it appears at once, in place of an older one.

        Raises:
            tarfile.TarError: if the file is none, or reaches outside the folder.
        """
        aside = path.with_name(f"{path.name}.{os.getpid()}{ASIDE}")
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        with tarfile.open(file) as archive:
            archive.extractall(aside, filter="data")
        shutil.rmtree(path, ignore_errors=True)
        aside.replace(path)
        return cls(path)

    def change_config(self, config: ExperimentConfig, steps: int) -> None:
        """Go on with another config after so many steps; ``lineage.json`` keeps the one before."""
        before = read_json(self.path / _LINEAGE) or {"configs": []}
        was = self.config.model_dump(mode="json")
        before["configs"].append({"until_steps": steps, "config": was})
        write_json(self.path / _LINEAGE, before)
        write_text(self.path / _CONFIG, config.to_yaml())

    def checkpoints(self, keep: int) -> Checkpoints:
        """Return its checkpoints."""
        return Checkpoints(self.path / "checkpoints", keep)

    def tell(self, state: str, **more: Any) -> None:
        """Write how far the run is."""
        write_json(self.path / _STATUS, {"state": state, **more})


def _whole_files(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Leave out what is being written; who owned a file is nobody's business."""
    if entry.name.endswith(ASIDE):
        return None
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry
