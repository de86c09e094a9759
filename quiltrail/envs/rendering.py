"""Rendering: find the game's drawing module only when a picture is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError

METADATA: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}


def check_render_mode(render_mode: str | None) -> str | None:
    """Return a render mode.

    Raises:
        OptionError: if it is neither None nor one of the declared modes.
    """
    if render_mode is not None and render_mode not in METADATA["render_modes"]:
        allowed = ", ".join(METADATA["render_modes"])
        raise OptionError(f"render_mode is None or one of {allowed}; got {render_mode!r}")
    return render_mode


def render(engine: Engine, row: int, render_mode: str | None) -> Any:
    """Return one row drawn in a mode: text for "ansi"; None without a mode."""
    if render_mode is None:
        return None
    return getattr(import_module(engine.drawing), render_mode)(engine, row)
