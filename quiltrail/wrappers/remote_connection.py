"""A connection to a server that speaks the publisher's loop."""

from __future__ import annotations

import http.client
import json
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode, urlsplit

from quiltrail.core.errors import OptionError, QuiltrailError, shown

_LARGEST_ANSWER = 2**22  # bytes


class RemoteError(QuiltrailError, ConnectionError):
    """A server that cannot be reached, or that does not speak the publisher's loop."""


class RemoteConnection:
    """One connection to a game's address; a lost one is made anew, as no call has a memory.

    Args:
        url: the game's address, without a query.
        timeout: seconds to wait for an answer.

    Raises:
        OptionError: if it is no such address.
    """

    def __init__(self, url: str, timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
            raise OptionError(
                f"a game's address is http(s)://host/api/games/slug, got {shown(url)}"
            )
        self._base = parts.path.rstrip("/")
        self.last_part = self._base.rpartition("/")[2]
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self._connection = kind(parts.hostname, parts.port, timeout=timeout)

    def get(self, what: str, query: dict[str, str]) -> dict[str, Any]:
        """Return the JSON object that a call such as "init" answers.

        Raises:
            RemoteError: if the server does not answer, refuses, or answers no JSON object.
        """
        return self._ask("GET", what, query, None)

    def post(self, what: str, body: Any, query: dict[str, str]) -> dict[str, Any]:
        """Return the JSON object that a call with a body answers; see `get`."""
        return self._ask("POST", what, query, json.dumps(body).encode())

    def close(self) -> None:
        """Close the connection; the next call opens it again."""
        self._connection.close()

    def _ask(
        self, method: str, what: str, query: dict[str, str], body: bytes | None
    ) -> dict[str, Any]:
        path = f"{self._base}/{what}" + (f"?{urlencode(query)}" if query else "")
        headers = {"accept": "application/json"}
        if body is not None:
            headers["content-type"] = "application/json"
        try:
            status, content = self._exchange(method, path, body, headers)
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise RemoteError(f"the server does not answer: {error}") from error
        return _answer_of(status, content)

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        try:
            self._connection.request(method, path, body, headers)
            response = self._connection.getresponse()
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            self._connection.close()  # an idle connection was closed; ask once more
            self._connection.request(method, path, body, headers)
            response = self._connection.getresponse()
        return response.status, response.read(_LARGEST_ANSWER)


def _answer_of(status: int, content: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(content)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise RemoteError(f"the server answers status {status} and no JSON object")
    if status != HTTPStatus.OK:
        raise RemoteError(f"the server refuses, status {status}: {answer.get('reason', answer)}")
    return answer
