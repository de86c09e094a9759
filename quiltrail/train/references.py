"""What scores are measured against: random play is 0, the best known player is 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quiltrail.agents import Agent, make_agent
from quiltrail.core.errors import OptionError
from quiltrail.envs import find_game
from quiltrail.train.evaluate import evaluate

#: Engine name -> the agent that counts as 1: exact optimum, or the best that is quick to play.
REFERENCE_AGENTS = {
    "patchrook": "patchrook-solver",
    "patchrook-levels": "patchrook-solver",
    "patchwork": "greedy",
    "sunpleat": "sunpleat-solver",
    "sunpleat-levels": "sunpleat-solver",
    "tinrail": "tinrail-wise",
}

#: Engine name -> agent and settings of the strongest player that comes with the package, of those
#: that answer within a moment.
STRONGEST_AGENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "patchrook": ("patchrook-solver", {}),
    "patchrook-levels": ("patchrook-solver", {}),
    "patchwork": (
        "beam",
        {"width": 64, "value": "quiltrail.train.afterstate.patchwork:learned_value"},
    ),
    "sunpleat": ("sunpleat-solver", {}),
    "sunpleat-levels": ("sunpleat-solver", {}),
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

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {"random": self.random, "agent": self.agent, "score": self.score}


def default_reference(env_id: str, settings: dict[str, Any] | None = None) -> str | None:
    """Return the reference agent that can play an environment, None where there is none."""
    engine = find_game(env_id).make_engine(1, **(settings or {}))
    name = REFERENCE_AGENTS.get(engine.game)
    if name is None:
        return None
    try:
        make_agent(name).check_game(engine)
    except OptionError:
        return None
    return name


def strongest_agent(env_id: str, settings: dict[str, Any] | None = None) -> Agent:
    """Return the strongest player of an environment that comes with the package.

    Raises:
        OptionError: if there is none for these settings of the game.
    """
    engine = find_game(env_id).make_engine(1, **(settings or {}))
    if engine.game not in STRONGEST_AGENTS:
        raise OptionError(f"no player of {engine.game} comes with the package; name one")
    name, arguments = STRONGEST_AGENTS[engine.game]
    agent = make_agent(name, **arguments)
    agent.check_game(engine)
    return agent


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
