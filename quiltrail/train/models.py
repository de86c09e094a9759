"""Loading trained models."""

from __future__ import annotations

import zipfile
from pathlib import Path

from sb3_contrib import MaskablePPO

from quiltrail.core.errors import ModelMismatchError
from quiltrail.train.config import load_config
from quiltrail.train.evaluate import ModelPlayer
from quiltrail.train.parts import make_transforms


def load_player(path: Path, *, deterministic: bool = True) -> ModelPlayer:
    """Return the player of a run folder, or of a ``model.zip`` inside one.

    SB3 archives execute code when they are loaded: load only files you trust.

    Raises:
        ModelMismatchError: if there is no model of a run there.
    """
    folder = path if path.is_dir() else path.parent
    archive = folder / "model.zip" if path.is_dir() else path
    if not archive.is_file() or not (folder / "config.yaml").is_file():
        raise ModelMismatchError(f"{path} is no run folder: it needs model.zip and config.yaml")
    config = load_config(str(folder / "config.yaml"))
    try:
        model = MaskablePPO.load(archive, device="cpu")
    except (ValueError, KeyError, zipfile.BadZipFile, RuntimeError) as error:
        raise ModelMismatchError(f"{archive} holds no MaskablePPO model: {error}") from error
    transforms = make_transforms(config.training.transforms, float(model.gamma))
    return ModelPlayer(model, transforms, deterministic=deterministic)
