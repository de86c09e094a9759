"""A real server on a free port of the loopback, and a client of the standard library."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from quiltrail.protocol.tokens import TokenSealer
from quiltrail.protocol.uvicorn_server import QuietServer, server_config


@contextmanager
def running_server(sealer: TokenSealer | None = None) -> Iterator[int]:
    """Yield the port of a server that runs in a thread of this process."""
    listening = threading.Event()
    ports: list[int] = []

    def on_start(port: int) -> None:
        ports.append(port)
        listening.set()

    server = QuietServer(server_config("127.0.0.1", 0, sealer), on_start)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert listening.wait(120)
    try:
        yield ports[0]
    finally:
        server.should_exit = True
        thread.join(30)


class Client:
    """One connection to a server on the loopback."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def get(self, path: str) -> tuple[int, Any]:
        """Return status and JSON of a GET."""
        return self.raw("GET", path)

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        """Return status and JSON of a POST with a JSON body."""
        return self.raw("POST", path, json.dumps(body).encode())

    def raw(
        self, method: str, path: str, body: bytes | None = None, kind: str = "application/json"
    ) -> tuple[int, Any]:
        """Return status and JSON of any request."""
        headers = {} if body is None else {"content-type": kind}
        self._connection.request(method, path, body, headers)
        response = self._connection.getresponse()
        content = response.read()
        try:
            return response.status, json.loads(content)
        except ValueError:
            return response.status, content

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
