"""The games that can be played: each with each combination of the settings open to strangers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np

from quiltrail.core.actions import REASONS, RefusalCode
from quiltrail.core.engine import Engine, Verdict
from quiltrail.core.errors import (
    OptionError,
    UnknownNameError,
    shown,
    unknown_name,
    unknown_name_text,
)
from quiltrail.core.mulberry32 import as_seed
from quiltrail.envs import GAMES, GameSpec
from quiltrail.envs.wording import Wording, specification, wording_of
from quiltrail.protocol.tokens import TokenError

#: Setting -> its allowed values, the default first.
Choices = Mapping[str, tuple[Any, ...]]

_ROW = 0
_ROWS = np.array([_ROW])
_CHECKSUM_BYTES = 4
_HEAD_BYTES = 2 * _CHECKSUM_BYTES  # of the variant, and of its record's layout


@dataclass
class Variant:
    """One game with one choice of settings, on an engine with one row.

    Attributes:
        slug: the game's name in addresses.
        settings: the chosen settings.
        engine: where positions are set up and played, one after the other.
    """

    slug: str
    settings: dict[str, Any]
    engine: Engine
    _actions: dict[int, bytes] = field(default_factory=dict)  # grows as indices are asked for

    @cached_property
    def _name_checksum(self) -> bytes:
        """Four bytes that name the game and its settings."""
        return _variant_checksum(self.slug, self.settings)

    @cached_property
    def head(self) -> bytes:
        """What a token's content begins with: which variant, and how its record is laid out."""
        # A token may outlive the version that sealed it; its bytes must not pass for other fields.
        layout = repr(self.engine.state.dtype.descr).encode()
        return self._name_checksum + _checksum(layout)

    @cached_property
    def spec(self) -> dict[str, Any]:
        """Goal, scoring, rules and the JSON schema."""
        return specification(self.engine)

    @cached_property
    def spec_json(self) -> bytes:
        """The spec as JSON text."""
        return json.dumps(self.spec).encode()

    def begin(self, seed: int) -> None:
        """Start the game of a seed.

        Raises:
            InvalidSeedError: if it is not an int.
        """
        self.engine.reset(_ROWS, np.array([as_seed(seed)], np.uint64))

    def content(self) -> bytes:
        """Return the present game as a token's content."""
        record: bytes = self.engine.state[_ROW].tobytes()
        return self.head + record

    def restore(self, content: bytes) -> None:
        """Go on with the game of a token's content.

        Raises:
            TokenError: if this version keeps the game's record in another form.
        """
        dtype = self.engine.state.dtype
        if content[:_HEAD_BYTES] != self.head or len(content) != _HEAD_BYTES + dtype.itemsize:
            raise TokenError("this state token is stale: another version of the game issued it")
        record = np.frombuffer(content, dtype, count=1, offset=_HEAD_BYTES)[0]
        self.engine.restore(_ROWS, [record])

    def submit(self, action: object) -> Verdict:
        """Play a JSON action; a refused one changes nothing."""
        if self.engine.terminated[_ROW]:
            code = int(RefusalCode.RUN_ENDED)
            return Verdict(code, f"{REASONS[code]}; start another one with init")
        return self.engine.submit(_ROW, action)

    def actions_json(self) -> bytes:
        """Return the legal list as JSON text."""
        known = self._actions
        indices = self.engine.legal_indices(_ROW)
        for index in indices:
            if index not in known:
                known[index] = json.dumps(self.engine.codec.decode(index)).encode()
        return b"[" + b", ".join([known[index] for index in indices]) + b"]"


class Variants:
    """The variants of all games that are not procedural, each made when it is first asked for."""

    def __init__(self) -> None:
        self._specs = {spec.short_name: spec for spec in GAMES if not spec.procedural}
        self._wordings: dict[str, Wording] = {}
        self._made: dict[bytes, Variant] = {}

    @property
    def slugs(self) -> tuple[str, ...]:
        """The names of the games."""
        return tuple(self._specs)

    def wording(self, slug: str) -> Wording:
        """Return a game in words.

        Raises:
            UnknownNameError: if there is no such game; it lists the names.
        """
        if slug not in self._wordings:
            self._wordings[slug] = wording_of(self._spec_of(slug).make_engine(1))
        return self._wordings[slug]

    def variant(self, slug: str, settings: Mapping[str, Any] | None = None) -> Variant:
        """Return a game with some settings chosen, the others at their defaults.

        Raises:
            UnknownNameError: if there is no such game.
            OptionError: if a setting is not open to choice, or not to this value.
        """
        chosen = self._checked(slug, settings or {})
        checksum = _variant_checksum(slug, chosen)
        if checksum not in self._made:
            engine = self._spec_of(slug).make_engine(1, **chosen)
            self._made[checksum] = Variant(slug, chosen, engine)
        return self._made[checksum]

    def of_content(self, content: bytes) -> Variant:
        """Return the variant whose game a token's content holds.

        Raises:
            TokenError: if it is none of these.
        """
        checksum = content[:_CHECKSUM_BYTES]
        if checksum not in self._made:
            self.make_all()
        if checksum not in self._made:
            raise TokenError("this state token is stale: its game is not played here any more")
        return self._made[checksum]

    def make_all(self) -> None:
        """Make every variant, so that no later call waits for that."""
        for slug in self.slugs:
            for settings in _combinations(self.wording(slug).choices):
                self.variant(slug, settings)

    def _spec_of(self, slug: str) -> GameSpec:
        if slug not in self._specs:
            raise unknown_game(slug, self.slugs)
        return self._specs[slug]

    def _checked(self, slug: str, settings: Mapping[str, Any]) -> dict[str, Any]:
        choices = self.wording(slug).choices
        for name, value in settings.items():
            if name not in choices:
                raise OptionError(unknown_name_text(f"setting of {slug}", name, choices))
            if not any(type(value) is type(one) and value == one for one in choices[name]):
                allowed = ", ".join(map(repr, choices[name]))
                raise OptionError(
                    f"setting {name} of {slug} is one of {allowed}; got {shown(value)}"
                )
        return {name: settings.get(name, values[0]) for name, values in choices.items()}


def unknown_game(slug: object, slugs: tuple[str, ...]) -> UnknownNameError:
    """Return the error for a game that is not played here."""
    return unknown_name("game", slug, slugs)


def _variant_checksum(slug: str, settings: Mapping[str, Any]) -> bytes:
    """Return four bytes that name a game and its settings."""
    return _checksum(json.dumps([slug, dict(settings)], sort_keys=True).encode())


def _checksum(content: bytes) -> bytes:
    return crc32(content).to_bytes(_CHECKSUM_BYTES, "big")


def _combinations(choices: Choices) -> list[dict[str, Any]]:
    combinations: list[dict[str, Any]] = [{}]
    for name, values in choices.items():
        combinations = [{**one, name: value} for one in combinations for value in values]
    return combinations
