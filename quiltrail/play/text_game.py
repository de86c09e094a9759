"""Playing in the terminal: short commands or JSON in, text out."""

from __future__ import annotations

import json
from collections.abc import Callable

from quiltrail.core.actions import ActionField, ActionKind, RefusalCode
from quiltrail.core.errors import ActionFormatError, shown
from quiltrail.envs.rendering import ansi
from quiltrail.envs.wording import observe
from quiltrail.play.best import BestScores
from quiltrail.play.session import Session, in_words

_MOST_LISTED = 24
_COMMANDS = "? help, look (all that is known, in words), legal, new, quit"


class TextGame:
    """Reads lines and answers with text.

    Args:
        session: the game.
        best: where best scores are kept.
    """

    def __init__(self, session: Session, best: BestScores) -> None:
        self.session = session
        self.finished = False
        self._best = best

    def greeting(self) -> str:
        """Return the first lines: the game, how to speak, the position."""
        spec = self.session.spec
        best = self._best.best(spec.id, self.session.engine.settings)
        known = "" if best is None else f", best score {best:,}"
        return f"{spec.name}, seed {self.session.seed}{known}\n{self.help()}\n\n{self.position()}"

    def help(self) -> str:
        """Return the forms of actions, and the other commands."""
        kinds = [_form(kind) for kind in self.session.engine.codec.kinds]
        return "\n".join(["actions:", *(f"  {kind}" for kind in kinds), f"also: {_COMMANDS}"])

    def position(self) -> str:
        """Return the position as text."""
        return ansi(self.session.engine, 0)

    def answer(self, line: str) -> str:
        """Take a line and return what to say."""
        words = line.strip()
        simple: dict[str, Callable[[], str]] = {
            "": lambda: self.position(),
            "?": self.help,
            "help": self.help,
            "look": lambda: observe(self.session.engine, 0),
            "legal": self._legal,
            "new": self._new,
            "quit": self._quit,
            "exit": self._quit,
        }
        if words.lower() in simple:
            return simple[words.lower()]()
        if self.session.over:
            return 'the game is over; "new" starts another one, "quit" ends'
        try:
            action = parse_action(words, self.session)
        except ActionFormatError as error:
            return f"{error}; ? shows how"
        verdict = self.session.submit(action)
        if not verdict.accepted:
            return f"refused, {verdict.name}: {verdict.reason}"
        reward = f"{self.session.reward:+g} points\n" if self.session.reward else ""
        return f"{reward}{self.position()}{self._ending()}"

    def _ending(self) -> str:
        if not self.session.over:
            return ""
        session = self.session
        settings = session.engine.settings
        is_best = self._best.add(session.spec.id, settings, session.score, session.seed)
        return f"\nover: score {session.score:,}{', your best' if is_best else ''}\n"

    def _legal(self) -> str:
        actions = self.session.engine.legal_actions(0)
        lines = [in_words(action) for action in actions[:_MOST_LISTED]]
        more = len(actions) - len(lines)
        return "\n".join(lines + ([f"and {more} more"] if more > 0 else [])) or "nothing"

    def _new(self) -> str:
        self.session.begin(self.session.seed + 1)
        return f"seed {self.session.seed}\n{self.position()}"

    def _quit(self) -> str:
        self.finished = True
        return f"score {self.session.score:,}"


def parse_action(text: str, session: Session) -> object:
    """Return the JSON action of a line.

    A line is JSON; or a type, which may be cut short, and its values; or the values alone, where
    just one legal type takes as many.

    Raises:
        ActionFormatError: if it is none of these.
    """
    if text.startswith("{"):
        try:
            return json.loads(text)
        except ValueError as error:
            raise ActionFormatError(
                RefusalCode.NOT_AN_OBJECT, f"this is no JSON: {error}"
            ) from None
    first, *rest = text.replace(",", " ").split()
    kinds = {kind.type: kind for kind in session.engine.codec.kinds}
    near = [name for name in kinds if name.startswith(first.lower())]
    if first.lower() in kinds:
        near = [first.lower()]
    if len(near) == 1:
        return _filled(kinds[near[0]], rest)
    if near:
        raise ActionFormatError(
            RefusalCode.UNKNOWN_TYPE, f"{shown(first)} may mean {' or '.join(near)}"
        )
    values = [first, *rest]
    legal = dict.fromkeys(action["type"] for action in session.engine.legal_actions(0))
    fitting = [kinds[name] for name in legal if _may_fill(kinds[name], values)]
    if len(fitting) != 1:
        raise ActionFormatError(
            RefusalCode.UNKNOWN_TYPE,
            f"{shown(first)} is no type of action; types: {', '.join(kinds)}",
        )
    return _filled(fitting[0], values)


def _may_fill(kind: ActionKind, values: list[str]) -> bool:
    """Return whether values look like those of a kind: as many, the first a number or allowed."""
    if len(kind.fields) != len(values):
        return False
    return values[0].isdigit() or kind.fields[0].holds(_value(kind.fields[0], values[0]))


def _filled(kind: ActionKind, values: list[str]) -> dict[str, object]:
    if len(values) != len(kind.fields):
        raise ActionFormatError(RefusalCode.MISSING_FIELD, f"{kind.type} is written: {_form(kind)}")
    pairs = zip(kind.fields, values, strict=True)
    return {"type": kind.type, **{field.name: _value(field, text) for field, text in pairs}}


def _value(field: ActionField, text: str) -> int | str:
    if isinstance(field.values[0], str):
        return text.upper() if text.upper() in field.values else text
    try:
        return int(text)
    except ValueError:
        return text


def _form(kind: ActionKind) -> str:
    fields = " ".join(one.name.upper() for one in kind.fields)
    values = ", ".join(f"{one.name} {one.describe()}" for one in kind.fields)
    return f"{kind.type} {fields}   ({values})" if fields else kind.type
