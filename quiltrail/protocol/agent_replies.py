"""Reading the replies of language agents: the JSON action somewhere in a text."""

from __future__ import annotations

import json
from typing import Any

_LONGEST_REPLY = 200_000  # characters that are searched, from the end


def action_in(reply: object) -> dict[str, Any] | None:
    """Return the action in a reply, None if there is none.

    A dict is the action itself. In a text it is the last JSON object that has a "type" and lies in
    no other such object, so that an agent may think aloud before it answers.
    """
    if isinstance(reply, dict):
        return reply
    if not isinstance(reply, str):
        return None
    found, at, text = None, 0, reply[-_LONGEST_REPLY:]
    decoder = json.JSONDecoder()
    while (at := text.find("{", at)) >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        if isinstance(value, dict) and "type" in value:
            found, at = value, end
        else:
            at += 1
    return found
