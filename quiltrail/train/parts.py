"""The parts a config may name: transforms, potentials, starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from quiltrail.core.arguments import build
from quiltrail.core.engine import Engine, Rows
from quiltrail.core.errors import ConfigError, shown, unknown_name_text
from quiltrail.core.extras import object_at
from quiltrail.train.config import ExperimentConfig, StartsSection, TransformSection
from quiltrail.train.vec_env import StartSampler
from quiltrail.wrappers import Transform
from quiltrail.wrappers.curriculum import Curriculum

#: Transform name -> "module:class".
TRANSFORMS = {
    "afterstate_features": "quiltrail.wrappers:AfterstateFeatures",
    "canonical_order": "quiltrail.wrappers:CanonicalOrder",
    "forbid_actions": "quiltrail.wrappers:ForbidActions",
    "potential_shaping": "quiltrail.wrappers:PotentialShaping",
    "reward_scale": "quiltrail.wrappers:RewardScale",
    "step_cost": "quiltrail.wrappers:StepCost",
    "symmetry_views": "quiltrail.wrappers:SymmetryViews",
}

#: Potential name -> "module:function" of an engine; all of these know exact solutions.
POTENTIALS = {
    "patchrook_actions_left": "quiltrail.envs.patchrook.solver:potential",
    "sunpleat_progress": "quiltrail.envs.sunpleat.par:progress",
}

#: Policy name -> "module:class"; any other name is SB3's own.
POLICIES = {
    "afterstate_scorer": "quiltrail.train.policies.scorer:ScorerPolicy",
    "patchrook_planes": "quiltrail.train.policies.planes:PlanePolicy",
}

SB3_POLICIES = ("MultiInputPolicy", "MlpPolicy")  # the second where a transform flattens

CURRICULUM = "curriculum"  # starts of growing difficulty, which remember how episodes went

_DEFAULT_GAMMA = 0.99  # of every algorithm of SB3

#: Starts name -> "module:function" that returns lists of records, one list a group.
STARTS = {"sunpleat_winnable": "quiltrail.envs.sunpleat.positions:winnable_positions"}


def find_part(kind: str, name: str, table: Mapping[str, str]) -> Any:
    """Return the object that a table names.

    Raises:
        ConfigError: if the name is not in it; it lists the names.
    """
    if name not in table:
        raise ConfigError(unknown_name_text(kind, name, table))
    return object_at(table[name])


def find_policy(name: str) -> Any:
    """Return what an SB3 algorithm takes for a policy: one of our classes, or SB3's own name.

    Raises:
        ConfigError: if it is neither.
    """
    if name in SB3_POLICIES:
        return name
    if name not in POLICIES:
        raise ConfigError(unknown_name_text("policy", name, (*SB3_POLICIES, *POLICIES)))
    return find_part("policy", name, POLICIES)


def discount(config: ExperimentConfig) -> float:
    """Return the learner's gamma."""
    return float(config.training.hyperparameters.get("gamma", _DEFAULT_GAMMA))


def make_transforms(config: ExperimentConfig) -> list[Transform]:
    """Return the transforms of a config; shaping takes the learner's discount or its own.

    Raises:
        ConfigError: if one is unknown.
        OptionError: if one does not take its arguments.
    """
    gamma = discount(config)
    return [_make_transform(section, gamma) for section in config.training.transforms]


def _make_transform(section: TransformSection, gamma: float) -> Transform:
    constructor = find_part("transform", section.name, TRANSFORMS)
    args = dict(section.args)
    positional: list[Any] = args.pop("types", []) if section.name == "forbid_actions" else []
    if section.name == "potential_shaping":
        name = args.pop("potential", None)
        args = {"gamma": gamma, "uses_solver": True, **args}
        args["potential"] = find_part("potential", name, POTENTIALS)
    transform: Transform = build(f"transform {section.name}", constructor, *positional, **args)
    return transform


def make_starts(section: StartsSection | None) -> StartSampler | None:
    """Return the sampler of training starts, None for the game's own.

    Raises:
        ConfigError: if it is unknown.
        OptionError: if it does not take its arguments.
    """
    if section is None:
        return None
    if section.name == CURRICULUM:
        return build(f"starts {section.name}", Curriculum, **section.args)
    groups = find_part("starts", section.name, STARTS | {CURRICULUM: ""})()
    return build(f"starts {section.name}", PooledStarts, groups, **section.args)


class PooledStarts:
    """Draws training starts from groups of positions.

    Args:
        groups: lists of records; the first of each is the group's usual start.
        usual_share: share of episodes that begin at the usual start of their group, 0 to 1.
        size_power: a group is drawn with weight ``len(group) ** size_power``.

    Raises:
        ConfigError: if a number is out of range.
    """

    def __init__(
        self, groups: list[list[Any]], usual_share: float = 0.0, size_power: float = 0.0
    ) -> None:
        if not 0 <= usual_share <= 1:
            raise ConfigError(f"usual_share is a number from 0 to 1, got {shown(usual_share)}")
        if not 0 <= size_power <= 1:
            raise ConfigError(f"size_power is a number from 0 to 1, got {shown(size_power)}")
        self._groups = groups
        self._usual_share = usual_share
        weights = np.array([float(len(group)) ** size_power for group in groups])
        self._cumulative = np.cumsum(weights / weights.sum())

    def __call__(self, engine: Engine, rows: Rows, rng: np.random.Generator) -> dict[str, Any]:
        """Return the option ``state`` with a record for each of the rows."""
        records: list[Any] = [None] * engine.num_games
        draws = rng.random((len(rows), 3))
        for row, (which, usual, place) in zip(rows.tolist(), draws.tolist(), strict=True):
            group = self._groups[int(np.searchsorted(self._cumulative, which))]
            at = 0 if usual < self._usual_share else int(place * len(group))
            records[row] = group[at]
        return {"state": records}
