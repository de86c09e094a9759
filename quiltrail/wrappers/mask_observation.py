"""MaskObservation: the action mask inside the observation, under the keys a library expects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import DTypeLike, NDArray

from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, unknown_name_text
from quiltrail.wrappers.transform import Transform


@dataclass(frozen=True)
class _MaskKeys:
    """Where a library looks for observation and mask, and the mask's type."""

    observation: str
    mask: str
    dtype: DTypeLike = np.int8
    needs_box: bool = False


#: Library -> its keys. Sources: PettingZoo's classic environments; RLlib's action masking example
#: (new stack, float32 arrays only); Tianshou's PettingZooEnv; TorchRL's ActionMask transform.
_MASK_KEYS = {
    "pettingzoo": _MaskKeys("observation", "action_mask"),
    "rllib": _MaskKeys("observations", "action_mask", np.float32, needs_box=True),
    "tianshou": _MaskKeys("obs", "mask", np.bool_),
    "torchrl": _MaskKeys("observation", "action_mask", np.bool_),
}


class MaskObservation(Transform):
    """Return ``{observation, mask}``: what lies below, and beside it the learner's legal actions.

    The mask is that of all transforms up to here, so it belongs at the end of a list; with "rllib"
    put `FlatObservation` or `PlaneObservation` before it.

    | keys | observation | mask |
    |---|---|---|
    | "pettingzoo" | `observation` | `action_mask`, int8 (A,) |
    | "rllib" | `observations`, a float32 Box | `action_mask`, float32 (A,) |
    | "tianshou" | `obs` | `mask`, bool (A,) |
    | "torchrl" | `observation` | `action_mask`, bool (A,) |

    Raises:
        OptionError: if the library is unknown, or takes no named fields.
    """

    reads_fields: ClassVar[bool] = False
    shows_masks: ClassVar[bool] = True

    def __init__(self, keys: str = "pettingzoo") -> None:
        if keys not in _MASK_KEYS:
            raise OptionError(unknown_name_text("mask convention", keys, _MASK_KEYS))
        self.name = keys
        self.keys = _MASK_KEYS[keys]
        self._num_actions = 0

    def action_space(self, engine: Engine, space: spaces.Discrete) -> spaces.Discrete:
        """Note how many actions the learner has."""
        self._num_actions = int(space.n)
        return space

    def observation_space(self, engine: Engine, space: spaces.Space[Any]) -> spaces.Dict:
        """Return the space of the pair."""
        if self.keys.needs_box and space.dtype != np.float32:
            raise OptionError(
                f'MaskObservation("{self.name}") needs one float32 array; '
                "put FlatObservation before it"
            )
        shape = (self._num_actions,)
        dtype: Any = self.keys.dtype
        mask: spaces.Box[Any] = spaces.Box(
            np.zeros(shape, dtype), np.ones(shape, dtype), dtype=dtype
        )
        return spaces.Dict({self.keys.observation: space, self.keys.mask: mask})

    def show_masks(self, observations: Any, masks: NDArray[np.int8]) -> dict[str, Any]:
        """Return the pair; the mask is a fresh array."""
        return {
            self.keys.mask: masks.astype(self.keys.dtype),
            self.keys.observation: observations,
        }
