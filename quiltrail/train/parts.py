"""The parts a config may name: transforms, potentials, policies, starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quiltrail.core.arguments import build
from quiltrail.core.errors import ConfigError, unknown_name_text
from quiltrail.core.extras import object_at
from quiltrail.train.config import ExperimentConfig, StartsSection, TransformSection
from quiltrail.train.vec_env import StartSampler
from quiltrail.wrappers import Transform

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

_SB3_POLICIES = ("MultiInputPolicy", "MlpPolicy")  # the second where a transform flattens

CURRICULUM = "curriculum"  # starts of growing difficulty, which remember how episodes went

#: Starts name -> "module:callable" that makes a `StartSampler`.
STARTS = {
    CURRICULUM: "quiltrail.wrappers.curriculum:Curriculum",
    "sunpleat_winnable": "quiltrail.train.starts:sunpleat_winnable",
}

_DEFAULT_GAMMA = 0.99  # of every algorithm of SB3


def _find_part(kind: str, name: str, table: Mapping[str, str]) -> Any:
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
    if name in _SB3_POLICIES:
        return name
    if name not in POLICIES:
        raise ConfigError(unknown_name_text("policy", name, (*_SB3_POLICIES, *POLICIES)))
    return _find_part("policy", name, POLICIES)


def _discount(config: ExperimentConfig) -> float:
    """Return the learner's gamma."""
    return float(config.training.hyperparameters.get("gamma", _DEFAULT_GAMMA))


def make_transforms(config: ExperimentConfig) -> list[Transform]:
    """Return the transforms of a config; shaping takes the learner's discount or its own.

    Raises:
        ConfigError: if one is unknown.
        OptionError: if one does not take its arguments.
    """
    gamma = _discount(config)
    return [_make_transform(section, gamma) for section in config.training.transforms]


def _make_transform(section: TransformSection, gamma: float) -> Transform:
    constructor = _find_part("transform", section.name, TRANSFORMS)
    args = dict(section.args)
    positional: list[Any] = args.pop("types", []) if section.name == "forbid_actions" else []
    if section.name == "potential_shaping":
        name = args.pop("potential", None)
        args = {"gamma": gamma, "uses_solver": True, **args}
        args["potential"] = _find_part("potential", name, POTENTIALS)
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
    constructor = _find_part("starts", section.name, STARTS)
    starts: StartSampler = build(f"starts {section.name}", constructor, **section.args)
    return starts
