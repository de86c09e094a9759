"""What all sections of a config share: they are frozen and know no other keys."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, strict=True)]
Seed = Annotated[int, Field(ge=0, lt=2**32, strict=True)]


class Section(BaseModel):
    """Data of a config file, checked once."""

    model_config = ConfigDict(extra="forbid", frozen=True)
