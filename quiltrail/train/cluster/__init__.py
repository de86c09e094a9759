"""Sweeps on a Ray cluster; needs ``pip install 'quiltrail[sweep]'``."""
