"""FlatObservation: the whole observation as one float32 vector."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from quiltrail.core.engine import Engine
from quiltrail.envs.vector import Observations
from quiltrail.wrappers.transform import Transform


class FlatObservation(Transform):
    """Lay the fields end to end, in the order of their names, as one float32 vector.

    For learners that take a Box only. Every number is copied as it is; `split_flat` finds the
    fields again.
    """

    def observation_space(self, engine: Engine, space: spaces.Dict) -> spaces.Box:
        """Return the Box of the vector, with each field's own bounds."""
        parts = [part for part in space.values() if isinstance(part, spaces.Box)]
        low = np.concatenate([part.low.ravel() for part in parts])
        high = np.concatenate([part.high.ravel() for part in parts])
        return spaces.Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)

    def observations(self, engine: Engine, observations: Observations) -> NDArray[np.float32]:
        """Return the vectors, (B, length) float32."""
        parts = [observations[name] for name in sorted(observations)]
        flat = [part.reshape(len(part), -1) for part in parts]
        return np.concatenate(flat, axis=1, dtype=np.float32, casting="unsafe")


def split_flat(space: spaces.Dict, vectors: NDArray[Any]) -> Observations:
    """Return the fields of flat vectors (.., length), each (.., *shape), as views.

    Args:
        space: the observation space below `FlatObservation`.
        vectors: what `FlatObservation` returned, of one game or of many.
    """
    fields: Observations = {}
    start = 0
    for name in sorted(space.spaces):
        shape = space[name].shape or ()
        end = start + int(np.prod(shape))
        fields[name] = vectors[..., start:end].reshape(*vectors.shape[:-1], *shape)
        start = end
    return fields
