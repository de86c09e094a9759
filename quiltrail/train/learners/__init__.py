"""The algorithms a config may name; this module imports none of them, and no torch."""

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
