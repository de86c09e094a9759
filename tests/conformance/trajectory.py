"""Print a hash of everything some seeded play of every id says; run as a program."""

from __future__ import annotations

import json

import gymnasium as gym

from quiltrail.envs import GAMES
from quiltrail.testing import trajectory_digest


def digests() -> dict[str, str]:
    """Return the digest of every id."""
    return {spec.id: trajectory_digest(gym.make(f"quiltrail:{spec.id}")) for spec in GAMES}


if __name__ == "__main__":
    print(json.dumps(digests()))
