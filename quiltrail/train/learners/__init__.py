"""The algorithms a config may name; each is a `Learner`.

Importing this imports no torch: a class is found when a run needs it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quiltrail.train.learners.base import Learner

#: Algorithm name -> "module:class" of a `quiltrail.train.learners.base.Learner`.
ALGORITHMS = {
    "a2c": "quiltrail.train.learners.sb3:A2CLearner",
    "afterstate_td": "quiltrail.train.afterstate.learner:AfterstateLearner",
    "dqn": "quiltrail.train.learners.sb3:DQNLearner",
    "lean_maskable_ppo": "quiltrail.train.learners.sb3:LeanMaskablePPOLearner",
    "maskable_ppo": "quiltrail.train.learners.sb3:MaskablePPOLearner",
    "ppo": "quiltrail.train.learners.sb3:PPOLearner",
    "puzzle_value": "quiltrail.train.puzzle.learner:PuzzleValueLearner",
    "qr_dqn": "quiltrail.train.learners.sb3:QRDQNLearner",
    "tinrail_league": "quiltrail.train.league.learner:LeagueLearner",
}


def find_learner(algorithm: str) -> type[Learner]:
    """Return the class behind an algorithm's name, which the config has checked."""
    module, name = ALGORITHMS[algorithm].split(":")
    learner: type[Learner] = getattr(import_module(module), name)
    return learner
