"""Running the server: loopback by default, patient to a limit, so many connections and no more."""

from __future__ import annotations

import asyncio
import logging
from ipaddress import ip_address
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from quiltrail.core.errors import OptionError
from quiltrail.protocol.server import make_app
from quiltrail.protocol.tokens import TokenSealer

HEAD_PATIENCE = 10.0  # seconds from a request's first byte, or a connection's start, to its head
_KEEP_ALIVE = 15  # seconds an idle connection stays open
MOST_CONNECTIONS = 256
_LAST_WORDS = 5  # seconds that running requests have when the server stops
_LARGEST_PORT = 65_535


class _PatientProtocol(HttpToolsProtocol):
    """Close connections whose request head does not come in time; uvicorn waits for ever."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first request."""
        super().connection_made(transport)
        self._arm()

    def data_received(self, data: bytes) -> None:
        """Take part of a request, and wait on while its head is not complete."""
        super().data_received(data)
        # There is no request yet, or the last one is answered and uvicorn no longer counts the
        # connection as idle: these are bytes of a head that is not complete.
        if self.cycle is None or (
            self.cycle.response_complete and self.timeout_keep_alive_task is None
        ):
            self._arm()
        else:
            self._disarm()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._disarm()
        super().connection_lost(exc)

    def _arm(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_PATIENCE, self._give_up)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.close()


def server_config(host: str, port: int, sealer: TokenSealer | None = None) -> uvicorn.Config:
    """Return what uvicorn runs.

    Raises:
        OptionError: if the port is out of range.
    """
    if not 0 <= port <= _LARGEST_PORT:
        raise OptionError(f"a port is 0 to {_LARGEST_PORT}, got {port}")
    return uvicorn.Config(
        make_app(sealer),
        host=host,
        port=port,
        http=_PatientProtocol,
        ws="none",
        lifespan="off",
        access_log=False,
        log_level=logging.WARNING,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_LAST_WORDS,
    )


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host name or address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class QuietServer(uvicorn.Server):
    """A uvicorn server that tells, once it listens, on which port.

    Args:
        config: of `server_config`.
        on_start: called with the port.
    """

    def __init__(self, config: uvicorn.Config, on_start: Any = None) -> None:
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: Any = None) -> None:
        """Listen."""
        await super().startup(sockets)
        if self.started and self._on_start is not None:
            self._on_start(self.servers[0].sockets[0].getsockname()[1])
