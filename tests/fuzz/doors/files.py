"""Doors of files: records, configs, run folders, weights."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import torch

from quiltrail.core.record import GameRecord
from quiltrail.envs import GAMES
from quiltrail.play.session import Session, frames
from quiltrail.train.afterstate.value import load_value
from quiltrail.train.checkpoints import Checkpoints
from quiltrail.train.compare import compare
from quiltrail.train.config import config_names, load_config
from quiltrail.train.folder import RunFolder
from quiltrail.train.learners.archives import read_weights
from quiltrail.train.sweep import Sweep
from quiltrail.train.tree import pack
from tests.fuzz.harness import Door
from tests.fuzz.mutation import any_bytes, bytes_edited, edited, pick, text_edited

_MEMORY = Path("/dev/shm")
_MOST_ACTIONS = 12


class FileDoor(Door):
    """A door that reads files, from a folder of its own (in memory where there is one)."""

    def __init__(self) -> None:
        where = _MEMORY if os.access(_MEMORY, os.W_OK) else None
        self._folder = tempfile.TemporaryDirectory(prefix="quiltrail-fuzz-", dir=where)
        self.folder = Path(self._folder.name)

    def put(self, name: str, content: bytes) -> Path:
        """Write a file and return where it lies."""
        path = self.folder / name
        path.write_bytes(content)
        return path


class RecordDoor(FileDoor):
    """Records of games, loaded and replayed."""

    name = "record files"
    normal = 2_000

    def __init__(self) -> None:
        super().__init__()
        self._seeds = [self._record(spec.id) for spec in GAMES for _ in range(2)]

    def _record(self, game: str) -> dict[str, Any]:
        session = Session(game, seed=5)
        for _ in range(_MOST_ACTIONS // 2):
            if not session.over:
                session.play(session.engine.legal_indices(0)[0])
        return {**vars(session.record)}

    def draw(self, rng: np.random.Generator) -> bytes:
        """Return a record's text with its values edited, or its bytes."""
        record = pick(rng, self._seeds)
        if rng.random() < 0.6:
            return _as_json(edited(rng, record))
        text = json.dumps(record).encode()
        return bytes_edited(rng, text) if rng.random() < 0.9 else any_bytes(rng)

    def feed(self, given: bytes) -> bool:
        """Load and replay."""
        record = GameRecord.load(self.put("record.json", given))
        for number, _ in enumerate(frames(record)):
            if number > _MOST_ACTIONS:
                break
        return True


class ConfigDoor(FileDoor):
    """Experiments in YAML."""

    name = "configs (YAML)"
    normal = 400

    def __init__(self) -> None:
        super().__init__()
        folder = files("quiltrail.configs")
        self._seeds = [folder.joinpath(f"{name}.yaml").read_bytes() for name in config_names()]

    def draw(self, rng: np.random.Generator) -> bytes:
        """Return a shipped config's bytes edited."""
        return bytes_edited(rng, pick(rng, self._seeds)) if rng.random() < 0.95 else any_bytes(rng)

    def feed(self, given: bytes) -> bool:
        """Load, and write what was understood."""
        load_config(str(self.put("config.yaml", given))).to_yaml()
        return True


class OverridesDoor(Door):
    """Settings on the command line, put into a config."""

    name = "config overrides"
    normal = 400

    _SEEDS = (
        "training.total_steps=1000", "training.learning_rate={initial: 1.0e-3, final: 0}",
        "training.transforms=[{name: step_cost}]",
        "env.settings={one_board: true}",
        "evaluation.episodes=3", "training.net_arch=[8, 8]", "name=x", "training.seed=4",
    )  # fmt: skip

    def draw(self, rng: np.random.Generator) -> list[str]:
        """Return one or two settings edited."""
        return [text_edited(rng, pick(rng, self._SEEDS)) for _ in range(int(rng.integers(1, 3)))]

    def feed(self, given: list[str]) -> bool:
        """Load the config with them."""
        load_config("sunpleat", given).to_yaml()
        return True


