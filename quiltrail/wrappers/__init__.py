"""Wrappers that Gymnasium, PettingZoo and SB3 lack.

Each is a `Transform`, written once for batches; `apply_transforms` puts it around a single or a
vector environment, and the SB3 VecEnv takes it as an argument. `JsonActions` and `JsonGame` speak
the publisher's JSON. docs/wrappers.md lists them all.
"""

from quiltrail.wrappers.afterstate_features import AfterstateFeatures
from quiltrail.wrappers.canonical_order import CanonicalOrder
from quiltrail.wrappers.curriculum import Curriculum
from quiltrail.wrappers.curriculum_envs import CurriculumEnv, CurriculumVectorEnv
from quiltrail.wrappers.flat_observation import FlatObservation, split_flat
from quiltrail.wrappers.forbid_actions import ForbidActions
from quiltrail.wrappers.json_actions import JsonActions, JsonActionsEnv, JsonActionsVectorEnv
from quiltrail.wrappers.json_game import JsonGame
from quiltrail.wrappers.mask_observation import MaskObservation
from quiltrail.wrappers.plane_observation import PlaneObservation
from quiltrail.wrappers.potential_shaping import PotentialShaping
from quiltrail.wrappers.refusal_policy import RefusalPolicy
from quiltrail.wrappers.remote_connection import RemoteError
from quiltrail.wrappers.remote_game import RemoteGame
from quiltrail.wrappers.reward_scale import RewardScale
from quiltrail.wrappers.solvable_info import SolvableInfo
from quiltrail.wrappers.step_cost import StepCost
from quiltrail.wrappers.symmetry import (
    SymmetryViews,
    augment,
    average_over_views,
    symmetry_of,
)
from quiltrail.wrappers.text_observation import TextObservation
from quiltrail.wrappers.transform import Transform
from quiltrail.wrappers.transform_envs import (
    TransformEnv,
    TransformVectorEnv,
    apply_transforms,
)

__all__ = [
    "AfterstateFeatures",
    "CanonicalOrder",
    "Curriculum",
    "CurriculumEnv",
    "CurriculumVectorEnv",
    "FlatObservation",
    "ForbidActions",
    "JsonActions",
    "JsonActionsEnv",
    "JsonActionsVectorEnv",
    "JsonGame",
    "MaskObservation",
    "PlaneObservation",
    "PotentialShaping",
    "RefusalPolicy",
    "RemoteError",
    "RemoteGame",
    "RewardScale",
    "SolvableInfo",
    "StepCost",
    "SymmetryViews",
    "TextObservation",
    "Transform",
    "TransformEnv",
    "TransformVectorEnv",
    "apply_transforms",
    "augment",
    "average_over_views",
    "split_flat",
    "symmetry_of",
]
