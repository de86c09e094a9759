"""Ray Tune's schedulers and searches, made from the section ``sweep`` of a config."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np
from ray import tune
from ray.tune.schedulers import (
    ASHAScheduler,
    FIFOScheduler,
    PopulationBasedTraining,
    TrialScheduler,
)
from ray.tune.search import ConcurrencyLimiter
from ray.tune.search.optuna import OptunaSearch

from quiltrail.core.extras import require
from quiltrail.train.cluster.trial import (
    CHANGED,
    COMMAND,
    CONFIG,
    JUDGED,
    METRIC,
    NAME,
    STEPS,
    SUGGESTED,
    TRIAL,
)
from quiltrail.train.config import configure
from quiltrail.train.sweep import Sweep
from quiltrail.train.tuning import OptunaSection, PbtSection, Range, SweepSection

_BETTER = "max"


def make_scheduler(section: SweepSection, total_steps: int) -> TrialScheduler:
    """Return who decides after each evaluation whether a trial goes on.

    Args:
        section: of the sweep.
        total_steps: of its longest trial.
    """
    if section.asha is not None:
        return ASHAScheduler(
            time_attr=STEPS,
            metric=METRIC,
            mode=_BETTER,
            max_t=max(total_steps, section.asha.grace_steps),
            grace_period=section.asha.grace_steps,
            reduction_factor=section.asha.reduction_factor,
        )
    if section.pbt is not None:
        return _population(section.pbt)
    return FIFOScheduler()


def make_search(section: SweepSection, jobs: int | None) -> ConcurrencyLimiter | None:
    """Return who suggests settings, None where they are listed.

    Args:
        section: of the sweep.
        jobs: trials at a time at most; None for as many as the section says.

    Raises:
        MissingExtraError: if Optuna is not installed.
    """
    if section.optuna is None:
        return None
    require("sweep", "optuna")
    search = OptunaSearch(metric=METRIC, mode=_BETTER, seed=section.optuna.seed)
    at_once = section.optuna.at_once
    return ConcurrencyLimiter(search, max_concurrent=min(at_once, jobs or at_once))


def param_space(sweep: Sweep, command: list[str]) -> dict[str, Any]:
    """Return what Tune makes the dictionaries of trials from."""
    tuning = sweep.tuning
    space: dict[str, Any] = {COMMAND: command, JUDGED: bool(tuning.asha or tuning.pbt)}
    if tuning.optuna is not None:
        plain = configure(sweep.base, {"training.seed": sweep.seeds[0], "sweep": None})
        given = {NAME: None, CONFIG: plain.model_dump(mode="json")}
        return {**space, TRIAL: given, SUGGESTED: _domains(tuning.optuna)}
    listed = [
        {NAME: trial.name, CONFIG: trial.config.model_dump(mode="json")}
        for trial in sweep.waiting()
    ]
    if tuning.pbt is not None:
        space[CHANGED] = _domains(tuning.pbt)
    return {**space, TRIAL: tune.grid_search(listed)}


def _population(section: PbtSection) -> PopulationBasedTraining:
    random.seed(section.seed)
    np.random.seed(section.seed)  # noqa: NPY002  (Tune draws from the global generator)
    return PopulationBasedTraining(
        time_attr=STEPS,
        metric=METRIC,
        mode=_BETTER,
        perturbation_interval=section.every_steps,
        hyperparam_mutations={CHANGED: _domains(section)},
        quantile_fraction=section.quantile,
        resample_probability=section.resample,
        custom_explore_fn=_Clip(dict(section.space)),
    )


class _Clip:
    """Puts changed values back into their ranges, which Tune multiplies them out of."""

    def __init__(self, space: Mapping[str, Range | list[Any]]) -> None:
        self._space = space

    def __call__(self, given: dict[str, Any]) -> dict[str, Any]:
        changed = {}
        for key, values in self._space.items():
            value = given[CHANGED][key]
            changed[key] = values.clipped(value) if isinstance(values, Range) else value
        return {**given, CHANGED: changed}


def _domains(section: OptunaSection | PbtSection) -> dict[str, Any]:
    return {key: _domain(values) for key, values in section.space.items()}


def _domain(values: Range | list[Any]) -> Any:
    if isinstance(values, list):
        return tune.choice(values)
    low, high = values.low, values.high
    if values.is_whole:  # Tune's upper end is not included
        return tune.lograndint(low, high + 1) if values.log else tune.randint(low, high + 1)
    return tune.loguniform(low, high) if values.log else tune.uniform(low, high)
