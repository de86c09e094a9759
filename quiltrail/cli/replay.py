"""``quiltrail replay``: a recorded game as text, or as one page with a slider."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quiltrail.core.record import GameRecord
from quiltrail.envs.rendering import ansi
from quiltrail.play.replay_page import replay_page
from quiltrail.play.session import frames


def replay(
    file: Annotated[Path, typer.Argument(help="a record: JSON with seed, settings and actions")],
    html: Annotated[Path | None, typer.Option(help="write one page that works offline")] = None,
    theme: Annotated[str, typer.Option(help="of the page: light or dark")] = "light",
) -> None:
    """Show a recorded game, position by position."""
    record = GameRecord.load(file)
    if html is None:
        for number, (engine, caption) in enumerate(frames(record)):
            typer.echo(f"[{number}] {caption}\n{ansi(engine, 0)}")
        return
    page = replay_page(record, theme)
    html.write_text(page, encoding="utf-8")
    size = len(page.encode()) / 1024
    typer.echo(f"{len(record.actions)} actions, {size:,.0f} KiB: {html}")
