"""Reading what comes over HTTP: bounded in size and time, strict in form."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from quiltrail.protocol.variants import Choices

LARGEST_BODY = 16_384  # bytes; a token and an action take less than 1,000
_BODY_PATIENCE = 10.0  # seconds for the whole body

_SEED = re.compile(r"-?[0-9]{1,20}")
_TRUTHS = {"true": True, "false": False}
_STATE_NAMES = ("state", "stateToken")


async def read_object(request: Request) -> dict[str, Any]:
    """Return the JSON object that is the body of a request.

    Raises:
        HTTPException: 408 too slow, 413 too large, 415 another type, 400 not a JSON object.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(
            415, f"the body is JSON: send content-type application/json, got {kind!r}"
        )
    body = await _read_body(request)
    try:
        value = json.loads(
            body.decode(), object_pairs_hook=_no_duplicates, parse_constant=_no_constant
        )
    except RecursionError:
        raise HTTPException(400, "the body is nested too deeply") from None
    except ValueError as error:
        raise HTTPException(400, f"the body is no JSON in UTF-8: {error}") from None
    if not isinstance(value, dict):
        raise HTTPException(400, f"the body is a JSON object, got a {type(value).__name__}")
    return value


async def _read_body(request: Request) -> bytes:
    parts, size = [], 0
    try:
        async with asyncio.timeout(_BODY_PATIENCE):
            async for part in request.stream():
                size += len(part)
                if size > LARGEST_BODY:
                    raise HTTPException(413, f"the body is at most {LARGEST_BODY} bytes")
                parts.append(part)
    except TimeoutError:
        raise HTTPException(
            408, f"the body did not come within {_BODY_PATIENCE:g} seconds"
        ) from None
    except ClientDisconnect:
        raise HTTPException(400, "the body did not come to its end") from None
    return b"".join(parts)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)  # of two values JSON readers take one or the other: take neither
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def take(body: Mapping[str, Any], other: str) -> tuple[Any, Any]:
    """Return state and one other field of a body that has exactly these two.

    The state may be called ``stateToken``, too, as in some of the published examples.

    Raises:
        HTTPException: 400 saying what is missing or too much.
    """
    named = [name for name in _STATE_NAMES if name in body]
    if len(named) != 1 or other not in body or len(body) != 2:
        got = ", ".join(sorted(body)[:5]) or "nothing"
        raise HTTPException(400, f'the body has exactly "state" and "{other}"; got {got[:80]!r}')
    return body[named[0]], body[other]


def read_query(request: Request, names: tuple[str, ...]) -> dict[str, str]:
    """Return the query of an address.

    Raises:
        HTTPException: 400 if a name is not allowed or occurs twice.
    """
    found: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name not in names or name in found:
            raise HTTPException(
                400, f"query parameters are, once each: {', '.join(names) or 'none'}"
            )
        found[name] = value
    return found


def as_truth(name: str, text: str | None) -> bool:
    """Return whether a query parameter is "true"; absent is "false".

    Raises:
        HTTPException: 400 if it is neither.
    """
    if text is None:
        return False
    if text not in _TRUTHS:
        raise HTTPException(400, f"{name} is true or false, got {text[:40]!r}")
    return _TRUTHS[text]


def as_seed_number(text: str | None) -> int | None:
    """Return the seed of a query, None if it has none.

    Raises:
        HTTPException: 400 if it is no integer of at most 20 digits.
    """
    if text is None:
        return None
    if not _SEED.fullmatch(text):
        raise HTTPException(400, f"seed is an integer of at most 20 digits, got {text[:40]!r}")
    return int(text)


def as_settings(query: Mapping[str, str], choices: Choices) -> dict[str, Any]:
    """Return the settings of a query.

    Raises:
        HTTPException: 400 if a value is not one of those offered.
    """
    settings: dict[str, Any] = {}
    for name, allowed in choices.items():
        if name in query:
            by_text = {setting_text(value): value for value in allowed}
            if query[name] not in by_text:
                allowed_text = ", ".join(by_text)
                raise HTTPException(
                    400, f"{name} is one of {allowed_text}; got {query[name][:40]!r}"
                )
            settings[name] = by_text[query[name]]
    return settings


def setting_text(value: object) -> str:
    """Return a setting's value as it is written in an address."""
    return str(value).lower()
