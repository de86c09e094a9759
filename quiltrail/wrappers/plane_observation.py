"""PlaneObservation: what lies on the board as planes, for convolutions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, shown
from quiltrail.envs.vector import Observations
from quiltrail.wrappers.transform import Transform

PLANES = "planes"
#: How a field stores its squares: (C, squares), (squares, C), or one plane (H, W).
_SQUARES_LAST, _SQUARES_FIRST, _GRID = "squares last", "squares first", "grid"


@dataclass(frozen=True)
class _BoardLayout:
    """Which fields of an observation lie on a board.

    Attributes:
        side: H and W.
        fields: field -> its shape and how its squares are stored.
        optional: the same, of fields that other transforms add.
    """

    side: int
    fields: Mapping[str, tuple[tuple[int, ...], str]]
    optional: Mapping[str, tuple[tuple[int, ...], str]] = field(default_factory=dict)

    def fits(self, space: spaces.Dict) -> bool:
        """Return whether an observation has all the fields, in these shapes."""
        return all(
            name in space.spaces and space[name].shape == shape
            for name, (shape, _) in self.fields.items()
        )

    def stored_in(self, space: spaces.Dict) -> dict[str, str]:
        """Return the fields on the board, by name, and how their squares are stored."""
        known = {**self.fields, **self.optional}
        return {
            name: known[name][1]
            for name in sorted(known)
            if name in space.spaces and space[name].shape == known[name][0]
        }


#: Found by fields and shapes, so that variants of a game have theirs without a line here.
_LAYOUTS = (
    _BoardLayout(
        5,
        {"board": ((8, 25), _SQUARES_LAST), "shapes": ((48, 25), _SQUARES_LAST)},
        {"square": ((25,), _GRID)},
    ),
    _BoardLayout(9, {"quilt": ((9, 9), _GRID), "tray": ((3, 25), _SQUARES_LAST)}),
    _BoardLayout(6, {"table": ((36, 8), _SQUARES_FIRST)}),
)


class PlaneObservation(Transform):
    """Gather the fields that lie on a board into ``planes``, int8 (C, H, W).

    Channels follow each other by field name. A field smaller than the board (Patchwork's patches,
    5x5 on a 9x9 quilt) lies in its upper left corner. The other fields stay as they are beside
    ``planes``, or with ``rest="planes"`` every number of them becomes a constant plane and the
    observation is one float32 Box (C, H, W).

    | game | planes |
    |---|---|
    | Patchrook | board 8, shapes 48, (square 1 after CanonicalOrder), 5x5 |
    | Patchwork | quilt 1, tray 3, 9x9 |
    | Tinrail | table 8: where the rail of each port leads, 6x6 |

    Args:
        rest: "keep" or "planes".

    Raises:
        OptionError: if ``rest`` is neither; on binding to the spaces, if nothing lies on a board.
    """

    def __init__(self, rest: str = "keep") -> None:
        if rest not in ("keep", PLANES):
            raise OptionError(f'rest is "keep" or "{PLANES}", got {shown(rest)}')
        self.rest = rest
        self._side = 0
        self._stored: dict[str, str] = {}

    def observation_space(self, engine: Engine, space: spaces.Dict) -> spaces.Space[Any]:
        """Return the space with ``planes``."""
        layout = next((one for one in _LAYOUTS if one.fits(space)), None)
        if layout is None:
            raise OptionError(
                f"nothing of {engine.game} lies on a board: fields {', '.join(space.spaces)}"
            )
        self._side, self._stored = layout.side, layout.stored_in(space)
        boxes = {name: part for name, part in space.items() if isinstance(part, spaces.Box)}
        low = self._arranged({name: part.low[None] for name, part in boxes.items()})
        high = self._arranged({name: part.high[None] for name, part in boxes.items()})
        if self.rest == PLANES:
            return spaces.Box(low[0], high[0], dtype=np.float32)
        kept = {name: part for name, part in space.items() if name not in self._stored}
        planes = spaces.Box(low[PLANES][0], high[PLANES][0], dtype=np.int8)
        return spaces.Dict({**kept, PLANES: planes})

    def observations(self, engine: Engine, observations: Observations) -> Any:
        """Return the observations with ``planes``, or all of them as planes."""
        return self._arranged(observations)

    def _arranged(self, observations: Observations) -> Any:
        planes = np.concatenate(
            [self._planes_of(observations[name], how) for name, how in self._stored.items()], axis=1
        )
        rest = {name: part for name, part in observations.items() if name not in self._stored}
        if self.rest != PLANES:
            return {**rest, PLANES: planes}
        flat = [rest[name].reshape(len(planes), -1) for name in sorted(rest)]
        constants = np.concatenate(flat, axis=1)[:, :, None, None]
        spread = np.broadcast_to(constants, (*constants.shape[:2], *planes.shape[2:]))
        return np.concatenate([planes, spread], axis=1, dtype=np.float32, casting="unsafe")

    def _planes_of(self, values: NDArray[Any], how: str) -> NDArray[np.int8]:
        """Return one field as (B, C, H, W) int8."""
        if how == _SQUARES_FIRST:
            values = values.swapaxes(1, 2)
        if how == _GRID:
            values = values.reshape(len(values), 1, -1)
        side = int(np.sqrt(values.shape[2]))
        planes = np.zeros((*values.shape[:2], self._side, self._side), np.int8)
        planes[:, :, :side, :side] = values.reshape(*values.shape[:2], side, side)
        return planes
