"""How many actions a second ``quiltrail serve`` answers: clients on loopback, one server process.

Every client plays random-legal games on one connection, one request at a time. The processor time
of the server tells how many a whole core would answer, where others use the machine as well.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

_HEAD_END = b"\r\n\r\n"


class _Client:
    """One connection that plays a game after the other.

    Args:
        port: of the server on 127.0.0.1.
        game: a slug.
        seed: of its play.
        record: takes the seconds of each action.
    """

    def __init__(self, port: int, game: str, seed: int, record: list[float]) -> None:
        self._port, self._game = port, game
        self._random = random.Random(seed)
        self._record = record

    async def play(self, until: float) -> None:
        """Play until a time of `time.perf_counter`."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        answer = await self._init()
        while (now := time.perf_counter()) < until:
            if answer["gameOver"]:
                answer = await self._init()
                now = time.perf_counter()
            action = self._random.choice(answer["legalActions"])
            body = json.dumps({"state": answer["state"], "action": action}).encode()
            answer = await self._ask("POST", "action", body)
            self._record.append(time.perf_counter() - now)
        self._writer.close()

    async def _init(self) -> dict[str, Any]:
        return await self._ask("GET", f"init?seed={self._random.randrange(2**32)}")

    async def _ask(self, method: str, what: str, body: bytes = b"") -> dict[str, Any]:
        head = (
            f"{method} /api/games/{self._game}/{what} HTTP/1.1\r\nhost: 127.0.0.1\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        top = await self._reader.readuntil(_HEAD_END)
        assert top.startswith(b"HTTP/1.1 200"), top
        length = int(top.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        # The spec comes last and is long; what the client needs lies before it.
        text = await self._reader.readexactly(length)
        answer: dict[str, Any] = json.loads(text.partition(b', "spec":')[0] + b"}")
        assert answer["ok"]
        return answer


async def _load(port: int, game: str, clients: int, seconds: float) -> list[float]:
    record: list[float] = []
    until = time.perf_counter() + seconds
    await asyncio.gather(
        *(_Client(port, game, number, record).play(until) for number in range(clients))
    )
    return record


def _processor_seconds(pid: int) -> float:
    """Return what a process has used of its processor so far (Linux), or NaN elsewhere."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print actions a second and delays for each game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--games", default="sunpleat,tinrail,patchwork,patchrook")
    options = parser.parse_args()
    serve = [sys.executable, "-u", "-m", "quiltrail", "serve", "--port", "0"]
    server = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    line = next(line for line in server.stdout if "127.0.0.1:" in line)
    port = int(line.partition("127.0.0.1:")[2].partition("/")[0])
    if hasattr(os, "sched_setaffinity"):  # one core for the server, the others for the clients
        os.sched_setaffinity(server.pid, {0})
    try:
        for game in options.games.split(","):
            asyncio.run(_load(port, game, options.clients, 1.0))
            used = _processor_seconds(server.pid)
            record = asyncio.run(_load(port, game, options.clients, options.seconds))
            used = _processor_seconds(server.pid) - used
            delays = 1000 * np.percentile(record, (50, 99))
            print(
                f"{game:<10}{len(record) / options.seconds:8,.0f} actions/s "
                f"({len(record) / used:,.0f} a processor second)   "
                f"median {delays[0]:.1f} ms, p99 {delays[1]:.1f} ms"
            )
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
