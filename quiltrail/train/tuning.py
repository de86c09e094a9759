"""The section ``sweep`` of a config: who is stopped early, who is changed, what is searched.

It knows no Ray; `quiltrail.train.cluster.search` makes Ray Tune's objects of it.
"""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from quiltrail.train.sections import Count, Section, Seed

#: What population based training may change: it goes on from the same weights and games.
_CHANGEABLE = (
    "training.learning_rate.",
    "training.entropy.",
    "training.exploration.",
    "training.hyperparameters.",
)

Number = Annotated[int, Field(strict=True)] | Annotated[float, Field(allow_inf_nan=False)]


class Range(Section):
    """Numbers from ``low`` to ``high``, both included; whole ones where both are written so."""

    low: Number
    high: Number
    log: bool = False  # evenly on a logarithmic scale

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        if not self.low < self.high:
            raise ValueError(f"low has to lie below high, got {self.low} and {self.high}")
        if self.log and self.low <= 0:
            raise ValueError(f"a logarithmic range needs a low above 0, got {self.low}")
        return self

    @property
    def is_whole(self) -> bool:
        """Whether it holds whole numbers only."""
        return isinstance(self.low, int) and isinstance(self.high, int)

    def clipped(self, value: float) -> float:
        """Return the number of the range that is nearest."""
        nearest = min(max(value, self.low), self.high)
        return round(nearest) if self.is_whole else nearest


#: Values by dotted key of the config: a range, or a list to choose from.
Space = Annotated[dict[str, Range | Annotated[list[Any], Field(min_length=1)]], Field(min_length=1)]


class AshaSection(Section):
    """Stop trials early that are worse than most others after as many steps.

    Source: Li et al., "A system for massively parallel hyperparameter tuning", MLSys 2020.
    """

    grace_steps: Count  # nobody is stopped before
    reduction_factor: Annotated[float, Field(gt=1)] = 4.0  # one in so many goes on at each rung


class PbtSection(Section):
    """The worst members of a population go on from the best ones, with changed settings.

    Source: Jaderberg et al., "Population based training of neural networks", 2017.
    """

    every_steps: Count
    space: Space
    quantile: Annotated[float, Field(gt=0, le=0.5)] = 0.25  # worst and best share
    resample: Annotated[float, Field(ge=0, le=1)] = 0.25  # how often a value is drawn anew
    seed: Seed = 0  # of the first draws; which member meets which is a matter of time

    @model_validator(mode="after")
    def _check_keys(self) -> Self:
        for key in self.space:
            if not key.startswith(_CHANGEABLE):
                allowed = ", ".join(f"{one}*" for one in _CHANGEABLE)
                raise ValueError(f"{key} cannot change while a run learns; allowed: {allowed}")
        return self


class OptunaSection(Section):
    """Trials whose settings Optuna's TPE sampler suggests from what the others reached."""

    trials: Count
    space: Space
    at_once: Count = 4  # suggestions that are tried at a time; more know less of each other
    seed: Seed = 0


class SweepSection(Section):
    """How a sweep on Ray goes about its trials; without one, each runs to its end."""

    max_failures: Annotated[int, Field(ge=0, strict=True)] = 3  # of a trial, before it is given up
    asha: AshaSection | None = None
    pbt: PbtSection | None = None
    optuna: OptunaSection | None = None

    @model_validator(mode="after")
    def _check_pairs(self) -> Self:
        if self.pbt and (self.asha or self.optuna):
            raise ValueError("pbt goes with neither asha nor optuna: it changes settings itself")
        return self

    @property
    def needs_ray(self) -> bool:
        """Whether more is asked than running all trials to their end."""
        return bool(self.asha or self.pbt or self.optuna)
