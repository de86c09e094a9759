"""Evaluating language agents: text and legal list in, a reply out, everything counted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from quiltrail.core.arguments import check_int
from quiltrail.core.errors import ActionFormatError, OptionError, unknown_name_text
from quiltrail.core.extras import require
from quiltrail.core.mulberry32 import as_seed
from quiltrail.envs import find_game
from quiltrail.envs.wording import Wording
from quiltrail.protocol.agent_replies import action_in
from quiltrail.protocol.loop import Loop
from quiltrail.protocol.variants import Variant

if TYPE_CHECKING:
    from quiltrail.statistics import Summary

#: Takes what there is to read and the legal list, returns a reply: a JSON action, or text with one.
LanguageAgent = Callable[[str, list[dict[str, Any]]], "str | dict[str, Any]"]

_RULES = ("always", "first", "never")
_NO_ACTION = "there is no JSON object with a type in this reply"


@dataclass(frozen=True)
class Terms:
    """How a language agent plays.

    Attributes:
        retries: how often it is asked again for one action, after malformed or illegal replies.
        rules: whether the text begins with the game's rules: "always" (for agents without a
            memory), "first" (once a game) or "never".
        max_steps: accepted actions after which a game is cut off; None for the id's own limit.

    Raises:
        OptionError: if one of them is not allowed.
    """

    retries: int = 2
    rules: str = "always"
    max_steps: int | None = None

    def __post_init__(self) -> None:
        check_int("retries", self.retries, 0)
        if self.rules not in _RULES:
            raise OptionError(unknown_name_text("choice of rules", self.rules, _RULES))
        if self.max_steps is not None:
            check_int("max_steps", self.max_steps, 1)


@dataclass
class GameResult:
    """One game of a language agent.

    Attributes:
        seed: the game's.
        score: at its end.
        length: accepted actions.
        malformed: replies without an action of the game's grammar.
        illegal: replies whose action was refused in the position.
        ending: "game-over", "max-steps" or "gave-up" (no legal action in all its tries).
    """

    seed: int
    score: int = 0
    length: int = 0
    malformed: int = 0
    illegal: int = 0
    ending: str = ""


@dataclass(frozen=True)
class PlayResult:
    """All games of a language agent, with the fields of an evaluation.

    Attributes:
        env_id: the environment id.
        settings: those of the game.
        games: one for each seed.
    """

    env_id: str
    settings: dict[str, Any]
    games: list[GameResult] = field(default_factory=list)

    @property
    def seeds(self) -> list[int]:
        """The game seeds."""
        return [game.seed for game in self.games]

    @property
    def scores(self) -> list[int]:
        """Published scores at the games' ends."""
        return [game.score for game in self.games]

    @property
    def lengths(self) -> list[int]:
        """Accepted actions of each game."""
        return [game.length for game in self.games]

    @property
    def malformed(self) -> int:
        """Replies without an action of the grammar."""
        return sum(game.malformed for game in self.games)

    @property
    def illegal(self) -> int:
        """Replies whose action was refused in the position."""
        return sum(game.illegal for game in self.games)

    @property
    def refusals(self) -> int:
        """Replies that were not played, for either reason."""
        return self.malformed + self.illegal

    def summary(self) -> dict[str, Summary]:
        """Return mean, median and interquartile mean of the scores with 95 % intervals.

        Raises:
            MissingExtraError: if scipy is not installed.
        """
        require("train", "scipy")
        from quiltrail.statistics import summarise

        return summarise(self.scores)

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "env_id": self.env_id,
            "settings": self.settings,
            "seeds": self.seeds,
            "scores": self.scores,
            "lengths": self.lengths,
            "refusals": self.refusals,
            "malformed": self.malformed,
            "illegal": self.illegal,
            "games": [asdict(game) for game in self.games],
        }


