"""A recorded game as one HTML page that needs nothing else: SVG positions and a slider."""

from __future__ import annotations

import html
import json
from importlib.resources import files

from quiltrail.core.record import GameRecord
from quiltrail.envs.rendering import paint_on
from quiltrail.play.session import frames
from quiltrail.render import SvgCanvas, theme_named
from quiltrail.render.themes import css


def replay_page(record: GameRecord, theme: str = "light") -> str:
    """Return the page of a record.

    Raises:
        RecordError: if the record does not fit a game.
        OptionError: if there is no such theme.
    """
    first = SvgCanvas(theme_named(theme))
    positions, captions, scores = [], [], []
    for engine, caption in frames(record):
        canvas = first.next_page()
        paint_on(canvas, engine, 0)
        positions.append(canvas.content())
        captions.append(caption)
        scores.append(int(engine.score[0]))
    parts = {
        "title": html.escape(f"{record.game}, seed {record.seed}"),
        "definitions": first.definitions(),
        "first": positions[0],
        "last": str(len(positions) - 1),
        "caption": html.escape(captions[0]),
        "data": _script_json({"positions": positions, "captions": captions, "scores": scores}),
        "page": css(first.theme.page),
        "panel": css(first.theme.panel),
        "ink": css(first.theme.ink),
        "accent": css(first.theme.accent),
        "scheme": theme,
    }
    page = files("quiltrail.play").joinpath("replay.html").read_text(encoding="utf-8")
    for name, text in parts.items():
        page = page.replace(f"@{name}@", text)
    return page


def _script_json(value: object) -> str:
    """Return JSON that cannot end the script element it lies in."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
