"""The loop in process: what it answers, and what it refuses."""

from __future__ import annotations

import base64
import random
import time
from typing import Any

import numpy as np
import pytest

from quiltrail.core.errors import InvalidSeedError, OptionError, UnknownNameError
from quiltrail.envs import find_game
from quiltrail.envs.wording import observe
from quiltrail.protocol import Loop, TokenSealer, action, init
from quiltrail.protocol.variants import Variants

GAMES = Variants().slugs
ANSWER = {"ok", "state", "observation", "legalActions", "spec", "score", "gameOver"}
REFUSAL = {"ok", "reason", "legalActions"}


@pytest.mark.parametrize("game", GAMES)
def test_an_answer_has_exactly_the_published_fields(game: str) -> None:
    first = init(game, 7)
    assert set(first) == ANSWER
    assert (first["ok"], first["score"], first["gameOver"]) == (True, 0, False)
    assert set(action(first["state"], first["legalActions"][0])) == ANSWER


@pytest.mark.parametrize("game", GAMES)
def test_the_spec_says_goal_scoring_rules_and_schema(game: str) -> None:
    spec = init(game, 0)["spec"]
    for name in ("title", "goal", "scoring", "rules", "credit"):
        assert isinstance(spec[name], str)
        assert spec[name]
    assert spec["actionSchema"]["type"] == "object"


@pytest.mark.parametrize("game", ["patchrook", "patchwork", "sunpleat", "tinrail"])
def test_the_publisher_is_credited(game: str) -> None:
    credit = init(game, 0)["spec"]["credit"]
    assert "independent" in credit
    assert ("gameboard.gg" in credit) == (game != "patchwork")


@pytest.mark.parametrize("game", GAMES)
def test_a_game_over_the_loop_is_the_game_of_the_engine(game: str) -> None:
    loop, rng = Loop(), random.Random(3)
    engine = find_game(game).make_engine(1)
    engine.reset(np.array([0]), np.array([11], np.uint64))
    answer = loop.init(game, 11, with_view=True).to_json()
    for _ in range(60):
        assert answer["view"] == engine.view(0)
        assert answer["legalActions"] == engine.legal_actions(0)
        assert answer["observation"] == observe(engine, 0)
        assert (answer["score"], answer["gameOver"]) == (engine.score[0], engine.terminated[0])
        if answer["gameOver"]:
            break
        chosen = rng.choice(answer["legalActions"])
        assert engine.submit(0, chosen).accepted
        answer = loop.action(answer["state"], chosen, with_view=True).to_json()


@pytest.mark.parametrize("game", GAMES)
def test_an_illegal_action_changes_nothing(game: str) -> None:
    first = init(game, 5)
    refused = action(first["state"], {"type": "nothing"})
    assert set(refused) == REFUSAL
    assert not refused["ok"]
    assert refused["reason"]
    assert refused["legalActions"] == first["legalActions"]
    legal = first["legalActions"][0]
    again = action(first["state"], legal)
    assert again["observation"] == action(first["state"], legal)["observation"]


def test_an_action_outside_the_position_says_what_is_wrong() -> None:
    refused = action(init("sunpleat", 0)["state"], {"type": "flip", "count": 4})
    assert "no more pennants" in refused["reason"]
    assert "legal now: flip, restart, bank" in refused["reason"]


def test_after_the_end_nothing_is_legal() -> None:
    ended = action(init("patchrook", 0)["state"], {"type": "bank"})
    assert (ended["ok"], ended["gameOver"], ended["legalActions"]) == (True, True, [])
    refused = action(ended["state"], {"type": "bank"})
    assert (refused["ok"], refused["legalActions"]) == (False, [])


@pytest.mark.parametrize("wrong", [None, 3, "", "x", "gAAAAA" + "A" * 200, "ä" * 50, "A" * 9999])
def test_what_is_no_token_is_refused_with_a_reason(wrong: Any) -> None:
    refused = action(wrong, {"type": "bank"})
    assert set(refused) == REFUSAL
    assert "state token" in refused["reason"]


def test_a_token_changed_in_any_place_is_refused() -> None:
    token = init("sunpleat", 0)["state"]
    content = bytearray(base64.urlsafe_b64decode(token))
    for place in range(len(content)):
        changed = content.copy()
        changed[place] ^= 1
        forged = base64.urlsafe_b64encode(bytes(changed)).decode()
        assert not action(forged, {"type": "bank"})["ok"]
    assert action(token, {"type": "bank"})["ok"]


def test_a_token_of_another_key_is_refused() -> None:
    state = Loop().init("tinrail", 1).state
    assert "not issued here" in Loop().action(state, {"type": "place"}).reason


def test_a_rotated_key_still_opens_old_tokens() -> None:
    old = TokenSealer.fresh_key()
    state = Loop(TokenSealer([old])).init("sunpleat", 1).state
    rotated = Loop(TokenSealer([TokenSealer.fresh_key(), old]))
    assert rotated.action(state, {"type": "bank"}).ok


def test_an_old_token_is_refused_as_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    key = TokenSealer.fresh_key()
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: 1_000.0)
        made = TokenSealer([key]).seal(b"anything")
    sealer = TokenSealer([key], max_age=60)
    assert TokenSealer([key]).open(made) == b"anything"
    refused = Loop(sealer).action(made, {})
    assert "stale" in refused.reason


def test_a_token_of_another_layout_is_refused_as_stale() -> None:
    sealer = TokenSealer()
    loop = Loop(sealer)
    content = sealer.open(loop.init("sunpleat", 0).state)
    for other in (content[:4] + b"0000" + content[8:], b"0000" + content[4:], content[:-1], b""):
        assert "stale" in loop.action(sealer.seal(other), {"type": "bank"}).reason


def test_tokens_of_a_game_have_one_length_and_show_nothing() -> None:
    """The length must not tell what is hidden, and equal games look different."""
    loop = Loop()
    tokens = [loop.init("tinrail", seed).state for seed in range(20)]
    assert len({len(token) for token in tokens}) == 1
    assert loop.init("tinrail", 1).state != loop.init("tinrail", 1).state


def test_the_settings_on_offer_are_the_only_ones() -> None:
    easy = init("tinrail", 1, opponent="easy")
    assert easy["spec"]["settings"]["opponent"] == "easy"
    with pytest.raises(OptionError, match="wise"):
        init("tinrail", 1, opponent="os:getcwd")
    with pytest.raises(OptionError, match="opponent"):
        init("tinrail", 1, seat=1)
    with pytest.raises(OptionError):
        init("patchwork", 1, revive=1)


def test_unknown_games_and_seeds_are_errors() -> None:
    with pytest.raises(UnknownNameError, match="sunpleat"):
        init("sunpleet", 1)
    with pytest.raises(InvalidSeedError):
        init("sunpleat", "1")  # type: ignore[arg-type]


def test_a_seed_is_taken_modulo_two_to_the_32() -> None:
    assert init("tinrail", -1)["observation"] == init("tinrail", 2**32 - 1)["observation"]


def test_the_opponents_hand_and_the_pile_do_not_enter_the_text() -> None:
    """Dealing the hidden tiles anew changes no byte of what the player is told."""
    engine = find_game("tinrail").make_engine(1)
    engine.reset(np.array([0]), np.array([4], np.uint64))
    before = observe(engine, 0), engine.view(0)
    record = engine.state[0]
    hidden = [*record["hands"][1].tolist(), *record["pile"].tolist()]
    hidden = hidden[1:] + hidden[:1]
    record["hands"][1] = hidden[:3]
    record["pile"] = hidden[3:]
    assert (observe(engine, 0), engine.view(0)) == before
