"""The harness for language agents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quiltrail.agents import make_agent
from quiltrail.core.errors import OptionError, UnknownNameError
from quiltrail.protocol import Terms, play
from quiltrail.protocol.agent_replies import action_in
from quiltrail.protocol.variants import Variants
from quiltrail.train.evaluate import evaluate

#: The one optimal line of the first two garlands.
LINE = (
    {"type": "flip", "count": 2},
    {"type": "next"},
    {"type": "flip", "count": 1},
    {"type": "flip", "count": 3},
    {"type": "bank"},
)


class Scripted:
    """Answers with the given replies, one after the other, and keeps what it was told."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.texts: list[str] = []

    def __call__(self, text: str, legal: list[dict[str, Any]]) -> Any:
        self.texts.append(text)
        return self.replies.pop(0)


def test_an_optimal_line_scores_what_the_rules_say() -> None:
    result = play(Scripted(*LINE), "sunpleat", [0])
    assert (result.scores, result.lengths, result.refusals) == ([430], [5], 0)  # 215 + 215
    assert result.env_id == "quiltrail/Sunpleat-v0"
    assert result.games[0].ending == "game-over"


def test_replies_may_be_text_with_the_action_at_the_end() -> None:
    texts = [f"I think of {{curly}} things. ```json\n{json.dumps(one)}\n```" for one in LINE]
    assert play(Scripted(*texts), "sunpleat", [0]).scores == [430]


def test_malformed_and_illegal_replies_are_counted_apart_and_asked_again() -> None:
    agent = Scripted("no idea", {"type": "flip", "count": 4}, {"type": "bank"})
    result = play(agent, "sunpleat", [0])
    game = result.games[0]
    assert (game.malformed, game.illegal, game.length, game.ending) == (1, 1, 1, "game-over")
    assert "Your last reply was not played" in agent.texts[1]
    assert "no more pennants" in agent.texts[2]
    assert "not played" not in agent.texts[0]


def test_what_is_outside_the_grammar_is_malformed() -> None:
    result = play(Scripted({"type": "flip", "count": "2"}, {"type": "bank"}), "sunpleat", [0])
    assert (result.malformed, result.illegal) == (1, 0)


def test_without_a_legal_reply_the_agent_gives_up() -> None:
    result = play(Scripted(None, 3), "sunpleat", [0], terms=Terms(retries=1))
    assert (result.games[0].ending, result.malformed, result.scores) == ("gave-up", 2, [0])


def test_a_time_limit_cuts_the_game_off() -> None:
    flips = [{"type": "flip", "count": 1}] * 3
    result = play(Scripted(*flips), "sunpleat", [0], terms=Terms(max_steps=3))
    assert (result.games[0].ending, result.lengths) == ("max-steps", [3])


@pytest.mark.parametrize(("rules", "shown"), [("always", 5), ("first", 1), ("never", 0)])
def test_the_rules_are_told_as_asked(rules: str, shown: int) -> None:
    agent = Scripted(*LINE)
    play(agent, "sunpleat", [0], terms=Terms(rules=rules))
    assert sum("Scoring:" in text for text in agent.texts) == shown


def test_the_transcript_has_a_line_for_each_reply_and_each_end(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    play(Scripted("hm", *LINE), "sunpleat", [4], transcript=path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    verdicts = [line["verdict"] for line in lines if line["event"] == "reply"]
    assert verdicts == ["malformed", *["played"] * len(LINE)]
    assert lines[-1] == {
        "event": "end",
        "seed": 4,
        "score": 430,
        "length": 5,
        "malformed": 1,
        "illegal": 0,
        "ending": "game-over",
    }


@pytest.mark.parametrize("game", Variants().slugs)
def test_an_agent_that_takes_the_first_legal_action_is_never_refused(game: str) -> None:
    result = play(lambda text, legal: legal[-1], game, [0, 1])
    assert result.refusals == 0
    assert result.seeds == [0, 1]


def test_the_settings_on_offer_shape_the_game() -> None:
    result = play(lambda text, legal: legal[0], "tinrail", [0], settings={"opponent": "easy"})
    assert result.settings == {"opponent": "easy"}
    assert result.to_json()["settings"] == {"opponent": "easy"}


def test_the_statistics_are_those_of_an_evaluation() -> None:
    result = play(lambda text, legal: legal[0], "tinrail", [0, 1, 2, 3])
    random = evaluate(make_agent("random"), "tinrail", [0, 1, 2, 3])
    assert result.summary().keys() == random.summary().keys()
    assert result.summary()["mean"].value == sum(result.scores) / 4
    shared = set(random.to_json()) - {"summary"}
    assert {"seeds", "scores", "lengths", "refusals"} <= shared & set(result.to_json())


def test_bad_calls_are_errors() -> None:
    with pytest.raises(OptionError, match="seed"):
        play(Scripted(), "sunpleat", [])
    with pytest.raises(UnknownNameError):
        play(Scripted(), "chess", [0])
    with pytest.raises(OptionError, match="retries"):
        Terms(retries=-1)
    with pytest.raises(OptionError, match="rules"):
        Terms(rules="sometimes")


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        ({"type": "a"}, {"type": "a"}),
        ('{"type": "a"}', {"type": "a"}),
        ('first {"type": "a"} then {"type": "b", "n": {"type": "c"}} so', {"type": "b"}),
        ('{"move": {"type": "a"}}', {"type": "a"}),
        ("{{{ nothing", None),
        ("", None),
        (None, None),
        (["type"], None),
        ("{" * 50_000, None),
    ],
)
def test_the_action_is_found_in_a_reply(reply: Any, action: Any) -> None:
    found = action_in(reply)
    assert (found and found["type"]) == (action and action["type"])