class RunFilesDoor(FileDoor):
    """The files of a run or sweep, read back by comparing, resuming, listing."""

    name = "run folders"
    normal = 200

    def __init__(self) -> None:
        super().__init__()
        config = load_config("sunpleat")
        summary = {"value": 3.0, "low": 2.0, "high": 4.0}
        final = {
            "summary": {"mean": summary}, "normalised": {"mean": summary}, "refusals": 0,
        }  # fmt: skip
        evaluation = {"env_id": config.env.id, "deterministic": final}
        sweep = {"base": config.model_dump(mode="json"), "grid": {}, "seeds": [0, 1]}
        self._seeds: dict[str, Any] = {
            "status.json": {"state": "finished", "steps": 10},
            "evaluation.json": evaluation,
            "sweep.json": sweep,
            "curve.csv": "steps,seconds,score,normalised\n0,1.0,2.0,0.1\n10,2.0,3.0,0.2\n",
            "config.yaml": config.to_yaml(),
        }
        for name in self._seeds:
            self.put(name, self._content(name))

    def _content(self, name: str) -> bytes:
        seed = self._seeds[name]
        return seed.encode() if isinstance(seed, str) else _as_json(seed)

    def draw(self, rng: np.random.Generator) -> tuple[str, bytes]:
        """Return a file's name and content edited."""
        name = pick(rng, list(self._seeds))
        seed = self._seeds[name]
        if not isinstance(seed, str) and rng.random() < 0.6:
            return name, _as_json(edited(rng, seed))
        return name, bytes_edited(rng, self._content(name))

    def feed(self, given: tuple[str, bytes]) -> bool:
        """Read the folder in every way there is."""
        name, content = given
        self.put(name, content)
        try:
            if name == "sweep.json":
                Sweep.open(self.folder).trials()
            else:
                for one in RunFolder.find_all(self.folder):
                    _ = one.status, one.evaluation
                compare([self.folder])
        finally:
            self.put(name, self._content(name))
        return True


class WeightsDoor(FileDoor):
    """The file of a learned value: arrays in an archive."""

    name = "weights (npz)"
    normal = 100

    def __init__(self) -> None:
        super().__init__()
        self._seed = files("quiltrail.train.afterstate").joinpath("patchwork_td.npz").read_bytes()

    def draw(self, rng: np.random.Generator) -> bytes:
        """Return the shipped file edited."""
        return bytes_edited(rng, self._seed) if rng.random() < 0.95 else any_bytes(rng)

    def feed(self, given: bytes) -> bool:
        """Load it."""
        load_value(self.put("value.npz", given))
        return True


class ModelDoor(FileDoor):
    """The ``model.zip`` of a run folder, of which only tensors are read."""

    name = "model files (zip)"
    normal = 500

    def __init__(self) -> None:
        super().__init__()
        weights = io.BytesIO()
        torch.save({"layer.weight": torch.zeros(3, 2), "layer.bias": torch.ones(3)}, weights)
        self._weights = weights.getvalue()
        self._seed = self._zipped(self._weights)

    def _zipped(self, weights: bytes) -> bytes:
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w") as archive:
            archive.writestr("policy.pth", weights)
            archive.writestr("data", "{}")
        return whole.getvalue()

    def draw(self, rng: np.random.Generator) -> bytes:
        """Return an archive whose bytes are edited, or one around edited weights."""
        if rng.random() < 0.5:
            return self._zipped(bytes_edited(rng, self._weights))
        return bytes_edited(rng, self._seed)

    def feed(self, given: bytes) -> bool:
        """Read the weights."""
        return len(read_weights(self.put("model.zip", given))) >= 0


class CheckpointDoor(FileDoor):
    """Checkpoints, torn ones and some whose checksum fits their damage."""

    name = "checkpoints"

    def __init__(self) -> None:
        super().__init__()
        self._checkpoints = Checkpoints(self.folder, keep=2)
        state = {"steps": 3, "array": np.arange(6).reshape(2, 3), "more": (1, b"x", [None, 0.5])}
        self._path = self._checkpoints.save(3, state)
        self._seed = self._path.read_bytes()
        self._packed = pack(state)

    def draw(self, rng: np.random.Generator) -> bytes:
        """Return a checkpoint's bytes edited, inside or all over."""
        if rng.random() < 0.5:
            return bytes_edited(rng, self._seed)
        content = bytes_edited(rng, self._packed)
        digest = hashlib.sha256(content).hexdigest().encode()
        return self._seed.partition(b" 2 ")[0] + b" 2 " + digest + b"\n" + content

    def feed(self, given: bytes) -> bool:
        """Look for the newest whole one; a damaged one counts as none."""
        self._path.write_bytes(given)
        return self._checkpoints.newest() is not None


def _as_json(data: Any) -> bytes:
    try:
        return json.dumps(data).encode("utf-8", "surrogatepass")
    except ValueError:  # an int of more digits than Python writes
        return b'{"format": ' + b"9" * 5_000 + b"}"


__all__ = [
    "CheckpointDoor",
    "ConfigDoor",
    "ModelDoor",
    "OverridesDoor",
    "RecordDoor",
    "RunFilesDoor",
    "WeightsDoor",
]
