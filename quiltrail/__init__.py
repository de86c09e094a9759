"""quiltrail: four tabletop games as fast, exact reinforcement-learning environments."""

from quiltrail.envs import register_envs

__version__ = "0.1.0"

__all__ = ["__version__", "register_envs"]

register_envs()
