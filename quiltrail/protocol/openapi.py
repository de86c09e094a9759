"""The OpenAPI document of the server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_OBJECT = {"type": "object"}
_TEXT = {"type": "string"}
_TRUTH = {"type": "boolean"}
_ACTIONS = {"type": "array", "items": _OBJECT}


def _closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_HEALTH = _closed(ok={"const": True}, version=_TEXT)
_REFUSAL = _closed(ok={"const": False}, reason=_TEXT, legalActions=_ACTIONS)
_POSITION = {
    "type": "object",
    "properties": {
        "ok": {"const": True},
        "state": {**_TEXT, "description": "send it back with the next action"},
        "observation": {**_TEXT, "description": "the position in words"},
        "legalActions": _ACTIONS,
        "spec": {**_OBJECT, "description": "goal, scoring, rules, actionSchema, credit"},
        "score": {"type": "integer"},
        "gameOver": _TRUTH,
        "view": {**_OBJECT, "description": "the position as JSON, with ?view=true"},
    },
    "required": ["ok", "state", "observation", "legalActions", "spec", "score", "gameOver"],
    "additionalProperties": False,
}
_GAME = _closed(
    slug=_TEXT,
    title=_TEXT,
    goal=_TEXT,
    settings={"type": "object", "additionalProperties": {"type": "array", "items": _TEXT}},
    agents={"type": "array", "items": _TEXT},
)
_STATE = {**_TEXT, "minLength": 1, "description": "the state of the last answer"}
_TURN = _closed(state=_STATE, action={"description": "a JSON action, see spec.actionSchema"})
_QUESTION = _closed(state=_STATE, agent={**_TEXT, "description": "one of the game's agents"})
_VIEW = {"name": "view", "in": "query", "schema": _TRUTH, "description": "add `view`"}
_SEED = {
    "name": "seed",
    "in": "query",
    "schema": {"type": "integer", "minimum": -(10**19), "maximum": 10**19},
    "description": "taken modulo 2**32; drawn by chance if absent",
}


def document(games: Sequence[dict[str, Any]], version: str) -> dict[str, Any]:
    """Return the document.

    Args:
        games: as ``GET /api/games`` answers them.
        version: of the package.
    """
    paths: dict[str, Any] = {
        "/health": {"get": _call("health", "Whether the server is up", _HEALTH)},
        "/api/games": {
            "get": _call("games", "The games", _closed(games={"type": "array", "items": _GAME}))
        },
    }
    for game in games:
        paths |= _paths_of(game)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "quiltrail",
            "version": version,
            "description": "Init a game, then send actions, carrying `state` forward each time.",
        },
        "paths": paths,
        "components": {"schemas": {"Position": _POSITION, "Refusal": _REFUSAL}},
    }


def _paths_of(game: dict[str, Any]) -> dict[str, Any]:
    slug, title = game["slug"], game["title"]
    settings = [
        {"name": name, "in": "query", "schema": {"type": "string", "enum": values}}
        for name, values in game["settings"].items()
    ]
    start = _call(f"{slug}-init", f"Start {title}", _ref("Position"))
    start["parameters"] = [_SEED, _VIEW, *settings]
    result = {"oneOf": [_ref("Position"), _ref("Refusal")]}
    play = _post(f"{slug}-action", f"Play an action of {title}", _TURN, result)
    play["parameters"] = [_VIEW]
    advice = _closed(ok={"const": True}, action=_OBJECT)
    ask = _post(f"{slug}-suggest", f"Ask an agent for an action of {title}", _QUESTION, advice)
    base = f"/api/games/{slug}"
    return {
        f"{base}/init": {"get": start},
        f"{base}/action": {"post": play},
        f"{base}/suggest": {"post": ask},
    }


def _call(name: str, summary: str, schema: Any, faults: tuple[int, ...] = (400,)) -> dict[str, Any]:
    responses = {"200": _response("the answer", schema)}
    responses |= {str(status): _response("refused", _ref("Refusal")) for status in faults}
    return {"operationId": name, "summary": summary, "responses": responses}


def _post(name: str, summary: str, body: Any, schema: Any) -> dict[str, Any]:
    call = _call(name, summary, schema, faults=(400, 408, 413, 415))
    call["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return call


def _response(description: str, schema: Any) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
