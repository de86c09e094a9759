"""Names of the arrays that engines and kernels hand to each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: One record of a structured array: a view into it, whose fields are read as ``record["name"]``.
#: numba types it by its fields, which no annotation can say.
Record = Any

#: A structured array with a record for each game, (B,).
StateArray = NDArray[np.void]

#: Numbers of games of a batch, (R,).
Rows = NDArray[np.int64]

#: Bit sets or packed bytes, whole words of 64 bits.
Words = NDArray[np.uint64]
