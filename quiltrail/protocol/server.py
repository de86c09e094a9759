"""The protocol over HTTP, as an ASGI application: no state but the key that seals the tokens."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from quiltrail import __version__
from quiltrail.core.errors import QuiltrailError
from quiltrail.protocol.http_requests import (
    as_seed_number,
    as_settings,
    as_truth,
    read_object,
    read_query,
    setting_text,
    take,
)
from quiltrail.protocol.loop import Answer, Loop
from quiltrail.protocol.openapi import document
from quiltrail.protocol.players import players_of
from quiltrail.protocol.tokens import TokenError, TokenSealer
from quiltrail.protocol.variants import unknown_game

_PAGE = Path(__file__).parent / "page"

_API_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
_PAGE_HEADERS = {
    "cache-control": "no-cache",
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_PAGE_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_FRONT, _PLAIN = "index.html", "plain.js"

_Handler = Callable[[Request], Awaitable[Response]]


def make_app(sealer: TokenSealer | None = None) -> Starlette:
    """Return the ASGI application.

    Args:
        sealer: seals the state tokens; by default one with a fresh key.
    """
    loop = Loop(sealer)
    loop.warm_up()
    games = _games(loop)
    app = Starlette(
        routes=[
            Route("/health", _fixed({"ok": True, "version": __version__})),
            Route("/openapi.json", _fixed(document(games, __version__))),
            Route("/api/games", _fixed({"games": games})),
            Route("/api/games/{slug}/init", partial(_init, loop)),
            Route("/api/games/{slug}/action", partial(_action, loop), methods=["POST"]),
            Route("/api/games/{slug}/suggest", partial(_suggest, loop), methods=["POST"]),
            *_page_routes(loop.variants.slugs),
        ],
        exception_handlers={HTTPException: _on_http_error, Exception: _on_error},
    )
    app.router.redirect_slashes = False  # it fails on a query that is no UTF-8
    return app


def _games(loop: Loop) -> list[dict[str, Any]]:
    games = []
    for slug in loop.variants.slugs:
        words = loop.variants.wording(slug)
        games.append(
            {
                "slug": slug,
                "title": words.title,
                "goal": words.goal,
                "settings": {
                    name: [setting_text(value) for value in values]
                    for name, values in words.choices.items()
                },
                "agents": players_of(slug),
            }
        )
    return games


async def _init(loop: Loop, request: Request) -> Response:
    slug = _slug_of(loop, request)
    choices = loop.variants.wording(slug).choices
    query = read_query(request, ("seed", "view", *choices))
    answer = loop.init(
        slug,
        as_seed_number(query.get("seed")),
        as_settings(query, choices),
        with_view=as_truth("view", query.get("view")),
    )
    return _answered(answer)


async def _action(loop: Loop, request: Request) -> Response:
    slug = _slug_of(loop, request)
    with_view = as_truth("view", read_query(request, ("view",)).get("view"))
    state, action = take(await read_object(request), "action")
    return _answered(loop.action(state, action, game=slug, with_view=with_view))


async def _suggest(loop: Loop, request: Request) -> Response:
    slug = _slug_of(loop, request)
    read_query(request, ())
    state, agent = take(await read_object(request), "agent")
    if not isinstance(agent, str):
        raise HTTPException(400, f"agent is a name, got a {type(agent).__name__}")
    try:
        suggested = loop.suggest(state, agent, game=slug)
    except (TokenError, QuiltrailError) as error:
        raise HTTPException(400, str(error)) from None
    return _json(json.dumps({"ok": True, "action": suggested}).encode())


def _slug_of(loop: Loop, request: Request) -> str:
    slug: str = request.path_params["slug"]
    if slug not in loop.variants.slugs:
        raise HTTPException(404, str(unknown_game(slug[:40], loop.variants.slugs)))
    return slug


def _answered(answer: Answer) -> Response:
    return _json(answer.encode(), 400 if answer.token_refused else 200)


def _refused(reason: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    return _json(Answer(False, b"[]", reason=reason).encode(), status, headers)


def _json(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(
        body, status, headers={**_API_HEADERS, **(headers or {})}, media_type="application/json"
    )


def _fixed(content: Any) -> _Handler:
    body = json.dumps(content).encode()

    async def answer(request: Request) -> Response:
        read_query(request, ())
        return _json(body)

    return answer


def _page_routes(slugs: tuple[str, ...]) -> list[Route]:
    """Return the page's files; a game without a module of its own gets the plain one."""
    files = {f"/{slug}.js": _PAGE / _PLAIN for slug in slugs}
    files |= {f"/{path.name}": path for path in _PAGE.iterdir() if path.suffix in _PAGE_TYPES}
    files["/"] = _PAGE / _FRONT
    return [Route(address, _page_file(path)) for address, path in files.items()]


def _page_file(path: Path) -> _Handler:
    body = path.read_bytes()

    async def answer(_: Request) -> Response:
        return Response(body, headers=_PAGE_HEADERS, media_type=_PAGE_TYPES[path.suffix])

    return answer


async def _on_http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _refused(error.detail, error.status_code, error.headers)


async def _on_error(_: Request, __: Exception) -> Response:
    return _refused("the server has failed; its log says how", 500)
