"""The weights in an SB3 archive, read without executing anything that lies in it.

SB3's own ``load`` unpickles parts of ``model.zip``. A run folder needs none of them: its config
says how the model is made, and only the tensors of ``policy.pth`` are taken, by torch's loader for
weights.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import torch

from quiltrail.core.errors import ModelMismatchError, on_one_line, shown

_POLICY = "policy.pth"
_LARGEST = 2 * 1024**3  # bytes, unpacked


def read_weights(path: Path) -> Mapping[str, torch.Tensor]:
    """Return the policy's tensors by name.

    Raises:
        ModelMismatchError: if there is no such archive, or it holds more than tensors.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(_POLICY).file_size > _LARGEST:
                raise ModelMismatchError(f"{_POLICY} in {path.name} is larger than 2 GiB")
            content = archive.read(_POLICY)
    except (OSError, KeyError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise ModelMismatchError(f"{path.name} is no archive of a model: {_said(error)}") from None
    try:
        weights = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except Exception as error:  # torch's reader says what is damaged in any class there is
        raise ModelMismatchError(f"{path.name} holds no weights: {_said(error)}") from None
    if not isinstance(weights, Mapping) or not all(map(torch.is_tensor, weights.values())):
        raise ModelMismatchError(f"{path.name} holds no weights by name")
    return weights


def _said(error: Exception) -> str:
    return shown(on_one_line(error))
