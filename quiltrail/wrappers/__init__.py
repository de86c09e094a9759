"""Wrappers that Gymnasium, PettingZoo and SB3 lack.

Each is a `Transform`, written once for batches; `apply_transforms` puts it around a single or a
vector environment, and the SB3 VecEnv takes it as an argument.
"""

from quiltrail.wrappers.afterstate_features import AfterstateFeatures
from quiltrail.wrappers.canonical_order import CanonicalOrder
from quiltrail.wrappers.forbid_actions import ForbidActions
from quiltrail.wrappers.potential_shaping import PotentialShaping
from quiltrail.wrappers.reward_scale import RewardScale
from quiltrail.wrappers.solvable_info import SolvableInfo
from quiltrail.wrappers.step_cost import StepCost
from quiltrail.wrappers.symmetry import (
    SymmetryViews,
    augment,
    average_over_views,
    symmetry_of,
)
from quiltrail.wrappers.transform import (
    Transform,
    TransformEnv,
    TransformVectorEnv,
    apply_transforms,
)

__all__ = [
    "AfterstateFeatures",
    "CanonicalOrder",
    "ForbidActions",
    "PotentialShaping",
    "RewardScale",
    "SolvableInfo",
    "StepCost",
    "SymmetryViews",
    "Transform",
    "TransformEnv",
    "TransformVectorEnv",
    "apply_transforms",
    "augment",
    "average_over_views",
    "symmetry_of",
]
