"""Training, evaluation and statistics, for the most part on top of Stable-Baselines3.

`config` reads an experiment, `run` trains and evaluates it, `folder` and `report` hold what came of
it, `models` loads its player again; `sweep` and `compare` are about many runs. `learners` has the
table of algorithms and those of SB3; `afterstate`, `league` and `puzzle` hold one of our own each.
"""
