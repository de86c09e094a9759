"""The publisher's loop: init and action, without any state between the calls."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from secrets import randbelow
from threading import Lock
from typing import Any

from quiltrail.core.mulberry32 import SEED_RANGE
from quiltrail.envs.wording import observe
from quiltrail.protocol.players import choose, players_of
from quiltrail.protocol.tokens import TokenError, TokenSealer
from quiltrail.protocol.variants import Variant, Variants

_ROW = 0


@dataclass(frozen=True)
class Answer:
    """What the loop answers.

    Attributes:
        ok: whether the call was accepted.
        legal_actions: the legal list, as JSON text.
        reason: why it was refused.
        token_refused: whether that is because of the state token.
        state: the token of the position.
        observation: the position as text.
        spec: goal, scoring, rules and the JSON schema, as JSON text.
        score: points so far.
        game_over: whether the game has ended.
        view: the position as JSON values, where that was asked for.
    """

    ok: bool
    legal_actions: bytes
    reason: str = ""
    token_refused: bool = False
    state: str = ""
    observation: str = ""
    spec: bytes = b""
    score: int = 0
    game_over: bool = False
    view: dict[str, Any] | None = None

    def encode(self) -> bytes:
        """Return the answer as JSON text."""
        if not self.ok:
            reason = json.dumps(self.reason).encode()
            return b'{"ok": false, "reason": %b, "legalActions": %b}' % (reason, self.legal_actions)
        view = b', "view": %b' % json.dumps(self.view).encode() if self.view is not None else b""
        return (
            b'{"ok": true, "state": "%b", "observation": %b, "legalActions": %b, '
            b'"score": %d, "gameOver": %b, "spec": %b%b}'
        ) % (
            self.state.encode(),
            json.dumps(self.observation).encode(),
            self.legal_actions,
            self.score,
            b"true" if self.game_over else b"false",
            self.spec,
            view,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the answer as JSON values, all of them fresh."""
        values: dict[str, Any] = json.loads(self.encode())
        return values


class Loop:
    """Plays games for callers who keep the state token themselves.

    Args:
        sealer: seals and opens the tokens; by default one with a fresh key.
    """

    def __init__(self, sealer: TokenSealer | None = None) -> None:
        self.variants = Variants()
        self._sealer = sealer or TokenSealer()
        self._lock = Lock()  # a variant's engine holds one position at a time

    def warm_up(self) -> None:
        """Play a move of every game and ask every player, so that no later call compiles."""
        with self._lock:
            self.variants.make_all()
            for slug in self.variants.slugs:
                variant = self.variants.variant(slug)
                variant.begin(0)
                for name in players_of(slug):
                    variant.submit(choose(name, variant, ""))
                variant.restore(variant.content())
                self._answer(variant, with_view=True)

    def init(
        self,
        game: str,
        seed: int | None = None,
        settings: dict[str, Any] | None = None,
        *,
        with_view: bool = False,
    ) -> Answer:
        """Start a game.

        Args:
            game: its slug, for example "sunpleat".
            seed: an int, taken modulo 2**32; None for one drawn by chance.
            settings: of those its wording offers.
            with_view: whether the answer has the position as JSON values, too.

        Raises:
            UnknownNameError: if there is no such game.
            OptionError: if a setting is not offered.
            InvalidSeedError: if the seed is not an int.
        """
        with self._lock:
            variant = self.variants.variant(game, settings)
            variant.begin(randbelow(SEED_RANGE) if seed is None else seed)
            return self._answer(variant, with_view)

    def action(
        self, state: object, action: object, *, game: str | None = None, with_view: bool = False
    ) -> Answer:
        """Play one action; a refused one, or a refused token, changes nothing.

        Args:
            state: the token of the last answer.
            action: a JSON action.
            game: the slug it has to be of; None for any.
            with_view: whether the answer has the position as JSON values, too.
        """
        with self._lock:
            try:
                variant = self._restore(state, game)
            except TokenError as error:
                return Answer(False, b"[]", reason=str(error), token_refused=True)
            verdict = variant.submit(action)
            if not verdict.accepted:
                return Answer(False, variant.actions_json(), reason=verdict.reason)
            return self._answer(variant, with_view)

    def suggest(self, state: object, agent: str, *, game: str | None = None) -> dict[str, Any]:
        """Return the action that one of the package's players would take.

        Raises:
            TokenError: if the token is refused.
            UnknownNameError: if there is no such player here, or the game has ended.
        """
        with self._lock:
            variant = self._restore(state, game)
            return choose(agent, variant, str(state))

    def _restore(self, state: object, game: str | None) -> Variant:
        content = self._sealer.open(state)
        variant = self.variants.of_content(content)
        if game is not None and variant.slug != game:
            raise TokenError(f"this state token is of {variant.slug}, not of {game}")
        variant.restore(content)
        return variant

    def _answer(self, variant: Variant, with_view: bool) -> Answer:
        engine = variant.engine
        return Answer(
            ok=True,
            legal_actions=variant.actions_json(),
            state=self._sealer.seal(variant.content()),
            observation=observe(engine, _ROW),
            spec=variant.spec_json,
            score=int(engine.score[_ROW]),
            game_over=bool(engine.terminated[_ROW]),
            view=engine.view(_ROW) if with_view else None,
        )


def init(game: str, seed: int, **settings: Any) -> dict[str, Any]:
    """Start a game in this process.

    Args:
        game: its slug, for example "sunpleat".
        seed: an int, taken modulo 2**32.
        settings: of those the game offers, for example ``opponent="easy"``.

    Returns:
        ok, state, observation, legalActions, spec, score, gameOver.

    Raises:
        UnknownNameError: if there is no such game.
        OptionError: if a setting is not offered.
        InvalidSeedError: if the seed is not an int.
    """
    return _process_loop().init(game, seed, settings).to_json()


def action(state: object, action: object) -> dict[str, Any]:
    """Play one action in this process.

    Args:
        state: the token of the last answer of this process.
        action: a JSON action.

    Returns:
        What `init` returns, or ok (False), reason and legalActions; nothing raises.
    """
    return _process_loop().action(state, action).to_json()


@cache
def _process_loop() -> Loop:
    return Loop()
