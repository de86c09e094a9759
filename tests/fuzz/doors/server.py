"""Doors of the server: tokens, the publisher's loop, HTTP."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import numpy as np

from quiltrail.protocol.loop import Loop
from quiltrail.protocol.server import make_app
from quiltrail.protocol.tokens import TokenSealer
from quiltrail.protocol.variants import Variants
from tests.fuzz.harness import Door
from tests.fuzz.mutation import any_bytes, bytes_edited, edited, pick, text_edited, value

_GAMES = Variants().slugs
_RESTART_SHARE = 0.05


class TokenDoor(Door):
    """State tokens."""

    name = "state tokens"

    def __init__(self) -> None:
        self._sealer = TokenSealer(max_age=1_000_000)
        self._contents = [bytes([n]) * n for n in range(40)]
        self._tokens = [self._sealer.seal(content) for content in self._contents]
        self._tokens += [TokenSealer().seal(b"of another server")]

    def draw(self, rng: np.random.Generator) -> Any:
        """Return a token edited, or anything."""
        return text_edited(rng, pick(rng, self._tokens)) if rng.random() < 0.95 else value(rng)

    def feed(self, given: Any) -> bool:
        """Open it; nobody but the sealer makes a token, so what opens was not changed."""
        if self._sealer.open(given) not in self._contents:
            raise AssertionError("a token with another content was opened")
        return True


class LoopDoor(Door):
    """``action`` of the publisher's loop, with tokens and actions edited."""

    name = "publisher's loop"
    normal = 3_000

    def __init__(self) -> None:
        self._loop = Loop()
        self._answer: dict[str, Any] = {}

    def draw(self, rng: np.random.Generator) -> tuple[Any, Any]:
        """Return a token and an action; now and then of a fresh game."""
        answer = self._answer
        if not answer or answer["gameOver"] or rng.random() < _RESTART_SHARE:
            answer = self._loop.init(pick(rng, _GAMES), int(rng.integers(2**32))).to_json()
            self._answer = answer
        action = pick(rng, answer["legalActions"])
        if rng.random() < 0.5:
            action = edited(rng, action)
        token = answer["state"]
        return (text_edited(rng, token) if rng.random() < 0.3 else token), action

    def feed(self, given: tuple[Any, Any]) -> bool:
        """Play it."""
        answer = self._loop.action(*given)
        told = answer.to_json()
        if answer.ok:
            self._answer = told
        elif not told["reason"]:
            raise AssertionError("a refusal without a reason")
        return answer.ok


class HttpDoor(Door):
    """Requests to the server's application: method, path, query, headers, body."""

    name = "HTTP requests"
    normal = 1_500

    def __init__(self) -> None:
        self._app = make_app()
        self._loop = asyncio.new_event_loop()
        self._bodies = self._valid_bodies()

    def _valid_bodies(self) -> dict[str, Any]:
        bodies = {}
        for game in _GAMES:
            _, answer = self._ask("GET", f"/api/games/{game}/init", b"seed=5", b"")
            action = {"state": answer["state"], "action": answer["legalActions"][0]}
            bodies[f"/api/games/{game}/action"] = action
            bodies[f"/api/games/{game}/suggest"] = {"state": answer["state"], "agent": "random"}
        return bodies

    def draw(self, rng: np.random.Generator) -> tuple[str, str, bytes, bytes]:
        """Return method, path, query and body, each edited now and then."""
        path = pick(rng, list(self._bodies))
        body = json.dumps(self._bodies[path]).encode()
        kind = rng.random()
        if kind < 0.4:
            body = _as_json(edited(rng, self._bodies[path]))
        elif kind < 0.8:
            body = bytes_edited(rng, body)
        elif kind < 0.9:
            body = any_bytes(rng)
        method, query = "POST", b""
        if rng.random() < 0.3:
            query = bytes_edited(rng, b"seed=12&view=true&opponent=wise")
            path = f"/api/games/{pick(rng, _GAMES)}/init"
            method = pick(rng, ("GET", "GET", "PUT", "HEAD", "DELETE", "OPTIONS", "\u00e9"))
        if rng.random() < 0.1:
            path = text_edited(rng, path)
        return method, path, query, body

    def feed(self, given: tuple[str, str, bytes, bytes]) -> bool:
        """Ask; every answer is JSON (or the page), and none says that the server failed."""
        status, answer = self._ask(*given)
        if status >= 500:
            raise AssertionError(f"status {status}")
        if status >= 400 and not answer["reason"]:
            raise AssertionError("a refusal without a reason")
        return status == 200

    def _ask(self, method: str, path: str, query: bytes, body: bytes) -> tuple[int, Any]:
        told: list[dict[str, Any]] = []
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
            "path": path, "raw_path": path.encode("utf-8", "replace"), "query_string": query,
            "root_path": "", "scheme": "http", "server": ("127.0.0.1", 80), "client": None,
            "headers": [(b"content-type", b"application/json")],
        }  # fmt: skip

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            told.append(message)

        self._loop.run_until_complete(self._app(scope, receive, send))
        content = b"".join(part.get("body", b"") for part in told[1:])
        is_json = content.startswith(b"{")
        return told[0]["status"], json.loads(content) if is_json else {"reason": "no JSON"}


def _as_json(data: Any) -> bytes:
    try:
        return json.dumps(data).encode("utf-8", "surrogatepass")
    except ValueError:
        return b"{" + b"9" * 5_000


__all__ = ["HttpDoor", "LoopDoor", "TokenDoor"]
