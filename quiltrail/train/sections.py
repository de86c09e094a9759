"""What all sections of a config share: kinds of numbers, a base class, a hash of their data."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

_DIGEST_LENGTH = 12

NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, strict=True)]
Seed = Annotated[int, Field(ge=0, lt=2**32, strict=True)]


def digest_of(data: object) -> str:
    """Return a hash of JSON values, 12 hex digits."""
    text = json.dumps(data, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_LENGTH]


class Section(BaseModel):
    """Data of a config file, checked once: frozen, and without other keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)
