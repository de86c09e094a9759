"""The protocol over HTTP, on a real server."""

from __future__ import annotations

import json
import random
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from quiltrail import __version__
from quiltrail.core.errors import OptionError
from quiltrail.protocol import Loop, uvicorn_server
from quiltrail.protocol.http_requests import LARGEST_BODY
from quiltrail.protocol.tokens import TokenSealer, key_file
from quiltrail.protocol.variants import Variants
from tests.protocol.serving import Client, running_server

GAMES = Variants().slugs
REFUSAL = {"ok", "reason", "legalActions"}
SUNPLEAT = "/api/games/sunpleat"


def test_health_and_games(client: Client) -> None:
    assert client.get("/health") == (200, {"ok": True, "version": __version__})
    status, listed = client.get("/api/games")
    assert status == 200
    assert [game["slug"] for game in listed["games"]] == list(GAMES)


@pytest.mark.parametrize("game", GAMES)
def test_a_game_over_http_equals_the_game_in_process(client: Client, game: str) -> None:
    """View by view, text by text, until the end or 80 actions."""
    loop, rng = Loop(), random.Random(2)
    _, answer = client.get(f"/api/games/{game}/init?seed=9&view=true")
    same = loop.init(game, 9, with_view=True).to_json()
    for _ in range(80):
        hidden = ("state",)
        assert {k: v for k, v in answer.items() if k not in hidden} == {
            k: v for k, v in same.items() if k not in hidden
        }
        if answer["gameOver"]:
            break
        chosen = rng.choice(answer["legalActions"])
        body = {"state": answer["state"], "action": chosen}
        status, answer = client.post(f"/api/games/{game}/action?view=true", body)
        assert status == 200
        same = loop.action(same["state"], chosen, with_view=True).to_json()


def test_an_illegal_action_is_answered_with_200(client: Client) -> None:
    _, first = client.get(f"{SUNPLEAT}/init?seed=1")
    body = {"state": first["state"], "action": {"type": "flip", "count": 5}}
    status, refused = client.post(f"{SUNPLEAT}/action", body)
    assert (status, set(refused), refused["ok"]) == (200, REFUSAL, False)
    assert refused["legalActions"] == first["legalActions"]


def test_the_state_may_be_called_state_token(client: Client) -> None:
    _, first = client.get(f"{SUNPLEAT}/init")
    body = {"stateToken": first["state"], "action": {"type": "bank"}}
    assert client.post(f"{SUNPLEAT}/action", body)[1]["gameOver"]


def test_a_token_of_another_game_or_a_forged_one_is_refused(client: Client) -> None:
    _, first = client.get("/api/games/tinrail/init?seed=1")
    for state in (first["state"], first["state"][:-8] + "AAAAAAA=", "x", 7, None, [], ""):
        body = {"state": state, "action": {"type": "bank"}}
        status, refused = client.post(f"{SUNPLEAT}/action", body)
        assert (status, set(refused)) == (400, REFUSAL)
        assert "token" in refused["reason"]


@pytest.mark.parametrize(
    ("method", "path", "body", "kind", "status"),
    [
        ("GET", "/nothing", None, "", 404),
        ("GET", "/api/games/chess/init", None, "", 404),
        ("GET", f"{SUNPLEAT}/action", None, "", 405),
        ("POST", f"{SUNPLEAT}/init", b"{}", "application/json", 405),
        ("GET", f"{SUNPLEAT}/init?seed=1.5", None, "", 400),
        ("GET", f"{SUNPLEAT}/init?seed=", None, "", 400),
        ("GET", f"{SUNPLEAT}/init?seed=1&seed=2", None, "", 400),
        ("GET", f"{SUNPLEAT}/init?sead=1", None, "", 400),
        ("GET", f"{SUNPLEAT}/init?view=yes", None, "", 400),
        ("GET", "/api/games/tinrail/init?opponent=os:getcwd", None, "", 400),
        ("POST", f"{SUNPLEAT}/action", b"state=1", "application/x-www-form-urlencoded", 415),
        ("POST", f"{SUNPLEAT}/action", b"", "application/json", 400),
        ("POST", f"{SUNPLEAT}/action", b"[1]", "application/json", 400),
        ("POST", f"{SUNPLEAT}/action", b"{}", "application/json", 400),
        ("POST", f"{SUNPLEAT}/action", b'{"state":"","action":NaN}', "application/json", 400),
        ("POST", f"{SUNPLEAT}/action", b'{"state":1,"state":2}', "application/json", 400),
        ("POST", f"{SUNPLEAT}/action", b"[" * 9000, "application/json", 400),
        ("POST", f"{SUNPLEAT}/action", b"\xff\xfe", "application/json", 400),
        ("POST", f"{SUNPLEAT}/action", b" " * (LARGEST_BODY + 1), "application/json", 413),
    ],
)
def test_a_bad_request_is_answered_with_a_reason(
    client: Client, method: str, path: str, body: bytes | None, kind: str, status: int
) -> None:
    got, refused = client.raw(method, path, body, kind)
    assert (got, set(refused), refused["ok"]) == (status, REFUSAL, False)
    assert refused["reason"]
    assert client.get("/health")[0] == 200


def test_suggestions_are_legal_and_only_of_quick_players(client: Client) -> None:
    _, listed = client.get("/api/games")
    for game in listed["games"]:
        base = f"/api/games/{game['slug']}"
        _, first = client.get(f"{base}/init?seed=3")
        for agent in game["agents"]:
            body = {"state": first["state"], "agent": agent}
            _, answer = client.post(f"{base}/suggest", body)
            assert answer["action"] in first["legalActions"]
    status, refused = client.post(f"{base}/suggest", {"state": first["state"], "agent": "beam"})
    assert (status, refused["ok"]) == (400, False)


