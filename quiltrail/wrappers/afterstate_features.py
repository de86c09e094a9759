"""AfterstateFeatures: show a learner what each of its actions leads to."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from gymnasium import spaces

from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError
from quiltrail.envs.vector import Observations
from quiltrail.wrappers.transform import Transform


class AfterstateFeatures(Transform):
    """Add, for each action, a description of the position it leads to, before any chance event.

    All of it is public, or follows from what the player sees. Tinrail, where it spares a network
    the tracing of rails; everything from the observer's own side:

    | field | shape | meaning |
    |---|---|---|
    | `after_outcome` | (12, 4) | one-hot: the match goes on, win, loss, draw |
    | `after_engines` | (12, 88) | own, then opponent's place, coded as in `engines` |
    | `after_exits` | (12, 16) | ports by which they could ride on from there |

    Patchwork, the same in all eight views of the square, for every action that is legal:

    | field | shape | meaning |
    |---|---|---|
    | `after_gain` | (A, 3) | units stitched away, squares of the patch, the streak then |
    | `after_lines`, `after_blocks` | (A, 9) | how many units have 0, 1, .. 8 squares filled |
    | `after_filled`, `after_seams`, `after_holes` | (A, 1) | squares, seams, single holes |
    | `after_fits` | (A, 9) | per kind of patch of 4 squares or more: orientations that fit |
    | `after_room` | (A, 9) | per kind: places of its scarcest orientation, at most 15 |
    | `after_left` | (A, 3) | patches left in the tray, fewest and most places of one of them |

    Rows of actions that are not legal, and all rows after the end, are zeros; the row of a legal
    action never is. A network that scores all rows alike is `ScorerPolicy`.

    Args:
        alone: leave out the fields that the description can stand in for (Tinrail: ``table``,
            ``hand``, ``unseen`` and ``pile``; Patchwork: ``quilt``, ``tray`` and ``phase``). They
            are of use only to a network that can, for example, trace rails or count tiles; a small
            one learns faster without.
    """

    def __init__(self, *, alone: bool = False) -> None:
        self._alone = alone

    def bind(self, engine: Engine) -> None:
        """Demand a game that can look ahead.

        Raises:
            OptionError: if it cannot.
        """
        if engine.afterstates is None:
            raise OptionError(f"{engine.game} has no description of what its actions lead to")
        self._name = engine.afterstates
        self._left_out = self._module.SPARED if self._alone else ()

    def observation_space(self, engine: Engine, space: spaces.Dict) -> spaces.Dict:
        """Return the space with the fields added."""
        fields = self._module.fields(engine)
        added = {one.name: spaces.Box(one.low, one.high, one.shape, np.int8) for one in fields}
        return spaces.Dict({**self._kept(space.spaces), **added})

    def observations(self, engine: Engine, observations: Observations) -> Observations:
        """Return the observations with the fields added."""
        seen = self._module.look_ahead(engine)
        added = {name: np.ascontiguousarray(seen[name]) for name in seen.dtype.names}
        return {**self._kept(observations), **added}

    @property
    def _module(self) -> Any:
        """The game's module, found anew each time: a transform has to pickle."""
        return import_module(self._name)

    def _kept(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        return {name: part for name, part in fields.items() if name not in self._left_out}