def play(
    agent: LanguageAgent,
    game: str,
    seeds: Sequence[int],
    *,
    terms: Terms | None = None,
    settings: dict[str, Any] | None = None,
    transcript: str | Path | None = None,
) -> PlayResult:
    """Let a language agent play one game for each seed.

    A reply that is malformed or illegal changes nothing; the agent is asked again, with the reason
    at the end of the text, as often as the terms say. After that the game ends with its score.

    Args:
        agent: see `LanguageAgent`; what it raises ends the evaluation.
        game: its slug, for example "sunpleat".
        seeds: game seeds, at least one.
        terms: retries, rules and time limit.
        settings: of those the game offers, for example ``{"opponent": "easy"}``.
        transcript: a JSONL file, written anew: one line for each reply, one for each game's end.

    Raises:
        UnknownNameError: if there is no such game.
        OptionError: if there are no seeds, or a setting is not offered.
        InvalidSeedError: if a seed is not an int.
    """
    if not len(seeds):
        raise OptionError("an evaluation needs at least one seed")
    numbers = [as_seed(seed) for seed in seeds]
    loop = Loop()
    variant = loop.variants.variant(game, settings)
    result = PlayResult(find_game(game).id, dict(variant.settings))
    with _opened(transcript) as file:
        referee = _Referee(agent, loop, variant, terms or Terms(), file)
        result.games.extend(referee.play(seed) for seed in numbers)
    return result


@contextmanager
def _opened(path: str | Path | None) -> Iterator[TextIO | None]:
    if path is None:
        yield None
        return
    with Path(path).open("w", encoding="utf-8") as file:
        yield file


class _Referee:
    """Lets one agent play one game, over and over, and judges its replies."""

    def __init__(
        self, agent: LanguageAgent, loop: Loop, variant: Variant, terms: Terms, file: TextIO | None
    ) -> None:
        self._agent, self._loop, self._terms, self._file = agent, loop, terms, file
        self._variant = variant
        self._limit = terms.max_steps or find_game(variant.slug).max_episode_steps
        self._rules = _rules_text(loop.variants.wording(variant.slug))

    def play(self, seed: int) -> GameResult:
        """Play the game of a seed to an end."""
        game = GameResult(seed)
        answer = self._loop.init(self._variant.slug, seed, self._variant.settings).to_json()
        while not answer["gameOver"] and game.length < self._limit:
            played = self._turn(game, answer)
            if played is None:
                game.ending = "gave-up"
                break
            answer = played
            game.length += 1
        game.score = answer["score"]
        game.ending = game.ending or ("game-over" if answer["gameOver"] else "max-steps")
        self._note({"event": "end", **asdict(game)})
        return game

    def _turn(self, game: GameResult, answer: dict[str, Any]) -> dict[str, Any] | None:
        """Return the next answer, None if the agent has no legal action to offer."""
        reason = ""
        for attempt in range(self._terms.retries + 1):
            text = self._text(game, answer, reason)
            reply = self._agent(text, json.loads(json.dumps(answer["legalActions"])))
            action = action_in(reply)
            verdict, reason, following = self._judge(answer, action)
            game.malformed += verdict == "malformed"
            game.illegal += verdict == "illegal"
            self._note(
                {
                    "event": "reply",
                    "seed": game.seed,
                    "turn": game.length,
                    "attempt": attempt,
                    "text": text,
                    "reply": reply,
                    "action": action,
                    "verdict": verdict,
                    "reason": reason,
                    "score": (following or answer)["score"],
                }
            )
            if following is not None:
                return following
        return None

    def _judge(
        self, answer: dict[str, Any], action: dict[str, Any] | None
    ) -> tuple[str, str, dict[str, Any] | None]:
        """Return verdict, reason, and the next answer if the action was played."""
        if action is None:
            return "malformed", _NO_ACTION, None
        following = self._loop.action(answer["state"], action).to_json()
        if following["ok"]:
            return "played", "", following
        try:
            self._variant.engine.codec.encode(action)
        except ActionFormatError:
            return "malformed", following["reason"], None
        return "illegal", following["reason"], None

    def _text(self, game: GameResult, answer: dict[str, Any], reason: str) -> str:
        shown = self._terms.rules == "always" or (self._terms.rules == "first" and game.length == 0)
        parts = [self._rules] if shown else []
        parts.append(answer["observation"])
        if reason:
            parts.append(f"Your last reply was not played: {reason}. Answer with a legal action.")
        return "\n\n".join(parts)

    def _note(self, line: dict[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(line, default=repr) + "\n")
            self._file.flush()


def _rules_text(words: Wording) -> str:
    return (
        f"{words.title}\n\nGoal: {words.goal}\n\nScoring: {words.scoring}\n\nRules: {words.rules}"
        "\n\nAnswer with one JSON action."
    )
