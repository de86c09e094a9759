"""``quiltrail list``: what there is."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from quiltrail.agents import AGENTS
from quiltrail.envs import GAMES
from quiltrail.train.config import config_names
from quiltrail.train.learners import ALGORITHMS


def list_everything() -> None:
    """Show environment ids, agents, algorithms and configs."""
    console = Console()
    table = Table("environment id", "short name", "default steps", box=None)
    for spec in GAMES:
        table.add_row(spec.id, spec.short_name, str(spec.max_episode_steps))
    console.print(table)
    for kind, names in (
        ("agents", AGENTS),
        ("algorithms", ALGORITHMS),
        ("configs", config_names()),
    ):
        console.print(f"\n{kind:<12}{', '.join(sorted(names))}")
