"""A network that guesses the score of a puzzle's positions, and its file of plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from quiltrail.core.archive import (
    check_array,
    check_weights,
    read_arrays,
    read_file,
    write_arrays,
)
from quiltrail.core.errors import ModelMismatchError
from quiltrail.train.puzzle.puzzle import Positions, Puzzle

_KIND = "quiltrail {} puzzle value 1"
_NAMES = ("weights", "widths")
_WIDEST = 4096  # layer
_AT_ONCE = 65_536  # positions, which bounds the memory
_FOLDER = "weights"  # of shipped ones


def make_network(features: int, widths: Sequence[int]) -> nn.Sequential:
    """Return a network of layers of these widths with ReLU between, and one number at the end."""
    layers: list[nn.Module] = []
    for wide, narrow in pairwise((features, *widths)):
        layers += [nn.Linear(wide, narrow), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear((features, *widths)[-1], 1))


class PuzzleValue:
    """The learned score of positions.

    Args:
        puzzle: whose.
        network: of `make_network`; read, never copied.
    """

    def __init__(self, puzzle: Puzzle, network: nn.Sequential) -> None:
        self.puzzle = puzzle
        self.network = network

    def outputs(self, positions: Positions) -> Tensor:
        """Return what the network says, (N,): scores, or log odds of chances."""
        found: Tensor = self.network(torch.from_numpy(self.puzzle.encode(positions)))[:, 0]
        return found

    def scores(self, positions: Positions) -> NDArray[np.float64]:
        """Return the learned scores of positions, (N,) float64."""
        parts = [np.zeros(0)]
        with torch.no_grad():
            for first in range(0, len(positions), _AT_ONCE):
                output = self.outputs(positions[first : first + _AT_ONCE]).double()
                score = torch.sigmoid(output) if self.puzzle.is_chance else output
                parts.append(score.numpy())
        return np.concatenate(parts)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the network's parameters by name."""
        return {name: value.numpy() for name, value in self.network.state_dict().items()}

    def save(self, path: Path) -> None:
        """Write the file that `load_value` reads: an archive of plain arrays, no pickle."""
        layers = [layer for layer in self.network if isinstance(layer, nn.Linear)]
        arrays: dict[str, NDArray[Any]] = {
            "widths": np.array([layer.out_features for layer in layers[:-1]], np.int64),
            "weights": parameters_to_vector(self.network.parameters()).detach().numpy(),
        }
        write_arrays(path, _KIND.format(self.puzzle.name), arrays)


def load_value(path: Path, puzzle: Puzzle) -> PuzzleValue:
    """Return the value in a file of `PuzzleValue.save`; nothing in it is executed.

    Raises:
        ModelMismatchError: one sentence, if it is no such file, a damaged one or another puzzle's.
    """
    return read_file(path, f"value of {puzzle.name}", partial(_value_in, puzzle=puzzle))


def shipped_value(puzzle: Puzzle) -> PuzzleValue:
    """Return the value of a puzzle that comes with the package.

    Raises:
        ModelMismatchError: if there is none of this puzzle.
    """
    file = files(__package__).joinpath(_FOLDER, f"{puzzle.name}.npz")
    if not file.is_file():
        raise ModelMismatchError(f"no weights of {puzzle.name} come with the package; train some")
    return _value_in(file.read_bytes(), puzzle)


def _value_in(content: bytes, puzzle: Puzzle) -> PuzzleValue:
    _, arrays = read_arrays(content, [_KIND.format(puzzle.name)], _NAMES)
    widths = arrays["widths"]
    check_array(arrays, "widths", "i", (len(widths) if widths.ndim else 0,))
    if not ((widths >= 1) & (widths <= _WIDEST)).all():
        raise ModelMismatchError(f"its widths have to be 1 to {_WIDEST}")
    network = make_network(puzzle.features, widths.tolist())
    count = sum(parameter.numel() for parameter in network.parameters())
    check_weights(arrays, "weights", (count,))
    vector_to_parameters(torch.from_numpy(arrays["weights"]), network.parameters())
    return PuzzleValue(puzzle, network)
