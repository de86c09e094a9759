"""A learned value of Patchwork as a function of nodes, and its file of plain arrays."""

from __future__ import annotations

import io
import zipfile
import zlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.patchwork_search import Nodes
from quiltrail.core.errors import ModelMismatchError
from quiltrail.core.jit import compiled
from quiltrail.train.afterstate.features import MOST_ACTIVE, NUM_ENTRIES
from quiltrail.train.afterstate.learning import SCALE, value_of
from quiltrail.train.afterstate.tables import Weights

_KIND = "quiltrail patchwork after-state value 1"
_NAMES = ("gamma", "kind", "stage_patches", "weights")
_SHIPPED = "patchwork_td.npz"


@compiled
def _write_values(
    nodes: Nodes, weights: Weights, stage_patches: int, factor: float, values: NDArray[np.float64]
) -> None:
    active = np.empty(MOST_ACTIVE, np.int32)
    for n in range(nodes.shape[0]):
        values[n] = factor * value_of(weights, stage_patches, nodes[n], active)


class AfterstateValue:
    """A value function for `PatchworkGreedy` and `PatchworkBeam`, compiled over whole batches.

    Args:
        weights: (S, `NUM_ENTRIES`) float32, S stages by patches sewn; read, never copied.
        stage_patches: patches of a stage.
        gamma: the discount it was learned with.
    """

    def __init__(self, weights: Weights, stage_patches: int, gamma: float) -> None:
        self.weights = weights
        self.stage_patches = stage_patches
        self.gamma = gamma

    def __call__(self, nodes: Nodes) -> NDArray[np.float64]:
        """Return what nodes (N,) are worth in points, (N,) float64."""
        values = np.empty(len(nodes))
        _write_values(nodes, self.weights, self.stage_patches, SCALE * self.gamma, values)
        return values

    def save(self, path: Path) -> None:
        """Write the file that `load_value` reads: an archive of plain arrays, no pickle."""
        with path.open("wb") as file:
            np.savez_compressed(
                file,
                kind=np.array(_KIND),
                gamma=np.array(self.gamma),
                stage_patches=np.array(self.stage_patches),
                weights=self.weights,
            )


def load_value(path: Path) -> AfterstateValue:
    """Return the value in a file of `AfterstateValue.save`; nothing in it is executed.

    Raises:
        ModelMismatchError: one sentence, if it is no such file or a damaged one.
    """
    try:
        return _value_in(path.read_bytes())
    except OSError as error:
        raise ModelMismatchError(f"cannot read {path.name}: {error.strerror}") from None
    except ModelMismatchError as error:
        raise ModelMismatchError(f"{path.name} holds no Patchwork value: {error}") from None


def _value_in(content: bytes) -> AfterstateValue:
    arrays = _arrays_in(content)
    if tuple(sorted(arrays)) != _NAMES:
        raise ModelMismatchError(f"it has to hold {', '.join(_NAMES)}")
    _check(arrays, "kind", "U", ())
    if str(arrays["kind"]) != _KIND:
        raise ModelMismatchError(f'its kind has to be "{_KIND}", got "{arrays["kind"]!s:.60}"')
    _check(arrays, "gamma", "f", ())
    _check(arrays, "stage_patches", "i", ())
    weights = arrays["weights"]
    _check(arrays, "weights", "f", (len(weights) if weights.ndim else 0, NUM_ENTRIES))
    gamma, stage_patches = float(arrays["gamma"]), int(arrays["stage_patches"])
    if not (0 < gamma <= 1 and stage_patches >= 1 and len(weights) >= 1):
        raise ModelMismatchError("its gamma, stage_patches or number of stages is out of range")
    if weights.dtype != np.float32 or not np.isfinite(weights).all():
        raise ModelMismatchError("its weights have to be finite float32")
    return AfterstateValue(np.ascontiguousarray(weights), stage_patches, gamma)


def _arrays_in(content: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of an archive, read without pickle; its checksums are checked."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile, AttributeError) as error:
        raise ModelMismatchError(" ".join(f"{error}".split()) or "it is damaged") from None
    except (TypeError, NotImplementedError, zlib.error, MemoryError) as error:
        raise ModelMismatchError(f"it is damaged ({type(error).__name__})") from None


def _check(arrays: dict[str, NDArray[Any]], name: str, kind: str, shape: tuple[int, ...]) -> None:
    array = arrays[name]
    if array.dtype.kind != kind or array.shape != shape:
        raise ModelMismatchError(
            f"{name} has to be of kind {kind} and shape {shape}, "
            f"got {array.dtype} of shape {array.shape}"
        )


@cache
def _shipped() -> AfterstateValue:
    return _value_in(files(__package__).joinpath(_SHIPPED).read_bytes())


def learned_value(nodes: Nodes) -> NDArray[np.float64]:
    """Return what nodes are worth by the weights that come with the package.

    Its name for agents is "quiltrail.train.afterstate.value:learned_value".
    """
    return _shipped()(nodes)
