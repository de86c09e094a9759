"""``quiltrail schema``: the JSON schema of configs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from quiltrail.train.config import json_schema
from quiltrail.train.files import write_text


def print_schema(
    out: Annotated[Path | None, typer.Option(help="write it to this file")] = None,
) -> None:
    """Print the JSON schema of configs, for editors and other programs."""
    text = json.dumps(json_schema(), indent=2) + "\n"
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_text(out, text)
