"""What wrappers around environments share: their base classes, and the game below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium as gym

from quiltrail.core.errors import OptionError

if TYPE_CHECKING:
    VectorWrapper = gym.vector.VectorWrapper[Any, Any, Any, Any, Any]
else:
    VectorWrapper = gym.vector.VectorWrapper  # Gymnasium 1.2 has no subscripts for it


def base_of(env: Any, kind: type[Any], wrapper: str) -> Any:
    """Return the environment of a game, at the bottom of all wrappers.

    Args:
        env: any wrapper, or the environment itself.
        kind: what it has to be: `GameEnv` or `GameVectorEnv`.
        wrapper: who asks, for the error.

    Raises:
        OptionError: if it is not of this kind.
    """
    base = getattr(env, "unwrapped", env)
    if not isinstance(base, kind):
        raise OptionError(f"{wrapper} goes around a {kind.__name__}, got {type(base).__name__}")
    return base
