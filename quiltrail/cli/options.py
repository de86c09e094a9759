"""Arguments and options that several commands have in common."""

from __future__ import annotations

from typing import Annotated

import typer

ConfigName = Annotated[str | None, typer.Argument(help="a shipped config, a game, or a YAML file")]
GameName = Annotated[str, typer.Argument(help="environment id or short name")]
GameSettings = Annotated[
    list[str] | None, typer.Option("--set", help="game setting key=value, may be repeated")
]
AgentSettings = Annotated[
    list[str] | None, typer.Option("--agent-set", help="agent setting key=value")
]
ThemeName = Annotated[str, typer.Option(help="light or dark")]
