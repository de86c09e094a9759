"""A game on a server, as an environment."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from quiltrail.agents import make_agent
from quiltrail.core.errors import OptionError, UnknownNameError
from quiltrail.envs import find_game
from quiltrail.protocol.variants import Variants
from quiltrail.wrappers import RemoteError, RemoteGame
from tests.protocol.serving import running_server

GAMES = Variants().slugs


def _address(port: int, game: str) -> str:
    return f"http://127.0.0.1:{port}/api/games/{game}"


@pytest.mark.parametrize("game", GAMES)
def test_a_remote_game_equals_the_environment_at_home(port: int, game: str) -> None:
    """Observations, masks, rewards and ends, refused actions among them."""
    remote, home = RemoteGame(_address(port, game)), gym.make(find_game(game).id).unwrapped
    rng = np.random.default_rng(0)
    assert remote.observation_space == home.observation_space
    seen, info = remote.reset(seed=5)
    expected, at_home = home.reset(seed=5)
    for step in range(60):
        over = info["action_mask"].all() and remote.engine.terminated[0]
        if not over:
            for field in expected:
                np.testing.assert_array_equal(seen[field], expected[field], err_msg=field)
        np.testing.assert_array_equal(info["action_mask"], at_home["action_mask"])
        assert remote.view() == home.view()
        if over:
            break
        wild = step % 5 == 4
        legal = np.flatnonzero(info["action_mask"])
        action = int(rng.integers(home.action_space.n)) if wild else int(rng.choice(legal))
        seen, reward, ended, _, info = remote.step(action)
        expected, reward_at_home, ended_at_home, _, at_home = home.step(action)
        assert (reward, ended, info["refusal"]) == (
            reward_at_home,
            ended_at_home,
            at_home["refusal"],
        )
        assert (info["score"], bool(info["reason"])) == (at_home["score"], info["refusal"] != 0)
    remote.close()


@pytest.mark.parametrize("game", GAMES)
def test_text_needs_nothing_but_the_published_loop(port: int, game: str) -> None:
    env = RemoteGame(_address(port, game), observation="text")
    text, info = env.reset(seed=1)
    assert isinstance(text, str)
    text, _, _, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert isinstance(text, str)
    assert (info["refusal"], info["reason"]) == (0, "")
    env.close()


def test_an_agent_plays_a_server(port: int) -> None:
    env = RemoteGame(_address(port, "sunpleat"))
    agent = make_agent("sunpleat-solver")
    env.reset(seed=0)
    score = 0.0
    for _ in range(60):
        _, reward, over, _, _ = env.step(int(agent.act(env.engine)[0]))
        score += reward
        if over:
            break
    assert score >= 1970  # the first eight garlands, solved optimally
    env.close()


def test_settings_are_those_of_the_server(port: int) -> None:
    env = RemoteGame(_address(port, "tinrail"), opponent="easy")
    env.reset(seed=2)
    assert env.engine.settings["opponent"] == "easy"
    with pytest.raises(RemoteError, match="opponent"):
        RemoteGame(_address(port, "tinrail"), opponent="random").reset(seed=1)


def test_an_index_outside_the_space_is_refused_without_asking(port: int) -> None:
    env = RemoteGame(_address(port, "sunpleat"))
    before, _ = env.reset(seed=1)
    after, reward, over, _, info = env.step(99)
    assert (reward, over, info["refusal"]) == (0.0, False, 18)
    np.testing.assert_array_equal(before["garland"], after["garland"])


def test_a_server_that_has_gone_is_an_error() -> None:
    with running_server() as port:
        env = RemoteGame(_address(port, "sunpleat"))
        env.reset(seed=1)
    with pytest.raises(RemoteError, match="does not answer"):
        env.step(0)


def test_bad_addresses_are_errors() -> None:
    for url in ("sunpleat", "ftp://a/sunpleat", "http:///x"):
        with pytest.raises(OptionError, match="address"):
            RemoteGame(url)
    with pytest.raises(UnknownNameError):
        RemoteGame("http://127.0.0.1:1/api/games/chess")
    with pytest.raises(OptionError, match="arrays"):
        RemoteGame("http://127.0.0.1:1/api/games/sunpleat", observation="pictures")


@contextmanager
def _foreign(answers: list[Any]) -> Iterator[tuple[int, list[Any]]]:
    """A server of somebody else: gives the answers in turn and keeps the bodies."""
    bodies: list[Any] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = json.dumps(answers.pop(0)).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self) -> None:
            bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.do_GET()

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address[1], bodies
    server.shutdown()
    server.server_close()


def test_a_foreign_server_may_call_its_state_another_name() -> None:
    flip = {"type": "flip", "count": 2}
    first = {
        "stateToken": "one",
        "observation": "a garland",
        "legalActions": [flip],
        "score": 0,
        "gameOver": False,
    }
    last = {**first, "stateToken": "two", "legalActions": [], "score": 215, "gameOver": True}
    with _foreign([first, last]) as (port, bodies):
        env = RemoteGame(_address(port, "sunpleat"), observation="text")
        text, info = env.reset(seed=0)
        assert text == "a garland"
        assert np.flatnonzero(info["action_mask"]).tolist() == [1]
        _, reward, over, _, info = env.step(1)
        assert (reward, over, info["score"], bool(info["action_mask"].all())) == (
            215.0,
            True,
            215,
            True,
        )
        assert bodies == [{"stateToken": "one", "action": flip}]


@pytest.mark.parametrize(
    "answer", [[], {}, {"state": "", "observation": "x", "legalActions": [], "score": 0}]
)
def test_an_answer_outside_the_loop_is_an_error(answer: Any) -> None:
    with _foreign([answer]) as (port, _):
        env = RemoteGame(_address(port, "sunpleat"))
        with pytest.raises(RemoteError):
            env.reset(seed=0)


def test_arrays_need_a_server_that_tells_the_position() -> None:
    first = {"state": "", "observation": "x", "legalActions": [], "score": 0, "gameOver": False}
    with _foreign([first]) as (port, _):
        env = RemoteGame(_address(port, "sunpleat"))
        with pytest.raises(RemoteError, match='observation="text"'):
            env.reset(seed=0)
