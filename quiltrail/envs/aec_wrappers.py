"""PettingZoo's checks around an AEC environment, without their cost.

PettingZoo's wrappers find every attribute of the layers below by failing first, and so spend more
time than the game. These are the same wrappers with the same checks; they only know where to look.
"""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper


def _passed_on(name: str) -> property:
    def read(wrapper: Any) -> Any:
        return getattr(wrapper.env, name)

    return property(read, doc=f"The ``{name}`` of the environment inside.")


def _passed_on_after_reset(name: str) -> property:
    def read(wrapper: Any) -> Any:
        if not wrapper._has_reset:
            raise AttributeError(name)  # Python then asks __getattr__, which says what is missing
        return getattr(wrapper.env, name)

    return property(read, doc=f"The ``{name}`` of the environment inside, from the first reset on.")


class OutOfBounds(AssertOutOfBoundsWrapper):  # type: ignore[misc]  # PettingZoo is untyped
    """Assert that actions lie in their space."""

    agents = _passed_on("agents")
    agent_selection = _passed_on("agent_selection")
    rewards = _passed_on("rewards")
    terminations = _passed_on("terminations")
    truncations = _passed_on("truncations")
    infos = _passed_on("infos")
    _cumulative_rewards = _passed_on("_cumulative_rewards")

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return what the agent to act sees, and what it got since it last acted."""
        seen: tuple[Any, float, bool, bool, dict[str, Any]] = self.env.last(observe)
        return seen


class OrderEnforcing(OrderEnforcingWrapper):  # type: ignore[misc]  # PettingZoo is untyped
    """Refuse what comes before the first reset; warn of steps after the end."""

    agents = _passed_on_after_reset("agents")
    agent_selection = _passed_on_after_reset("agent_selection")
    rewards = _passed_on_after_reset("rewards")
    terminations = _passed_on_after_reset("terminations")
    truncations = _passed_on_after_reset("truncations")
    infos = _passed_on_after_reset("infos")
    _cumulative_rewards = _passed_on("_cumulative_rewards")

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return what the agent to act sees, and what it got since it last acted."""
        if not self._has_reset:
            return super().last(observe)  # type: ignore[no-any-return]  # it says what is missing
        seen: tuple[Any, float, bool, bool, dict[str, Any]] = self.env.last(observe)
        return seen

    def __str__(self) -> str:
        return str(self.env)
