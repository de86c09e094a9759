"""Players that do not learn: random-legal, exact solvers, scripted and search players."""

from __future__ import annotations

from typing import Any

from quiltrail.agents.base import Agent
from quiltrail.agents.random_legal import RandomLegal
from quiltrail.core.arguments import build
from quiltrail.core.errors import unknown_name
from quiltrail.core.extras import object_at

#: Agent name -> "module:class". A class says itself which games it plays.
AGENTS = {
    "beam": "quiltrail.agents.patchwork:PatchworkBeam",
    "expectimax": "quiltrail.agents.patchwork_expectimax:PatchworkExpectimax",
    "greedy": "quiltrail.agents.patchwork:PatchworkGreedy",
    "patchrook-explorer": "quiltrail.agents.patchrook_explorer:PatchrookExplorer",
    "patchrook-lift-when-stuck": "quiltrail.agents.patchrook:LiftWhenStuck",
    "patchrook-restart-when-stuck": "quiltrail.agents.patchrook:RestartWhenStuck",
    "patchrook-solver": "quiltrail.agents.patchrook:PatchrookSolver",
    "random": "quiltrail.agents.random_legal:RandomLegal",
    "sunpleat-beam": "quiltrail.agents.sunpleat_learned:SunpleatBeam",
    "sunpleat-greedy": "quiltrail.agents.sunpleat_learned:SunpleatGreedy",
    "sunpleat-solver": "quiltrail.agents.sunpleat:SunpleatSolver",
    "tinrail-easy": "quiltrail.agents.tinrail:EasyBot",
    "tinrail-learned": "quiltrail.agents.tinrail_learned:TinrailLearned",
    "tinrail-monte-carlo": "quiltrail.agents.tinrail_monte_carlo:MonteCarlo",
    "tinrail-search": "quiltrail.agents.tinrail_search:TinrailSearch",
    "tinrail-wise": "quiltrail.agents.tinrail:WiseBot",
}


def make_agent(name: str, **settings: Any) -> Agent:
    """Return a player by name.

    Raises:
        UnknownNameError: if there is none of that name; it lists the names.
        OptionError: if it does not take these settings.
    """
    if name not in AGENTS:
        raise unknown_name("agent", name, AGENTS)
    agent: Agent = build(f"the agent {name}", object_at(AGENTS[name]), **settings)
    return agent


__all__ = ["AGENTS", "Agent", "RandomLegal", "make_agent"]
