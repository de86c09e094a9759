"""What every run does with an action: judge its shape, then the rules, then play it."""

from typing import Any

from tests.reference.grammar import Grammar, fault_of_shape


class Run:
    """A run that its game's rules take further: `_rule_refusal` and `_apply`."""

    grammar: Grammar
    phase: str
    turn: int

    @property
    def ended(self) -> bool:
        """Tell whether the run is over."""
        return self.phase == "ended"

    def play(self, action: object) -> str:
        """Apply ``action`` and return "accepted", or change nothing and return the refusal."""
        refusal = fault_of_shape(action, self.grammar)
        if refusal is not None:
            return refusal
        assert isinstance(action, dict)
        refusal = self._rule_refusal(action)
        if refusal is not None:
            return refusal
        self._apply(action)
        self.turn += 1
        return "accepted"

    def _rule_refusal(self, action: dict[str, Any]) -> str | None:
        """Return why a well-shaped action is refused now, or None."""
        raise NotImplementedError

    def _apply(self, action: dict[str, Any]) -> None:
        """Do what a legal action does."""
        raise NotImplementedError