def test_every_path_is_in_the_openapi_document(client: Client) -> None:
    _, document = client.get("/openapi.json")
    assert document["openapi"].startswith("3.1")
    for game in GAMES:
        assert f"/api/games/{game}/action" in document["paths"]
    assert set(document["components"]["schemas"]) == {"Position", "Refusal"}


def test_games_of_many_clients_do_not_mix(port: int) -> None:
    def play(seed: int) -> bool:
        client, loop, rng = Client(port), Loop(), random.Random(seed)
        game = GAMES[seed % len(GAMES)]
        _, answer = client.get(f"/api/games/{game}/init?seed={seed}")
        same = loop.init(game, seed).to_json()
        for _ in range(30):
            if answer["gameOver"] or answer["observation"] != same["observation"]:
                break
            chosen = rng.choice(answer["legalActions"])
            body = {"state": answer["state"], "action": chosen}
            _, answer = client.post(f"/api/games/{game}/action", body)
            same = loop.action(same["state"], chosen).to_json()
        client.close()
        return bool(answer["observation"] == same["observation"])

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(play, range(16)))


def test_a_request_that_never_comes_is_given_up(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uvicorn_server, "HEAD_PATIENCE", 0.3)
    for start in (b"", b"GET /health HT"):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            connection.sendall(start)
            began = time.monotonic()
            assert connection.recv(100) == b""
            assert time.monotonic() - began < 10


def test_too_many_connections_are_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uvicorn_server, "MOST_CONNECTIONS", 3)
    with running_server() as port:
        held = [socket.create_connection(("127.0.0.1", port)) for _ in range(4)]
        time.sleep(0.2)
        late = Client(port)
        assert late.get("/health")[0] == 503
        late.close()
        for connection in held:
            connection.close()


def test_a_server_of_the_same_key_file_goes_on(tmp_path: Any) -> None:
    path = tmp_path / "keys"
    state = Loop(TokenSealer(key_file(path))).init("sunpleat", 0).state
    assert path.stat().st_mode & 0o077 == 0
    assert Loop(TokenSealer(key_file(path))).action(state, {"type": "bank"}).ok
    path.chmod(0o644)
    with pytest.raises(OptionError, match="chmod 600"):
        key_file(path)


def test_a_bad_key_is_refused(tmp_path: Any) -> None:
    path = tmp_path / "keys"
    path.write_text("secret\n")
    path.chmod(0o600)
    with pytest.raises(OptionError, match="32 bytes"):
        TokenSealer(key_file(path))


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("a.b", False)],
)
def test_only_the_loopback_is_called_so(host: str, loopback: bool) -> None:
    assert uvicorn_server.is_loopback(host) is loopback


def test_the_command_serves_on_the_loopback() -> None:
    command = [sys.executable, "-u", "-m", "quiltrail", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = next(line for line in server.stdout if "http://127.0.0.1:" in line)
        client = Client(int(line.rpartition("127.0.0.1:")[2].partition("/")[0]))
        assert client.get("/health")[0] == 200
        client.close()
        server.terminate()


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_hundred_thousand_bad_requests_change_nothing() -> None:
    """Random, malformed and forged: no refusal changes a state, no foreign token is accepted."""
    loop, other, rng = Loop(), Loop(), random.Random(0)
    positions = [loop.init(game, seed) for game in GAMES for seed in range(5)]
    fingerprints = [_probe(loop, one) for one in positions]
    values = [None, True, -1, 0, 1, 2, 5, 1.0, "1", [], {}, "A", "flip", "place", 10**30]
    names = ["type", "count", "slot", "row", "col", "tileIndex", "rotation", "patchId", "x", "y"]
    refused = accepted = 0
    for _ in range(100_000):
        at = rng.randrange(len(positions))
        state: Any = positions[at].state
        kind = rng.randrange(3)
        if kind == 0:
            state = _forged(state, rng, other)
        action: Any = {rng.choice(names): rng.choice(values) for _ in range(rng.randrange(5))}
        if kind == 1:
            action["type"] = rng.choice(["flip", "place", "lift", "bank", "next", "revive"])
        answer = loop.action(state, action)
        if state is not positions[at].state:
            assert answer.token_refused
        refused += not answer.ok
        accepted += answer.ok
    assert refused > 90_000
    assert [_probe(loop, one) for one in positions] == fingerprints


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_twenty_thousand_damaged_requests_never_fail_the_server(client: Client) -> None:
    rng = random.Random(1)
    bodies = []
    for game in GAMES:
        _, first = client.get(f"/api/games/{game}/init?seed=1")
        body = {"state": first["state"], "action": first["legalActions"][0]}
        bodies.append((f"/api/games/{game}/action", json.dumps(body).encode()))
    for _ in range(20_000):
        path, body = rng.choice(bodies)
        damaged = bytearray(body)
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(damaged))
            damaged[at : at + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
        status, answer = client.raw("POST", path, bytes(damaged))
        assert status in (200, 400)
        assert set(answer) == REFUSAL or answer["ok"]


def _forged(state: str, rng: random.Random, other: Loop) -> Any:
    place = rng.randrange(len(state))
    letter = rng.choice([c for c in "ABCDwxyz0189-_" if c != state[place]])
    return rng.choice(
        [
            state[:place] + letter + state[place + 1 :] if place < len(state) - 4 else "",
            state[:place],
            state + "A" * rng.randrange(1, 9),
            other.init("sunpleat", place).state,
            rng.randbytes(60).hex(),
            place,
        ]
    )


def _probe(loop: Loop, position: Any) -> str:
    """Return what the first legal action of a position leads to."""
    first = json.loads(position.legal_actions)[0]
    return loop.action(position.state, first).observation
