"""``quiltrail serve``: the games over HTTP, and a page to play on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quiltrail.core.extras import require

_WEEK_HOURS = 168


def serve(
    host: Annotated[str, typer.Option(help="address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="port; 0 for a free one")] = 8000,
    key_file: Annotated[
        Path | None,
        typer.Option(help="keys of the state tokens, made if missing; default: a key for this run"),
    ] = None,
    max_age_hours: Annotated[
        int, typer.Option(min=0, help="state tokens older than this are refused; 0 for never")
    ] = _WEEK_HOURS,
) -> None:
    """Serve the games: JSON for agents in any language, a page for people and for watching."""
    require("serve", "starlette", "uvicorn", "httptools", "cryptography")
    from quiltrail.protocol import TokenSealer
    from quiltrail.protocol import key_file as keys_of
    from quiltrail.protocol.uvicorn_server import QuietServer, is_loopback, server_config

    keys = None if key_file is None else keys_of(key_file)
    sealer = TokenSealer(keys, max_age=max_age_hours * 3600 or None)
    typer.echo("getting the games ready; the first time this compiles for a minute")
    if not is_loopback(host):
        typer.echo(f"{host} can be reached from outside this machine, without encryption")

    def announce(listening: int) -> None:
        shown = f"[{host}]" if ":" in host else host
        typer.echo(f"quiltrail listens on http://{shown}:{listening}/ (Ctrl-C ends it)")

    QuietServer(server_config(host, port, sealer), announce).run()
