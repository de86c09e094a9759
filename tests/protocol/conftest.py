"""One server for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.protocol.serving import Client, running_server


@pytest.fixture(scope="session")
def port() -> Iterator[int]:
    with running_server() as listening:
        yield listening


@pytest.fixture
def client(port: int) -> Iterator[Client]:
    connection = Client(port)
    yield connection
    connection.close()
