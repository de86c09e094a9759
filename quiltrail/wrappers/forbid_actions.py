"""ForbidActions: take some kinds of action away from the learner."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, unknown_name_text
from quiltrail.wrappers.transform import Transform


class ForbidActions(Transform):
    """Clear the mask of some action types, for example "bank" while training.

    Where nothing else is legal the mask stays as it is, so no row is ever empty. The game still
    accepts the actions; only the mask hides them.

    Args:
        types: JSON action types of the game, such as "bank" or "restart".

    Raises:
        OptionError: on binding, if the game has no such type.
    """

    def __init__(self, *types: str) -> None:
        self.types = types
        self._allowed = np.ones(0, np.int8)

    def bind(self, engine: Engine) -> None:
        """Find the flat actions of the types."""
        kinds = {kind.type: kind for kind in engine.codec.kinds}
        self._allowed = np.ones(engine.num_actions, np.int8)
        for name in self.types:
            if name not in kinds:
                raise OptionError(unknown_name_text(f"{engine.game} action type", name, kinds))
            kind = kinds[name]
            self._allowed[kind.first : kind.first + kind.size] = 0

    def masks(self, engine: Engine, masks: NDArray[np.int8]) -> NDArray[np.int8]:
        """Clear the forbidden actions of running games."""
        allowed = masks & self._allowed
        keep = engine.terminated[:, None] | ~allowed.any(axis=1, keepdims=True)
        return np.where(keep, masks, allowed)
