"""PettingZoo's checks around an AEC environment, without their cost.

PettingZoo's wrappers find every attribute of the layers below by failing first, and so spend more
time than the game. These are the same wrappers with the same checks; they only know where to look.
"""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    BaseWrapper,
    OrderEnforcingWrapper,
)


def _passed_on(name: str) -> property:
    def read(wrapper: Any) -> Any:
        if not wrapper._has_reset:
            raise AttributeError(name)  # Python then asks __getattr__, which says what is missing
        return getattr(wrapper.env, name)

    return property(read, doc=f"The ``{name}`` of the environment inside, from the first reset on.")


class _Quick(BaseWrapper):  # type: ignore[misc]  # PettingZoo is untyped
    """A wrapper that looks for what every step needs in the environment inside, and at once."""

    _has_reset = True  # a wrapper that enforces the order has its own

    agents = _passed_on("agents")
    agent_selection = _passed_on("agent_selection")
    rewards = _passed_on("rewards")
    terminations = _passed_on("terminations")
    truncations = _passed_on("truncations")
    infos = _passed_on("infos")

    @property
    def _cumulative_rewards(self) -> Any:
        return self.env._cumulative_rewards

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return what the agent to act sees, and what it got since it last acted."""
        if not self._has_reset:
            return super().last(observe)  # type: ignore[no-any-return]  # it says what is missing
        seen: tuple[Any, float, bool, bool, dict[str, Any]] = self.env.last(observe)
        return seen


class OutOfBounds(_Quick, AssertOutOfBoundsWrapper):  # type: ignore[misc]  # PettingZoo is untyped
    """Assert that actions lie in their space."""


class OrderEnforcing(_Quick, OrderEnforcingWrapper):  # type: ignore[misc]  # likewise
    """Refuse what comes before the first reset; warn of steps after the end."""

    def __str__(self) -> str:
        return str(self.env)
