"""What scores are measured against: random play is 0, the best known player is 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quiltrail.agents import Agent, make_agent
from quiltrail.envs import find_game
from quiltrail.statistics import Summary
from quiltrail.train.evaluate import evaluate

#: Short name -> agent and settings of the strongest player that answers within a moment, where
#: that is not the reference.
_STRONGEST: dict[str, tuple[str, dict[str, Any]]] = {
    "patchwork": (
        "beam",
        {"width": 64, "value": "quiltrail.train.afterstate.patchwork:learned_value"},
    ),
    "tinrail": ("tinrail-search", {}),
}

_RANDOM = "random"


@dataclass(frozen=True)
class References:
    """Mean scores of random play and of a reference agent on the same seeds.

    Attributes:
        random: the score that counts as 0.
        agent: the reference agent's name, or None.
        score: the score that counts as 1, or None.
    """

    random: float
    agent: str | None = None
    score: float | None = None

    def normalised(self, score: float) -> float | None:
        """Return a score on the scale of random play 0, reference 1; None without a scale."""
        if self.score is None or self.score == self.random:
            return None
        return (score - self.random) / (self.score - self.random)

    def normalised_summary(self, summary: Summary) -> Summary | None:
        """Return a summary of scores on the same scale; None without a scale."""
        if self.score is None or self.score == self.random:
            return None
        return summary.mapped(self.random, self.score)

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {"random": self.random, "agent": self.agent, "score": self.score}


def strongest_agent(env_id: str) -> Agent:
    """Return the strongest player of a game that comes with the package, random for want of one.

    Raises:
        UnknownNameError: if there is no such id.
    """
    spec = find_game(env_id)
    name, settings = _STRONGEST.get(spec.short_name, (spec.reference or _RANDOM, {}))
    return make_agent(name, **settings)


def find_references(
    agent: str | None,
    env_id: str,
    seeds: Sequence[int],
    *,
    max_episode_steps: int | None = None,
    settings: dict[str, Any] | None = None,
) -> References:
    """Play random and the reference agent on these seeds.

    Raises:
        UnknownNameError: if there is no such agent.
        OptionError: if it does not play this game.
    """

    def mean_score(name: str) -> float:
        return evaluate(
            make_agent(name), env_id, seeds, max_episode_steps=max_episode_steps, settings=settings
        ).mean_score

    return References(mean_score(_RANDOM), agent, None if agent is None else mean_score(agent))
